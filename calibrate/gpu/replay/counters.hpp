// Numbers in near memory that kernels of a check add to, beside the plan's own memory.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "calibrate/gpu/replay/program.hpp"
#include "calibrate/gpu/resources.hpp"

namespace ooc::gpu {

class ReplayCounters {
 public:
  explicit ReplayCounters(std::size_t count);
  void clear(const Stream& stream) const;
  unsigned long long* at(std::size_t index) const;
  // When the stream is empty.
  std::vector<unsigned long long> read(const Stream& stream) const;

 private:
  std::size_t count_;
  Buffer buffer_;
};

// "step 12 (conv1.backward)"
std::string step_title(const ReplayProgram& program, std::size_t step);

}  // namespace ooc::gpu
