// from_chars: no locale, no exceptions.
#include "calibrate/session/key_values.hpp"

#include <charconv>
#include <cmath>

namespace ooc {
namespace {

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
  return number && std::isfinite(*number) ? number : std::nullopt;
}

void set_value(KeyValues& values, std::string_view key, std::string value) {
  for (auto& [name, old] : values) {
    if (name != key) continue;
    old = std::move(value);
    return;
  }
  values.emplace_back(std::string(key), std::move(value));
}

void put_texts(JsonWriter& json, std::string_view its_key, const KeyValues& values) {
  json.begin_object(its_key);
  for (const auto& [key, value] : values) json.member(key, value);
  json.end();
}

}  // namespace ooc
