// Derived rates.
#include "model/kernels/platform.hpp"

namespace ooc {

double sustained_rate(const KernelPlatform& platform, Dtype dtype) {
  const auto i = static_cast<std::size_t>(dtype);
  const double own = platform.machine.sustained[i];
  double share = own > 0 ? own : platform.architecture.sustained[i];
  // Nobody's float8 products were fitted: as well used as bfloat16's.
  if (share == 0 && dtype == Dtype::kFloat8) {
    share = platform.architecture.sustained[static_cast<std::size_t>(Dtype::kBfloat16)];
  }
  // Its own units, as well used as float32's.
  if (share == 0 && dtype == Dtype::kFloat64) {
    share = platform.architecture.sustained[static_cast<std::size_t>(Dtype::kFloat32)];
  }
  return platform.machine.peak[i].per_second * share;
}

double streaming_rate(const KernelPlatform& platform) {
  return static_cast<double>(platform.machine.near_rate.count()) * platform.architecture.near_share;
}

bool on_tensor_cores(const KernelPlatform& platform, Dtype dtype) {
  if (!platform.architecture.tensor || !(sustained_rate(platform, dtype) > 0)) return false;
  switch (dtype) {
    case Dtype::kTf32:
    case Dtype::kFloat16:
    case Dtype::kBfloat16:
    case Dtype::kFloat8:
      return true;
    case Dtype::kFloat64:
    case Dtype::kFloat32:
      return false;
  }
  return false;
}

Dtype simt_dtype(Dtype dtype) {
  return dtype == Dtype::kFloat64 ? Dtype::kFloat64 : Dtype::kFloat32;
}

// bytes / (near rate x share) x the software's factor + the cost of each kernel.

double streaming_seconds(const StreamingKernel& kernel, const KernelPlatform& platform) {
  return kernel.bytes * platform.software.factor(kernel.kind) / streaming_rate(platform) +
         kernel.kernels * platform.architecture.elementwise_kernel_seconds;
}

}  // namespace ooc
