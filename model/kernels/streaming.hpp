// Cost of kernels bound by memory: element-wise, norms, pools, sums of gradients, softmax, copies,
// updates. docs/model.md, 1.2.
#pragma once

#include "model/kernels/platform.hpp"

namespace ooc {

struct StreamingKernel {
  double bytes = 0;    ///< bytes read and written
  double kernels = 1;  ///< number of launches
  StreamingKind kind = StreamingKind::kElementwise;
};

[[nodiscard]] double streaming_seconds(const StreamingKernel& kernel,
                                       const KernelPlatform& platform);

}  // namespace ooc
