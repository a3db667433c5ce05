// Reading and writing protocol lines. See line.hpp.
#include "calibrate/gpu/line.hpp"

#include <cstring>

namespace ooc::gpu {
namespace {

bool plain(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c != '\0' && std::strchr("._~:+/(),-", c) != nullptr);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::string encode(const std::string& value) {
  const char digits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (plain(byte)) {
      out += c;
    } else {
      out += '%';
      out += digits[byte >> 4];
      out += digits[byte & 15];
    }
  }
  return out;
}

// Printable ASCII is taken as it is (people write scripts by hand); only % is special.
std::optional<std::string> decode(const std::string& value) {
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '%') {
      if (value[i] <= ' ' || value[i] > '~') return std::nullopt;
      out += value[i];
      continue;
    }
    if (i + 2 >= value.size()) return std::nullopt;
    const int high = hex_digit(value[i + 1]);
    const int low = hex_digit(value[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

bool is_name(const std::string& text) {
  if (text.empty() || text[0] < 'a' || text[0] > 'z') return false;
  for (const char c : text) {
    const bool good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (!good) return false;
  }
  return true;
}

}  // namespace

const std::string* Line::find(const std::string& key) const {
  for (const auto& [name, value] : pairs) {
    if (name == key) return &value;
  }
  return nullptr;
}

ParsedLine parse_line(const std::string& text) {
  if (text.size() > kLongestLine) return {std::nullopt, "line longer than 4096 bytes"};
  Line line;
  std::size_t begin = 0;
  for (bool first = true; begin <= text.size(); first = false) {
    const std::size_t space = text.find(' ', begin);
    const std::size_t end = space == std::string::npos ? text.size() : space;
    const std::string part = text.substr(begin, end - begin);
    if (first) {
      if (!is_name(part)) return {std::nullopt, "expected a word, found '" + part + "'"};
      line.word = part;
    } else {
      const std::size_t equals = part.find('=');
      const std::string key = part.substr(0, equals);
      if (equals == std::string::npos || !is_name(key)) {
        return {std::nullopt, "expected key=value, found '" + part + "'"};
      }
      const std::optional<std::string> value = decode(part.substr(equals + 1));
      if (!value) return {std::nullopt, "bad value of '" + key + "'"};
      if (line.find(key) != nullptr) return {std::nullopt, "'" + key + "' given twice"};
      line.pairs.emplace_back(key, *value);
    }
    if (space == std::string::npos) break;
    begin = end + 1;
  }
  return {line, ""};
}

LineBuilder& LineBuilder::add(const std::string& key, const std::string& value) {
  text_ += ' ' + key + '=' + encode(value);
  return *this;
}

LineBuilder& LineBuilder::add(const std::string& key, const char* value) {
  return add(key, std::string(value));
}

LineBuilder& LineBuilder::add(const std::string& key, std::int64_t value) {
  return add(key, std::to_string(value));
}

LineBuilder& LineBuilder::add_ns(const std::string& key, double ns) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.3f", ns < 0 ? 0.0 : ns);
  return add(key, std::string(buffer));
}

void Output::send(const LineBuilder& line) {
  std::string text = line.text();
  if (text.size() > kLongestLine - 1) text.resize(kLongestLine - 1);
  text += '\n';
  std::fwrite(text.data(), 1, text.size(), file_);
  std::fflush(file_);
}

}  // namespace ooc::gpu
