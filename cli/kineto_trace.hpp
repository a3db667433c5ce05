// Trace of torch.profiler (Kineto's JSON, also .gz), read as a stream: memory grows with its operators alone.
#pragma once

#include <string>
#include <vector>

namespace ooc {

/// Operator that the program called itself, or a range that the program named, with everything that ran within.
struct TracedCall {
  std::string name;  ///< name of the operator, "aten::conv2d", or of the range
  bool is_range = false;
  /// Time of kernels and copies on the device; in a trace without any, time of the operator on the host.
  double forward_us = 0;
  double backward_us = 0;     ///< as forward_us, of the backward operators that autograd ran
  bool has_backward = false;  ///< true: autograd ran backward operators for the call
};

struct KinetoTrace {
  std::vector<TracedCall> calls;  ///< forward calls in order, without optimizer steps
  double total_us = 0;            ///< sum of all forward and backward passes
};

/// True for a file that contains a JSON object, also within gzip.
[[nodiscard]] bool is_kineto_trace(const std::string& path);

/// Returns the calls. `ranges`: names of ranges, each counted as one call: of torch.profiler.record_function and, in
/// traces with stacks, of modules by their class. Throws SpecError with byte offset if the file is not a trace.
[[nodiscard]] KinetoTrace read_kineto_trace(const std::string& path,
                                            const std::vector<std::string>& ranges);

}  // namespace ooc
