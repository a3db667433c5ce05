// Counters of the checks. See replay_counters.hpp.
#include "calibrate/gpu/replay/counters.hpp"

#include <algorithm>
#include <optional>

#include "calibrate/gpu/check.hpp"

namespace ooc::gpu {

ReplayCounters::ReplayCounters(std::size_t count)
    : count_(count),
      buffer_(Place::kNear, std::max<std::size_t>(count, 1) * sizeof(unsigned long long),
              std::nullopt) {}

void ReplayCounters::clear(const Stream& stream) const {
  OOC_GPU_CHECK(cudaMemsetAsync(buffer_.get(), 0, buffer_.bytes(), stream.get()));
}

unsigned long long* ReplayCounters::at(std::size_t index) const {
  return static_cast<unsigned long long*>(buffer_.get()) + index;
}

std::vector<unsigned long long> ReplayCounters::read(const Stream& stream) const {
  std::vector<unsigned long long> values(count_);
  if (count_ > 0) {
    OOC_GPU_CHECK(cudaMemcpyAsync(values.data(), buffer_.get(), count_ * sizeof values[0],
                                  cudaMemcpyDeviceToHost, stream.get()));
  }
  stream.wait();
  return values;
}

std::string step_title(const ReplayProgram& program, std::size_t step) {
  const std::string& name = program.steps[step].name;
  return "step " + std::to_string(step) + (name.empty() ? "" : " (" + name + ")");
}

}  // namespace ooc::gpu
