// JSON text -> value tree, through nlohmann/json's SAX interface. What a DOM would accept silently is refused here: byte
// order marks, duplicate keys, deep nesting, more values than memory should hold, anything behind the value. Debian's
// nlohmann/json 3.11.2 reports no places to a SAX handler: it reads through an iterator that shows how far it is, and a
// token begins behind the last one's end. Integers are taken from their digits, not from a double. Numbers: JSON has one
// number type, so 1e3 and 1000.0 are the integer 1000.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "model/base/quantity_io.hpp"
#include "model/base/spec_tree.hpp"
#include "model/base/terminal_text.hpp"
#include "model/base/text_file.hpp"

namespace ooc {
namespace {

using Json = nlohmann::json;

struct TextPlace {
  std::int32_t line = 1;
  std::int32_t column = 1;  ///< in characters (code points), not bytes
};

/// Moves `place`, that of the byte at `from`, to the byte at `to`.
void advance(TextPlace& place, std::string_view text, std::size_t from, std::size_t to) {
  for (std::size_t at = from; at < to; ++at) {
    if (text[at] == '\n') {
      ++place.line;
      place.column = 1;
    } else if ((static_cast<unsigned char>(text[at]) & 0xc0U) != 0x80U) {
      ++place.column;
    }
  }
}

/// What the parser reads; all copies are at the place of the one that moved last.
class Reading {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  explicit Reading(const char*& at) : at_(&at) {}
  reference operator*() const { return **at_; }
  Reading& operator++() {
    ++*at_;
    return *this;
  }
  bool operator==(const Reading& other) const { return *at_ == *other.at_; }

 private:
  const char** at_;
};

/// A container that is being filled.
struct Frame {
  SpecNode node;
  std::vector<TextPlace> key_places;  // objects: where each key stands
  std::string key;                    // objects: the key whose value comes next
  bool has_key = false;
};

/// What is wrong inside a token that began well, in the parser's words: they name the rule.
std::string parser_reason(const std::string& message) {
  const std::size_t dash = message.find(" - ");
  if (dash == std::string::npos) return {};
  const std::string reason = message.substr(dash + 3);
  return reason.substr(0, reason.find("; "));
}

class TreeBuilder : public nlohmann::json_sax<Json> {
 public:
  TreeBuilder(std::string_view text, const std::string& file, const ReadLimits& limits)
      : text_(text), file_(file), limits_(limits) {}

  SpecNode read() {
    const char* end = text_.data() + text_.size();
    const bool parsed = Json::sax_parse(Reading(reading_), Reading(end), this);
    OOC_CHECK(parsed, "a JSON error that was not reported");
    // The parser takes a zero byte for the end of its input; whatever follows is trailing text too.
    begin_token();
    if (at_ < text_.size()) {
      fail(in_quotes(next_piece()), "the end of the file after one JSON value");
    }
    return std::move(root_);
  }

  bool null() override { return add(next_node(SpecType::kNull)); }
  bool boolean(bool value) override {
    SpecNode node = next_node(SpecType::kBoolean);
    node.boolean = value;
    return add(std::move(node));
  }
  bool number_integer(number_integer_t value) override { return add_number(double(value)); }
  bool number_unsigned(number_unsigned_t value) override { return add_number(double(value)); }
  bool number_float(number_float_t value, const string_t&) override { return add_number(value); }
  bool string(string_t& value) override {
    SpecNode node = next_node(SpecType::kText);
    node.text = std::move(value);
    return add(std::move(node));
  }
  bool binary(binary_t&) override { return false; }  // does not occur in JSON text
  bool start_object(std::size_t) override { return open(SpecType::kObject); }
  bool start_array(std::size_t) override { return open(SpecType::kList); }
  bool key(string_t& value) override {
    Frame& frame = stack_.back();
    frame.key_places.push_back(begin_token());
    frame.key = std::move(value);
    frame.has_key = true;
    end_token();
    return true;
  }
  bool end_object() override {
    reject_duplicate_keys(stack_.back());
    return close();
  }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception& error) override {
    begin_token();
    if (at_ == text_.size()) fail("the end of the file", expected_here());
    const std::string_view token = next_piece();
    const char first = token.front();
    if (first == '"') {
      const std::string reason = parser_reason(error.what());
      const bool in_string = reason.starts_with("invalid string");
      if (!in_string) fail(in_quotes(token.substr(1, token.size() - 2)), expected_here());
      const bool ends = token.size() > 1 && token.back() == '"';
      fail(ends ? "malformed text in quotes" : "text without a closing quote", "a JSON string",
           reason);
    }
    for (const std::string_view word :
         {"NaN", "nan", "Infinity", "-Infinity", "-NaN", "inf", "-inf"}) {
      if (token == word) fail(std::string(word), "a finite number");
    }
    const bool number = error.id == 406;  // out_of_range: "number overflow"
    if (number) fail(in_quotes(token), "a number within +-1.8e308");
    const std::string_view shown = token.substr(0, std::max<std::size_t>(1, token.find('\0')));
    fail(in_quotes(shown), stack_.empty() && at_ > 0 && values_ > 0
                               ? "the end of the file after one JSON value"
                               : expected_here());
  }

