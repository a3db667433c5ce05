// from_chars throughout: no locale, no exceptions.
#include "calibrate/session/protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ooc {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_character(char c) { return is_lower(c) || is_digit(c) || c == '_'; }

bool is_word(std::string_view text) {
  return !text.empty() && is_lower(text.front()) &&
         std::all_of(text.begin(), text.end(), is_word_character);
}

bool stands_for_itself(char c) {
  return is_lower(c) || is_digit(c) || (c >= 'A' && c <= 'Z') ||
         std::string_view("._~:+/(),-").find(c) != std::string_view::npos;
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      if (static_cast<unsigned char>(text[i]) <= ' ' || static_cast<unsigned char>(text[i]) > '~') {
        return std::nullopt;
      }
      plain += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    plain += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return plain;
}

template <class Number>
std::optional<Number> number_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  Number number{};
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::string> find_value(const KeyValues& values, std::string_view key) {
  for (const auto& [name, value] : values) {
    if (name == key) return value;
  }
  return std::nullopt;
}

std::optional<long long> find_integer(const KeyValues& values, std::string_view key) {
  return number_of<long long>(find_value(values, key));
}

std::optional<double> find_number(const KeyValues& values, std::string_view key) {
  const auto number = number_of<double>(find_value(values, key));
  if (number && !std::isfinite(*number)) return std::nullopt;
  return number;
}

void set_value(KeyValues& values, std::string_view key, std::string value) {
  for (auto& [name, old] : values) {
    if (name != key) continue;
    old = std::move(value);
    return;
  }
  values.emplace_back(key, std::move(value));
}

std::variant<ProtocolLine, NotProtocol> parse_protocol_line(std::string_view text) {
  if (text.size() >= kMaxProtocolLine) return NotProtocol{"a line of 4096 bytes or more"};
  ProtocolLine line;
  const std::size_t end = text.find(' ');
  line.word = text.substr(0, end);
  if (!is_word(line.word)) return NotProtocol{"no word at its beginning"};
  std::size_t begin = end;
  while (begin != std::string_view::npos) {
    const std::size_t next = text.find(' ', begin + 1);
    const std::string_view pair =
        text.substr(begin + 1, next == std::string_view::npos ? next : next - begin - 1);
    begin = next;
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) return NotProtocol{"a word that is no key=value"};
    const std::string_view key = pair.substr(0, equals);
    if (!is_word(key)) return NotProtocol{"a key that is no word of small letters"};
    if (find_value(line.values, key)) return NotProtocol{"a key for the second time"};
    std::optional<std::string> value = decoded(pair.substr(equals + 1));
    if (!value) return NotProtocol{"a value that is not percent-encoded"};
    line.values.emplace_back(key, std::move(*value));
  }
  return line;
}

std::string format_protocol_line(const ProtocolLine& line) {
  std::string text = line.word;
  for (const auto& [key, value] : line.values) {
    text += ' ' + key + '=';
    for (const char c : value) {
      if (stands_for_itself(c)) {
        text += c;
      } else {
        text += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
      }
    }
  }
  return text + '\n';
}

}  // namespace ooc
