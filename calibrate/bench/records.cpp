// JSON by hand: strings, whole numbers, times and lists of times are all there is. See records.hpp.
#include "calibrate/bench/records.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace ooc::bench {
namespace {

std::string quoted(const std::string& value) {
  std::string text = "\"";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", byte);
      text += escaped;
    } else {
      text += c;
    }
  }
  return text + '"';
}

std::string decimal(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f", value);
  std::string trimmed = text;
  if (trimmed.size() > 2 && trimmed.compare(trimmed.size() - 2, 2, ".0") == 0) {
    trimmed.resize(trimmed.size() - 2);
  }
  return trimmed;
}

}  // namespace

Record::Record(const char* kind) : body_("{\"record\":" + quoted(kind)) {}

void Record::key(const char* name) { body_ += "," + quoted(name) + ":"; }

Record& Record::text(const char* name, const std::string& value) {
  key(name);
  body_ += quoted(value);
  return *this;
}

Record& Record::integer(const char* name, std::int64_t value) {
  key(name);
  body_ += std::to_string(value);
  return *this;
}

Record& Record::number(const char* name, double value) {
  key(name);
  body_ += decimal(value);
  return *this;
}

Record& Record::list(const char* name, const std::vector<double>& values) {
  key(name);
  body_ += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    body_ += (i == 0 ? "" : ",") + decimal(values[i]);
  }
  body_ += ']';
  return *this;
}

std::string text_in(const std::string& line, const char* key) {
  const std::string before = "\"" + std::string(key) + "\":\"";
  const std::size_t at = line.find(before);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + before.size();
  const std::size_t end = line.find('"', begin);
  return end == std::string::npos ? "" : line.substr(begin, end - begin);
}

void Output::send_line(const std::string& line) const {
  std::size_t sent = 0;
  while (sent < line.size()) {
    const ssize_t count = write(descriptor_, line.data() + sent, line.size() - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) _exit(1);
    sent += static_cast<std::size_t>(count);
  }
}

}  // namespace ooc::bench
