// A trace of torch.profiler (Kineto's JSON, also .gz), read as a stream: gigabytes need memory for their operators alone.
#pragma once

#include <string>
#include <vector>

namespace ooc {

/// An operator that the program called itself, or a range that it named, with all that ran within it.
struct TracedCall {
  std::string name;  ///< "aten::conv2d", or the range's
  bool is_range = false;
  double forward_us =
      0;  ///< of kernels and copies on the device; of a trace without any, of the operator
  double backward_us = 0;  ///< of what autograd ran for it
  bool has_backward = false;
};

struct KinetoTrace {
  std::vector<TracedCall> calls;  ///< forward, in order; optimizer steps are left out
  double total_us = 0;            ///< of all forward and backward passes
};

/// True for a file that is a JSON object, also within gzip.
[[nodiscard]] bool is_kineto_trace(const std::string& path);

/// `ranges`: names whose ranges count as one call (torch.profiler.record_function, nn.Module's with stacks by their class).
/// Throws SpecError naming the byte for what is no trace.
[[nodiscard]] KinetoTrace read_kineto_trace(const std::string& path,
                                            const std::vector<std::string>& ranges);

}  // namespace ooc
