// Tries convolution algorithms. See operations/algorithms.hpp.
#include "calibrate/gpu/operations/algorithms.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/timing.hpp"

namespace ooc::gpu {
namespace {

constexpr int kTimed = 2;  // after a first that loads code

// Everything an algorithm's time depends on.
using Key = std::array<std::int64_t, 20>;

Key key_of(const ConvolutionShape& s, Pass pass, const ConvolutionBuffers& buffers,
           std::size_t workspace_bytes) {
  return {static_cast<std::int64_t>(s.precision),
          s.batch,
          s.channels,
          s.height,
          s.width,
          s.filters,
          s.kernel_h,
          s.kernel_w,
          s.stride_h,
          s.stride_w,
          s.pad_h,
          s.pad_w,
          s.dilation_h,
          s.dilation_w,
          s.groups,
          s.input_stride,
          s.output_stride,
          static_cast<std::int64_t>(pass),
          buffers.add ? 1 : 0,
          static_cast<std::int64_t>(workspace_bytes)};
}

// The shortest of some runs; infinite for an algorithm that turns out not to do this.
double time_of(Timer& timer, const ConvolutionAlgorithm& algorithm,
               const ConvolutionBuffers& buffers, void* workspace) {
  double best = std::numeric_limits<double>::infinity();
  try {
    for (int i = 0; i <= kTimed; ++i) {
      const double ns = timer.time_ns(
          false, [&](const Stream& stream) { algorithm.run(stream.get(), buffers, workspace); });
      if (i > 0) best = std::min(best, ns);
    }
  } catch (const CallFailure&) {
    return std::numeric_limits<double>::infinity();
  }
  return best;
}

}  // namespace

std::optional<ConvolutionAlgorithm> fastest_algorithm(const ConvolutionShape& shape, Pass pass,
                                                      const ConvolutionBuffers& buffers,
                                                      const Workspace& workspace) {
  static std::map<Key, std::string> found;
  std::vector<ConvolutionAlgorithm> all = convolution_algorithms(shape, pass);
  const Key key = key_of(shape, pass, buffers, workspace.bytes);
  if (const auto known = found.find(key); known != found.end()) {
    for (ConvolutionAlgorithm& algorithm : all) {
      if (algorithm.name == known->second) return std::move(algorithm);
    }
  }
  Timer timer;
  std::optional<ConvolutionAlgorithm> best;
  double best_ns = std::numeric_limits<double>::infinity();
  for (ConvolutionAlgorithm& algorithm : all) {
    if (algorithm.workspace_bytes > workspace.bytes) continue;
    const double ns = time_of(timer, algorithm, buffers, workspace.memory);
    if (ns >= best_ns) continue;
    best_ns = ns;
    best = std::move(algorithm);
  }
  if (best) found[key] = best->name;
  return best;
}

void try_out(const Runner& run) {
  const Stream stream;
  run(stream.get());
  stream.wait();
}

}  // namespace ooc::gpu
