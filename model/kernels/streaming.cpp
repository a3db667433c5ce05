// bytes / (near rate x share) x the software's factor + the cost of each kernel.
#include "model/kernels/streaming.hpp"

namespace ooc {
double streaming_seconds(const StreamingKernel& kernel, const KernelPlatform& platform) {
  return kernel.bytes * platform.software.factor(kernel.kind) / streaming_rate(platform) +
         kernel.kernels * platform.architecture.elementwise_kernel_seconds;
}

}  // namespace ooc
