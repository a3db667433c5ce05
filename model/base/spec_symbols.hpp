// Names that a file gives to integers, so that one number changes a size wherever it stands: "seq", "2*seq"
// (docs/formats.md, 2). Fields that want an integer take such a text through SpecView::as_integer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/units.hpp"

namespace ooc {

struct SymbolValue {
  std::string name;
  std::int64_t value = 0;

  bool operator==(const SymbolValue&) const = default;
};

/// A letter, then letters, digits or "_".
[[nodiscard]] bool is_symbol_name(std::string_view text);

/// "seq=2048,target_seq=128", as --symbol has it.
[[nodiscard]] std::string symbols_text(const std::vector<SymbolValue>& symbols);

class SpecSymbols {
 public:
  SpecSymbols() = default;
  explicit SpecSymbols(std::vector<SymbolValue> values)
      : values_(std::move(values)), is_read_(values_.size(), false) {}

  [[nodiscard]] const std::vector<SymbolValue>& values() const { return values_; }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  [[nodiscard]] std::vector<std::string> names() const;
  /// What "seq" or "2*seq" comes to; none: the text is neither. Notes that the symbol was read.
  [[nodiscard]] std::optional<Int128> read(std::string_view text) const;
  /// The first one that nothing has read.
  [[nodiscard]] const SymbolValue* unread() const;

 private:
  std::vector<SymbolValue> values_;
  mutable std::vector<bool> is_read_;  ///< by symbol
};

}  // namespace ooc