 private:
  /// Moves over white space, commas and colons to the first character of the next token.
  TextPlace begin_token() {
    const auto is_between = [](char c) {
      return c == ' ' || c == ',' || c == ':' || c == '\n' || c == '\r' || c == '\t';
    };
    const std::size_t end = at_;
    while (at_ < text_.size() && is_between(text_[at_])) ++at_;
    advance(place_, text_, end, at_);
    return place_;
  }

  /// Over the token that was just parsed: a text to where the parser is, anything else to where a next
  /// token may begin, as the parser looks one character beyond a number.
  std::string_view end_token() {
    const std::size_t begin = at_;
    const bool is_text = text_[begin] == '"';
    at_ = is_text ? static_cast<std::size_t>(reading_ - text_.data()) : begin + next_piece().size();
    advance(place_, text_, begin, at_);
    return text_.substr(begin, at_ - begin);
  }

  /// What stands at the next token, for messages: the parser may have stopped within it.
  [[nodiscard]] std::string_view next_piece() const {
    std::size_t end = at_ + 1;
    if (text_[at_] == '"') {
      while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2U : 1U;
      ++end;
    } else if (std::string_view("[]{}").find(text_[at_]) == std::string_view::npos) {
      end = text_.find_first_of(" \t\r\n,:[]{}\"", end);
    }
    return text_.substr(at_, std::min(end, text_.size()) - at_);
  }

  /// Throws: something is wrong at the next token.
  [[noreturn]] void fail(std::string found, std::string expected,
                         const std::string& hint = {}) const {
    fail_at(place_, pointer(), std::move(found), std::move(expected), hint);
  }
  [[noreturn]] void fail_at(TextPlace place, std::string pointer, std::string found,
                            std::string expected, const std::string& hint) const {
    std::string where = fmt::format("line {}, column {}", place.line, place.column);
    if (!hint.empty()) where += ", " + hint;
    throw SpecError(
        {file_, std::move(pointer), std::move(found), std::move(expected), std::move(where)});
  }

  SpecNode next_node(SpecType type) {
    const TextPlace place = begin_token();
    if (++values_ > limits_.max_values) {
      fail("more values than that", fmt::format("at most {} values in a file", limits_.max_values));
    }
    SpecNode node;
    node.type = type;
    node.line = place.line;
    node.column = place.column;
    token_ = end_token();
    return node;
  }

  bool add_number(double value) {
    SpecNode node = next_node(SpecType::kNumber);
    node.number = value;
    node.text = token_;
    if (const std::optional<DecimalPrefix> decimal = read_decimal(token_)) {
      const std::optional<Scaled> integer = scaled(decimal->value, 1, 1);
      if (integer && integer->exact) node.integer = integer->value;
    }
    return add(std::move(node));
  }

  bool add(SpecNode node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return true;
    }
    Frame& frame = stack_.back();
    if (frame.node.type == SpecType::kList) {
      frame.node.items.push_back(std::move(node));
    } else {
      frame.node.members.emplace_back(std::move(frame.key), std::move(node));
      frame.has_key = false;
    }
    return true;
  }

  bool open(SpecType type) {
    begin_token();
    if (stack_.size() >= static_cast<std::size_t>(limits_.max_depth)) {
      fail("lists and objects nested deeper than that",
           fmt::format("a nesting depth of at most {}", limits_.max_depth));
    }
    Frame frame;
    frame.node = next_node(type);
    stack_.push_back(std::move(frame));
    return true;
  }

