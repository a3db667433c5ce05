// Value tree of a JSON file, for the readers of networks and profiles. Each value knows its line and column, so that
// errors name file, JSON pointer and place. A streaming parse (spec_tree_json.cpp) fills the tree. It refuses excess
// size and depth, duplicate keys, trailing text, byte order marks and NaN before anything is built.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/units.hpp"

namespace ooc {

// Symbols: names that a file gives to integers ("seq"), so that one number changes many sizes
// (docs/formats.md, 2). Integer fields accept "seq" and "2*seq" through SpecView::as_integer.

struct SymbolValue {
  std::string name;
  std::int64_t value = 0;

  bool operator==(const SymbolValue&) const = default;
};

/// True for a letter followed by letters, digits or "_"; at most 40 characters.
[[nodiscard]] bool is_symbol_name(std::string_view text);

/// Returns a text in the form of --symbol: "seq=2048,target_seq=128".
[[nodiscard]] std::string symbols_text(const std::vector<SymbolValue>& symbols);

class SpecSymbols {
 public:
  SpecSymbols() = default;
  explicit SpecSymbols(std::vector<SymbolValue> values)
      : values_(std::move(values)), is_read_(values_.size(), false) {}

  [[nodiscard]] const std::vector<SymbolValue>& values() const { return values_; }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  [[nodiscard]] std::vector<std::string> names() const;
  /// Returns the value of `text`, "seq" or "2*seq", and marks the symbol as read. Unset: other text.
  [[nodiscard]] std::optional<Int128> read(std::string_view text) const;
  /// Returns the first symbol not yet read by read(); null if all were read.
  [[nodiscard]] const SymbolValue* unread() const;

 private:
  std::vector<SymbolValue> values_;
  mutable std::vector<bool> is_read_;  ///< by symbol: true once read() found it
};

enum class SpecType { kNull, kBoolean, kNumber, kText, kList, kObject };

/// JSON value. A number keeps the text of the file, so that integers are exact.
struct SpecNode {
  // Declared here and defaulted where the type is complete: clang 14 with libstdc++ 12 otherwise looks
  // into vector<pair<string, SpecNode>> too early.
  SpecNode();
  SpecNode(const SpecNode&);
  SpecNode(SpecNode&&) noexcept;
  SpecNode& operator=(const SpecNode&);
  SpecNode& operator=(SpecNode&&) noexcept;
  ~SpecNode();

  SpecType type = SpecType::kNull;
  bool boolean = false;
  double number = 0;
  std::optional<std::int64_t> integer;  ///< set if a number, 1e3 too, is an integer of 63 bits
  std::string text;                     ///< kText: the string; kNumber: digits as in the file
  std::vector<SpecNode> items;          ///< items of a kList
  std::vector<std::pair<std::string, SpecNode>> members;  ///< members of a kObject, in file order
  std::int32_t line = 0;  ///< line and column of the first character, from 1; 0: not from a file
  std::int32_t column = 0;
};

/// Parsed file.
struct SpecDocument {
  std::string file = {};  ///< path as the user gave it, for errors
  SpecNode root;
  SpecSymbols symbols = {};  ///< names that integer fields may use; set by readers
};

struct ReadLimits {
  std::int64_t max_bytes = std::int64_t{64} << 20;  ///< most bytes of a file
  int max_depth = 64;                               ///< most lists and objects inside each other
  std::int64_t max_values = 8'000'000;  ///< most values of a file; each takes over 100 bytes

  bool operator==(const ReadLimits&) const = default;
};

/// Reads a whole file. Throws SpecError for a missing or malformed file, or one beyond `limits`.
[[nodiscard]] SpecDocument read_spec_file(const std::string& path, const ReadLimits& limits = {});
/// Reads a text as if from a file called `file`. Throws SpecError as read_spec_file.
[[nodiscard]] SpecDocument read_spec_text(std::string_view text, const std::string& file,
                                          const ReadLimits& limits = {});

/// Returns JSON text that reads back as the same tree, indented by two spaces. Short lists and small
/// objects stand on one line; a number is SpecNode::text.
[[nodiscard]] std::string json_text(const SpecNode& node);

/// Returns the JSON pointer of member `key` below `pointer`: "/layers" and "a/b" give "/layers/a~1b".
[[nodiscard]] std::string child_pointer(std::string_view pointer, std::string_view key);

/// View of a node and its JSON pointer, for readers. Getters throw SpecError at that pointer for a value of another
/// type. A view of an object records the keys asked for; `reject_unknown_keys` refuses all other keys.
class SpecView {
 public:
  explicit SpecView(const SpecDocument& document);

  [[nodiscard]] const SpecNode& node() const { return *node_; }
  [[nodiscard]] std::string pointer() const { return pointer_; }
  [[nodiscard]] const std::string& file() const { return document_->file; }
  [[nodiscard]] SpecType type() const { return node_->type; }

