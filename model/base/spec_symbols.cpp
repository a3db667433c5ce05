// One product of a number and a name is all the arithmetic that shapes of transformers need; whoever
// needs more writes the number.
#include "model/base/spec_symbols.hpp"

#include <algorithm>

#include "model/base/named.hpp"
#include "model/base/option_text.hpp"

namespace ooc {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_numeral(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool is_symbol_name(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  return !text.empty() && text.size() <= kLongest && is_letter(text.front()) &&
         std::ranges::all_of(text,
                             [](char c) { return is_letter(c) || is_numeral(c) || c == '_'; });
}

std::string symbols_text(const std::vector<SymbolValue>& symbols) {
  std::string text;
  for (const SymbolValue& each : symbols) {
    text += (text.empty() ? "" : ",") + each.name + '=' + std::to_string(each.value);
  }
  return text;
}

std::vector<std::string> SpecSymbols::names() const { return names_of(values_); }

std::optional<Int128> SpecSymbols::read(std::string_view text) const {
  std::int64_t factor = 1;
  if (const std::size_t star = text.find('*'); star != std::string_view::npos) {
    const auto number = integer_in(text.substr(0, star));
    if (!number || !is_numeral(text.front())) return std::nullopt;
    factor = *number;
    text.remove_prefix(star + 1);
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i].name != text) continue;
    is_read_[i] = true;
    return Int128{factor} * values_[i].value;
  }
  return std::nullopt;
}

const SymbolValue* SpecSymbols::unread() const {
  const auto place = std::ranges::find(is_read_, false);
  return place == is_read_.end() ? nullptr : &values_[std::size_t(place - is_read_.begin())];
}

}  // namespace ooc
