// The machines and numbers of tests/data/kernels/prices.csv: what the model's first implementation was
// fitted to, kept here so that refitted architectures do not move the table.
#pragma once

#include <string>

#include "model/kernels/platform.hpp"

namespace ooc::test {

inline SimtParameters table_simt(double generation) {
  return {.wide_tiles = 1.0273648698448,
          .small_tiles = 0.5942743423479241,
          .wave_tail = 1.0066547995069275,
          .extra_depth = 11.540242111477266,
          .generation = generation,
          .pointwise_weights = 0.6119662875592935,
          .scatter_rate = 0.6333199506390628,
          .scatter_memory = 0.4920747341832124,
          .winograd_fused = 0.9632065349807231,
          .transformed = 1.201657103803915,
          .transform_traffic = 1.7662091011093957,
          .depthwise = 0.25,
          .linear_rate = 0.9193724520633004,
          .linear_memory = 0.5162929652388625,
          .linear_recent = 1};
}

inline TensorParameters table_tensor() {
  return {.tiles = 0.94, .operands = 1.61, .few_channels = 2.86};
}

inline RecurrentParameters table_recurrent() {
  return {.forward = 0.5790628024354805,
          .backward = 0.46438116004261054,
          .step_seconds = 42.749392734241084e-6,
          .old_forward = 1.604070932416009,
          .old_backward = 1.8198428865036425,
          .old_gru_backward = 3.3412359592037544};
}

struct TableCard {
  double peak;
  std::int64_t near_gb;
  int multiprocessors;
  double sustained;
  double near_share;
  double generation = 1;
};

/// No kernel costs beside its work, so that the table shows the formulas alone.
inline KernelPlatform table_platform(const std::string& machine) {
  const double old = 0.7683434593221553;
  const TableCard card = machine == "V100"   ? TableCard{15.7, 900, 80, 0.94, 0.92}
                         : machine == "P100" ? TableCard{9.3, 732, 56, 0.98, 0.75, old}
                         : machine == "A100" ? TableCard{19.5, 1555, 108, 0.93, 0.89}
                         : machine == "K80"  ? TableCard{4.37, 240, 13, 0.5, 0.62, old}
                         : machine == "M40"  ? TableCard{6.84, 288, 24, 0.72, 0.76, old}
                                             : TableCard{12.15, 548, 30, 0.935, 0.75, old};
  KernelPlatform platform;
  const auto set = [&](Dtype dtype, double peak, double share) {
    platform.machine.peak[static_cast<std::size_t>(dtype)] = {peak * 1e12};
    platform.machine.sustained[static_cast<std::size_t>(dtype)] = share;
  };
  set(Dtype::kFloat32, card.peak, card.sustained);
  if (machine == "V100") set(Dtype::kFloat16, 125, 0.90);
  if (machine == "A100") {
    set(Dtype::kTf32, 156, 0.80);
    set(Dtype::kFloat16, 312, 0.83);
  }
  platform.machine.multiprocessors = card.multiprocessors;
  const std::int64_t exact = machine == "M40"        ? 288'400'000'000
                             : machine == "Titan Xp" ? 547'600'000'000
                                                     : card.near_gb * 1'000'000'000;
  platform.machine.near_rate = BytesPerSecond(exact);
  platform.architecture.near_share = card.near_share;
  platform.architecture.simt = table_simt(card.generation);
  if (machine == "V100" || machine == "A100") platform.architecture.tensor = table_tensor();
  platform.architecture.recurrent = table_recurrent();
  return platform;
}

}  // namespace ooc::test
