// --seq and --symbol: sizes of a network that the command line says instead of its file. --kernels and --loss: what
// software a config is imported for. --lora and --base: adapters beside a network that is frozen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "model/base/spec_symbols.hpp"
#include "model/network/adapters.hpp"
#include "model/network/import_config.hpp"

namespace ooc {

/// The symbols of a sequence and of a decoder's sequence beside it.
inline constexpr std::string_view kSequence = "seq";
inline constexpr std::string_view kTargetSequence = "target_seq";

/// A size: 1 ... 2^48. Throws SpecError at `flag`.
[[nodiscard]] std::int64_t parse_size(std::string_view text, std::string_view flag);
/// --kernels and --loss, of a checkpoint's config.
struct KernelOptions {
  std::optional<ImportKernels> kernels = {};
  std::string loss = {};
};
[[nodiscard]] KernelOptions kernel_options(const Arguments& arguments);
/// --lora, --lora-dropout, --lora-dtype and --base.
[[nodiscard]] std::optional<AdapterOptions> adapter_options(const Arguments& arguments);
/// What both flags say. Throws SpecError for what neither of them allows and for a symbol that is given twice.
[[nodiscard]] std::vector<SymbolValue> symbol_values(const Arguments& arguments);

}  // namespace ooc
