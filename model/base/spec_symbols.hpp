// Symbols: names that a file gives to integers ("seq"), so that one number changes many sizes
// (docs/formats.md, 2). Integer fields accept "seq" and "2*seq" through SpecView::as_integer.
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

}  // namespace ooc
