// The update rules of training, by what state they keep for each parameter.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace ooc {

enum class Optimizer { kSgd, kMomentum, kAdam, kAdam8, kAdafactor };

inline constexpr std::array kOptimizers{Optimizer::kSgd, Optimizer::kMomentum, Optimizer::kAdam,
                                        Optimizer::kAdam8, Optimizer::kAdafactor};

/// How Adam runs: one kernel for everything, or operation by operation over all parameters at once (PyTorch's
/// foreach), with a temporary number for each of them.
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
