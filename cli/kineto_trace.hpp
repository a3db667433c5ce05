// Trace of torch.profiler (Kineto's JSON, also .gz), read as a stream: memory grows with its operators alone.
#pragma once

#include <string>
#include <vector>

namespace ooc {

/// Operator that the program called itself, or a range that the program named, with everything that ran within.
struct TracedCall {
  std::string name;  ///< name of the operator, "aten::conv2d", or of the range
  bool is_range = false;
  double forward_us =
      0;  ///< kernels and copies on the device; in a trace without any, the operator's own time
  double backward_us = 0;  ///< backward operators that autograd ran for it
  bool has_backward = false;
};

struct KinetoTrace {
  std::vector<TracedCall> calls;  ///< forward, in order; optimizer steps are left out
  double total_us = 0;            ///< of all forward and backward passes
};

/// True for a file that contains a JSON object, also within gzip.
[[nodiscard]] bool is_kineto_trace(const std::string& path);

/// Returns the calls. `ranges`: names whose ranges count as one call (torch.profiler.record_function, nn.Module's with
/// stacks by their class). Throws SpecError with byte offset if the file is not a trace.
[[nodiscard]] KinetoTrace read_kineto_trace(const std::string& path,
                                            const std::vector<std::string>& ranges);

}  // namespace ooc
