// The value tree that the readers of networks and profiles work on: JSON values with the place each
// one came from, so that every error names file, JSON pointer, line and column. It is filled
// through a streaming parse (spec_tree_json.cpp, the only place that reads with nlohmann/json),
// which finds size, depth, duplicate keys, trailing text, byte order marks and NaN before anything
// is built.
#pragma once

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
#include "model/base/spec_symbols.hpp"
#include "model/base/units.hpp"

namespace ooc {

enum class SpecType { kNull, kBoolean, kNumber, kText, kList, kObject };

/// One JSON value. Numbers keep the text of the file beside the double, so that integers are exact.
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
  std::optional<std::int64_t> integer;  ///< set when the number is an integer that fits 63 bits
  std::string text;                     ///< kText: the string; kNumber: as written
  std::vector<SpecNode> items;          ///< kList
  std::vector<std::pair<std::string, SpecNode>> members;  ///< kObject, in file order
  std::int32_t line = 0;  ///< of the value's first character, from 1
  std::int32_t column = 0;
};

/// A parsed file. `file` is the path as the user gave it; errors print it.
struct SpecDocument {
  std::string file;
  SpecNode root;
  SpecSymbols symbols = {};  ///< what texts in the place of integers mean; readers set them
};

struct ReadLimits {
  std::int64_t max_bytes = std::int64_t{64} << 20;
  int max_depth = 64;
  std::int64_t max_values = 8'000'000;  ///< a value of 2 bytes costs 100 and more in memory

  bool operator==(const ReadLimits&) const = default;
};

/// Reads a whole file; throws SpecError for a missing, too large or malformed one.
[[nodiscard]] SpecDocument read_spec_file(const std::string& path, const ReadLimits& limits = {});
/// The same from memory; `file` is only for messages.
[[nodiscard]] SpecDocument read_spec_text(std::string_view text, const std::string& file,
                                          const ReadLimits& limits = {});

/// JSON text of a node, indented by two spaces, short lists and small objects on one line, numbers
/// as they were written. Text of the same tree again when read.
[[nodiscard]] std::string json_text(const SpecNode& node);

/// JSON pointer of a member: "/layers" + "a/b" -> "/layers/a~1b".
[[nodiscard]] std::string child_pointer(std::string_view pointer, std::string_view key);

/// A view on a node that knows its JSON pointer: the readers' tool. Every getter throws SpecError
/// naming place, found and expected. Object views remember which keys were asked for, so that
/// `reject_unknown_keys` can name the others with the nearest known one.
class SpecView {
 public:
  explicit SpecView(const SpecDocument& document);

  [[nodiscard]] const SpecNode& node() const { return *node_; }
  [[nodiscard]] std::string pointer() const { return pointer_; }
  [[nodiscard]] const std::string& file() const { return document_->file; }
  [[nodiscard]] SpecType type() const { return node_->type; }

  // Objects. `get` wants the key, `find` returns none when it is absent. Both note the key.
  [[nodiscard]] SpecView get(std::string_view key) const;
  [[nodiscard]] std::optional<SpecView> find(std::string_view key) const;
  [[nodiscard]] std::vector<std::pair<std::string, SpecView>> members() const;
  /// Call once all keys have been asked for. `also_known` are accepted unread.
  void reject_unknown_keys(std::initializer_list<std::string_view> also_known = {}) const;

  // Lists.
  [[nodiscard]] std::vector<SpecView> items() const;

  // Scalars.
  [[nodiscard]] std::string as_text() const;
  [[nodiscard]] bool as_boolean() const;
  /// An integer in [lowest, highest]; where the document has symbols also "seq" or "2*seq".
  [[nodiscard]] std::int64_t as_integer(std::int64_t lowest, std::int64_t highest) const;
  [[nodiscard]] double as_number() const;
  /// One of `choices`; else an error that lists them with the nearest one.
  [[nodiscard]] std::string as_choice(const std::vector<std::string>& choices) const;

  // Quantities (quantity_io.hpp): text with a unit; a bare number is an error that shows what to
  // write. as_bytes..as_flop_rate want a value > 0 (as_duration: >= 0; as_bytes: >= 0).
  [[nodiscard]] Bytes as_bytes() const;
  [[nodiscard]] Duration as_duration() const;
  [[nodiscard]] BytesPerSecond as_rate() const;
  [[nodiscard]] BytesPerSecond as_update_rate() const;
  [[nodiscard]] FlopsPerSecond as_flop_rate() const;
  /// A bare ratio (0.85) or text in percent ("85 %"), in [lowest, highest].
  [[nodiscard]] double as_ratio(double lowest, double highest) const;

  /// An error at this place.
  [[noreturn]] void fail(std::string found, std::string expected,
                         const std::string& hint = {}) const;
  /// What is here, for messages: `"text"`, `3`, `a list of 2`, `an object`.
  [[nodiscard]] std::string found() const;

 private:
  struct KeysAskedFor {
    std::vector<std::string> keys;
  };
  SpecView(const SpecNode& node, const SpecDocument& document, std::string pointer);
  /// None where the text is no symbol of the document's.
  [[nodiscard]] std::optional<Int128> symbol() const;

  const SpecNode* node_;
  const SpecDocument* document_;
  std::string pointer_;
  std::shared_ptr<KeysAskedFor> asked_;
};

/// The entry of `known` nearest to `word` by edit distance, if any is near enough to suggest.
[[nodiscard]] std::optional<std::string> nearest_word(std::string_view word,
                                                      const std::vector<std::string>& known);

}  // namespace ooc
