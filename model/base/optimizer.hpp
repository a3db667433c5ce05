// Update rules of training. They differ in the state that they store for each parameter.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace ooc {

enum class Optimizer { kSgd, kMomentum, kAdam, kAdam8, kAdafactor };

inline constexpr std::array kOptimizers{Optimizer::kSgd, Optimizer::kMomentum, Optimizer::kAdam,
                                        Optimizer::kAdam8, Optimizer::kAdafactor};

/// Implementation of Adam: one fused kernel, or PyTorch's foreach, one kernel an operation over all
/// parameters. Foreach needs a temporary number for each parameter.
enum class AdamKernels { kFused, kForeach };
[[nodiscard]] constexpr std::string_view adam_kernels_name(AdamKernels kernels) {
  return kernels == AdamKernels::kFused ? "fused" : "foreach";
}

[[nodiscard]] constexpr std::string_view optimizer_name(Optimizer optimizer) {
  constexpr std::array<std::string_view, kOptimizers.size()> kNames{"sgd", "momentum", "adam",
                                                                    "adam8", "adafactor"};
  return kNames[static_cast<std::size_t>(optimizer)];
}

[[nodiscard]] constexpr std::optional<Optimizer> find_optimizer(std::string_view name) {
  for (const Optimizer each : kOptimizers) {
    if (optimizer_name(each) == name) return each;
  }
  return std::nullopt;
}

}  // namespace ooc
