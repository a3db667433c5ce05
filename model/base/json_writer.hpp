// JSON as it is written: value behind value at the end of a text, so that a report of a million rows needs
// no tree of them. The caller keeps to the grammar; the writer knows commas, line breaks and quotes.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace ooc {

/// What is JSON already: a number in digits of the caller's choice.
struct JsonText {
  std::string text;
};

/// `text` as a JSON string with its quotes. Control characters, those too that JSON allows and terminals
/// obey, are escaped: \u009b; bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);

enum class JsonLayout {
  kIndented,  ///< each value on a line of its own
  kLine,      ///< {"a": [1, 2]}
  kPadded,    ///< { "a": [1, 2] }
  kCompact    ///< {"a":[1,2]}
};

class JsonWriter {
 public:
  /// Appends to `out`. `open` is what `out` has left open, "{[" or the like: with it a text can be written
  /// by several writers, each of which goes on behind a value of the one before.
  explicit JsonWriter(std::string& out, JsonLayout layout = JsonLayout::kIndented,
                      std::string_view open = {});

  JsonWriter& begin_object() { return begin('{'); }
  JsonWriter& begin_list() { return begin('['); }
  JsonWriter& begin_object(std::string_view its_key) { return key(its_key).begin('{'); }
  JsonWriter& begin_list(std::string_view its_key) { return key(its_key).begin('['); }
  /// Closes the object or list that was opened last.
  JsonWriter& end();
  JsonWriter& key(std::string_view text);
  /// What comes next begins, or ends, a line with that many blanks before it.
  JsonWriter& line(std::size_t indent);

  /// Texts, numbers (a double as the shortest text that reads back to it; null where it is not finite),
  /// quantities as their counts, optional values (null where there is none), nullptr, lists of them.
  template <class Value>
  JsonWriter& value(const Value& value);
  template <class Value>
  JsonWriter& member(std::string_view its_key, const Value& its_value) {
    return key(its_key).value(its_value);
  }
  /// A list of objects: `put(row)` writes the members of one.
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
  std::string open_;  ///< brackets that are open, outermost first
  std::optional<std::size_t> indent_;
  bool is_first_ = true;  ///< in the innermost of them
  bool after_key_ = false;
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
