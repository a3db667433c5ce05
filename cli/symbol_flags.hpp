// --seq and --symbol: sizes of a network that the command line says instead of its file.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "model/base/spec_symbols.hpp"

namespace ooc {

/// The symbols of a sequence and of a decoder's sequence beside it.
inline constexpr std::string_view kSequence = "seq";
inline constexpr std::string_view kTargetSequence = "target_seq";

/// A size: 1 ... 2^48. Throws SpecError at `flag`.
[[nodiscard]] std::int64_t parse_size(std::string_view text, std::string_view flag);
/// What both flags say. Throws SpecError for what neither of them allows and for a symbol that is given twice.
[[nodiscard]] std::vector<SymbolValue> symbol_values(const Arguments& arguments);

}  // namespace ooc
