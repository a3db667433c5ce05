// JSON writer that appends value after value to a text, so that a report of a million rows needs no tree in memory. The
// caller is responsible for valid JSON; the writer adds commas, line breaks and quotes.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "model/base/units.hpp"

namespace ooc {

/// Text that is JSON already, such as a number with digits of the caller's choice.
struct JsonText {
  std::string text;
};

/// Returns `text` as a quoted JSON string. All control characters are escaped, also U+0080 to
/// U+009F, which JSON allows and terminals obey. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);

enum class JsonLayout {
  kIndented,  ///< each value on a line of its own
  kLine,      ///< on one line: {"a": [1, 2]}
  kPadded,    ///< on one line, objects padded: { "a": [1, 2] }
  kCompact    ///< on one line without blanks: {"a":[1,2]}
};

class JsonWriter {
 public:
  /// Appends to `out`. `open`: brackets open in `out`, outermost first, such as "{[", for a text that another writer
  /// began; the innermost bracket has a value already. Empty: a new text.
  explicit JsonWriter(std::string& out, JsonLayout layout = JsonLayout::kIndented,
                      std::string_view open = {});

  JsonWriter& begin_object() { return begin('{'); }
  JsonWriter& begin_list() { return begin('['); }
  JsonWriter& begin_object(std::string_view its_key) { return key(its_key).begin('{'); }
  JsonWriter& begin_list(std::string_view its_key) { return key(its_key).begin('['); }
  /// Closes the innermost open object or list.
  JsonWriter& end();
  JsonWriter& key(std::string_view text);
  /// Breaks the line before the next value, key or closing bracket, and indents it by `indent` blanks.
  JsonWriter& line(std::size_t indent);

  /// Writes texts, numbers, quantities (as their counts; an infinite rate as "inf"), nullptr, optional values, or
  /// lists of these. A double becomes the shortest text that reads back equal; infinite, NaN and unset become null.
  template <class Value>
  JsonWriter& value(const Value& value);
  template <class Value>
  JsonWriter& member(std::string_view its_key, const Value& its_value) {
    return key(its_key).value(its_value);
  }
  /// Writes an object, whose members put(*value) writes; null if `value` is unset.
  template <class Value, class Put>
  JsonWriter& object(std::string_view its_key, const std::optional<Value>& value, Put put);
  /// Writes a list of objects; `put(row)` writes the members of one.
  template <class Rows, class Put>
  JsonWriter& objects(std::string_view its_key, const Rows& rows, Put put);

 private:
  JsonWriter& begin(char bracket);
  JsonWriter& verbatim(std::string_view json);
  JsonWriter& text(std::string_view text);
  JsonWriter& number(double number);
  void separate();
  bool break_line();

  std::string& out_;
  JsonLayout layout_;
  std::string open_;                   ///< brackets still open, outermost first
  std::optional<std::size_t> indent_;  ///< blanks after the line break to come; unset: no break
  bool is_first_ = true;               ///< true: no value yet in the innermost bracket
  bool after_key_ = false;             ///< true: a key was written, and its value comes next
};

template <class Value>
JsonWriter& JsonWriter::value(const Value& value) {
  if constexpr (std::is_same_v<Value, JsonText>) {
    return verbatim(value.text);
  } else if constexpr (std::is_same_v<Value, std::nullptr_t>) {
    return verbatim("null");
  } else if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
    return text(value);
  } else if constexpr (std::is_same_v<Value, bool>) {
    return verbatim(value ? "true" : "false");
  } else if constexpr (std::integral<Value>) {
    return verbatim(std::to_string(value));
  } else if constexpr (std::floating_point<Value>) {
    return number(value);
  } else if constexpr (std::is_same_v<Value, BytesPerSecond>) {
    return value == kInfiniteRate ? text("inf") : this->value(value.count());
  } else if constexpr (requires { value.count(); }) {
    return this->value(value.count());
  } else if constexpr (requires { value.has_value(); }) {
    return value ? this->value(*value) : verbatim("null");
  } else {
    begin('[');
    for (const auto& each : value) this->value(each);
    return end();
  }
}

template <class Value, class Put>
JsonWriter& JsonWriter::object(std::string_view its_key, const std::optional<Value>& value,
                               Put put) {
  if (!value) return member(its_key, nullptr);
  begin_object(its_key);
  put(*value);
  return end();
}

template <class Rows, class Put>
JsonWriter& JsonWriter::objects(std::string_view its_key, const Rows& rows, Put put) {
  begin_list(its_key);
  for (const auto& row : rows) {
    begin_object();
    put(row);
    end();
  }
  return end();
}

}  // namespace ooc
