// The workload by which event engines are compared: a chain of L layers, 4 L steps on three
// in-order queues with seeded durations. In each layer a forward task takes 100 bytes that its copy
// out gives back, and a copy in takes 100 bytes that the backward task gives back. With 2500 layers
// the makespan is 7,597,552 ns in every correct engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "simulator/plan/plan.hpp"

namespace ooc::test {

inline constexpr std::size_t kReferenceLayers = 2500;
inline constexpr std::int64_t kReferenceMakespan = 7'597'552;  // ns, at kReferenceLayers
inline constexpr std::int64_t kReferenceBlock = 100;           // bytes

/// Durations in ns by layer, drawn in the order F, O of layers 0, 1, ... then P, B of ..., 1, 0.
struct ReferenceDurations {
  explicit ReferenceDurations(std::size_t layers);
  std::vector<std::int64_t> forward;
  std::vector<std::int64_t> out;
  std::vector<std::int64_t> in;
  std::vector<std::int64_t> backward;
};

[[nodiscard]] CostTable reference_costs(const ReferenceDurations& durations);
[[nodiscard]] Plan reference_plan(std::size_t layers);

}  // namespace ooc::test
