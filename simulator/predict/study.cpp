#include "simulator/predict/study.hpp"

namespace ooc {

SweepUnit unit_at(const SweepGrid& grid, std::size_t index) {
  SweepUnit unit{};
  const auto take = [&](std::size_t count) {
    const std::size_t place = index % count;
    index /= count;
    return place;
  };
  unit.schedule = take(grid.schedules.size());
  unit.far_memory = take(grid.far_memories.size());
  unit.memory = take(grid.memories.size());
  unit.costs = index;
  unit.batch = take(grid.batches.size());
  unit.hardware = take(grid.hardware.size());
  unit.network = index;
  return unit;
}

UnitKeys keys_of(const SweepGrid& grid, const SweepInputs& inputs, std::size_t index) {
  const SweepUnit unit = unit_at(grid, index);
  CaseOptions options;
  options.batch = grid.batches[unit.batch];
  options.memory = grid.memories[unit.memory];
  options.far_memory = grid.far_memories[unit.far_memory];
  return {.network = inputs.network_names[unit.network],
          .hardware = inputs.hardware_names[unit.hardware],
          .batch = batch_of(options, *inputs.workloads[unit.network].network),
          .memory = budget_of(options, inputs.machines[unit.hardware].profile),
          .far_memory = far_capacity_of(options, inputs.machines[unit.hardware].profile),
          .schedule = std::string(grid.schedules[unit.schedule]->name)};
}

}  // namespace ooc