  bool close() {
    begin_token();
    end_token();
    SpecNode node = std::move(stack_.back().node);
    stack_.pop_back();
    return add(std::move(node));
  }

  void reject_duplicate_keys(const Frame& frame) const {
    const auto& members = frame.node.members;
    std::vector<std::uint32_t> order(members.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(
        order, {}, [&](std::uint32_t each) -> std::string_view { return members[each].first; });
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::uint32_t first = order[i - 1];
      const std::uint32_t second = order[i];
      if (members[first].first != members[second].first) continue;
      const TextPlace place = frame.key_places[first];
      fail_at(frame.key_places[second], child_pointer(pointer(), members[second].first),
              fmt::format("the key {} for the second time", in_quotes(members[second].first)),
              "each key once",
              fmt::format("first at line {}, column {}", place.line, place.column));
    }
  }

  /// Of the value that is open, or that would come next.
  [[nodiscard]] std::string pointer() const {
    std::string text;
    for (const Frame& frame : stack_) {
      if (frame.node.type == SpecType::kList) {
        text = child_pointer(text, std::to_string(frame.node.items.size()));
      } else if (frame.has_key) {
        text = child_pointer(text, frame.key);
      }
    }
    return text;
  }

  /// What JSON allows at the next token, told by the last character before it.
  [[nodiscard]] std::string expected_here() const {
    if (stack_.empty()) return "a JSON value";
    const std::size_t last =
        at_ == 0 ? std::string_view::npos : text_.find_last_not_of(" \t\r\n", at_ - 1);
    const char before = last == std::string_view::npos ? ' ' : text_[last];
    const Frame& frame = stack_.back();
    if (frame.node.type == SpecType::kList) {
      if (before == ',') return "another value";
      return before == '[' ? "a value or \"]\"" : "\",\" or \"]\"";
    }
    if (frame.has_key) return before == ':' ? "a value" : "\":\" and a value";
    if (before == ',') return "another key in double quotes";
    return before == '{' ? "a key in double quotes or \"}\"" : "\",\" or \"}\"";
  }

  std::string_view text_;
  const std::string& file_;
  const ReadLimits& limits_;
  const char* reading_ = text_.data();  ///< behind what the parser has read
  std::size_t at_ = 0;                  ///< behind the last token, or at the next one
  TextPlace place_;                     ///< of at_
  std::string_view token_;
  std::vector<Frame> stack_;
  SpecNode root_;
  std::int64_t values_ = 0;
};

/// Marks and encodings that the parser would skip or report without a place.
void check_encoding(std::string_view text, const std::string& file) {
  SpecError::Parts parts{.file = file};
  if (text.starts_with("\xef\xbb\xbf")) {
    parts.found = "a byte order mark";
    parts.expected = "JSON in UTF-8 without one";
    parts.hint = "line 1, column 1";
  } else if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    parts.found = "UTF-16 text";
    parts.expected = "JSON in UTF-8";
    parts.hint = "line 1, column 1";
  } else if (const std::size_t bad = first_invalid_utf8(text); bad < text.size()) {
    TextPlace place;
    advance(place, text, 0, bad);
    parts.found = fmt::format("byte 0x{:02x}, which is not UTF-8",
                              static_cast<unsigned>(static_cast<unsigned char>(text[bad])));
    parts.expected = "JSON in UTF-8";
    parts.hint = fmt::format("line {}, column {}", place.line, place.column);
  } else if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    parts.found = text.empty() ? "an empty file" : "nothing but white space";
    parts.expected = "a JSON object";
  }
  if (!parts.found.empty()) throw SpecError(std::move(parts));
}

}  // namespace

SpecDocument read_spec_text(std::string_view text, const std::string& file,
                            const ReadLimits& limits) {
  if (text.size() > static_cast<std::size_t>(limits.max_bytes)) {
    throw SpecError({file, "", fmt::format("{} bytes", text.size()),
                     fmt::format("at most {} bytes", limits.max_bytes),
                     "the limit on input files is set by --max-input"});
  }
  check_encoding(text, file);
  return SpecDocument{file, TreeBuilder(text, file, limits).read()};
}

SpecDocument read_spec_file(const std::string& path, const ReadLimits& limits) {
  return read_spec_text(read_text_file(path, "", limits), path, limits);
}

}  // namespace ooc