  // Objects. If the key is missing, `get` throws and `find` returns unset. Both record the key, `members` all keys.
  [[nodiscard]] SpecView get(std::string_view key) const;
  [[nodiscard]] std::optional<SpecView> find(std::string_view key) const;
  [[nodiscard]] std::vector<std::pair<std::string, SpecView>> members() const;
  /// Returns the boolean at a key; `otherwise` if the key is missing.
  [[nodiscard]] bool flag(std::string_view key, bool otherwise = false) const;
  /// Throws for a key that was never asked for and is not in `also_known`; suggests the nearest known key. Call last.
  void reject_unknown_keys(std::initializer_list<std::string_view> also_known = {}) const;

  // Lists.
  [[nodiscard]] std::vector<SpecView> items() const;
  /// Returns the texts of a list; of one text, that.
  [[nodiscard]] std::vector<std::string> as_texts() const;

  // Scalars.
  [[nodiscard]] std::string as_text() const;
  [[nodiscard]] bool as_boolean() const;
  /// Returns an integer in [lowest, highest]; of a text such as "2*seq" the value, if the document has that symbol.
  [[nodiscard]] std::int64_t as_integer(std::int64_t lowest, std::int64_t highest) const;
  [[nodiscard]] double as_number() const;
  /// Returns a text that is one of `choices`. Throws SpecError for others, lists the choices, suggests the nearest.
  [[nodiscard]] std::string as_choice(const std::vector<std::string>& choices) const;

  // Quantities (quantity_io.hpp): text with a unit. For a number without unit the error shows how to
  // write the quantity. Rates must be > 0, sizes and durations >= 0.
  [[nodiscard]] Bytes as_bytes() const;
  [[nodiscard]] Duration as_duration() const;
  [[nodiscard]] BytesPerSecond as_rate() const;
  [[nodiscard]] BytesPerSecond as_update_rate() const;
  [[nodiscard]] FlopsPerSecond as_flop_rate() const;
  /// Returns a ratio in [lowest, highest], from a number (0.85) or a text ("85 %").
  [[nodiscard]] double as_ratio(double lowest, double highest) const;

  /// Throws SpecError at this JSON pointer, with line and column before the hint.
  [[noreturn]] void fail(std::string found, std::string expected,
                         const std::string& hint = {}) const;
  /// Returns a description of the value for messages: `"text"`, `3`, `a list of 2`, `an object`.
  [[nodiscard]] std::string found() const;

 private:
  struct KeysAskedFor {
    std::vector<std::string> keys;
  };
  SpecView(const SpecNode& node, const SpecDocument& document, std::string pointer);
  /// Returns the value of a text such as "seq" or "2*seq"; unset: the value is no text, or no symbol of the document.
  [[nodiscard]] std::optional<Int128> symbol() const;

  const SpecNode* node_;
  const SpecDocument* document_;
  std::string pointer_;
  std::shared_ptr<KeysAskedFor> asked_;
};

/// Throws SpecError unless "format" is `format` and "version" 1. `others`: hints by the name of another format.
void check_format(const SpecView& root, std::string_view format,
                  const std::vector<std::pair<std::string, std::string>>& others = {});

/// Returns a text such as `did you mean "conv"?`; empty: nearest_word() of `known` is unset.
[[nodiscard]] std::string nearest_hint(std::string_view word,
                                       const std::vector<std::string>& known);

/// Returns the entry of `table` (named.hpp) that the text of `view` names; else throws SpecError with all names.
template <class Table, class Name = NameOf>
[[nodiscard]] const auto& named_choice(const SpecView& view, const Table& table, Name name = {}) {
  return *find_named(table, view.as_choice(names_of(table, name)), name);
}

template <class Value, std::size_t kCount>
using SpecChoices = std::array<std::pair<std::string_view, Value>, kCount>;

/// Returns the value paired with the text of `view` in `choices`. Throws SpecError that lists the choices if none is.
template <class Value, std::size_t kCount>
[[nodiscard]] Value choice_of(const SpecView& view, const SpecChoices<Value, kCount>& choices) {
  return named_choice(view, choices).second;
}

[[nodiscard]] SpecNode boolean_node(bool value);
/// Returns a number node whose text reads back equal.
[[nodiscard]] SpecNode number_node(double value);
[[nodiscard]] SpecNode integer_node(std::int64_t value);
[[nodiscard]] SpecNode text_node(std::string_view text);
[[nodiscard]] SpecNode list_node(std::vector<SpecNode> items);
[[nodiscard]] SpecNode object_node(std::vector<std::pair<std::string, SpecNode>> members);
void put(SpecNode& object, std::string key, SpecNode value);

}  // namespace ooc
