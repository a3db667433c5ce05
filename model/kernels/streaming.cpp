// bytes / (near rate x share) x the software's factor + the cost of each kernel.
#include "model/kernels/streaming.hpp"

#include <cmath>

namespace ooc {
namespace {

constexpr double kIssueSharpness = 4;
constexpr double kNsPerSecond = 1e9;

}  // namespace

double streaming_seconds(const StreamingKernel& kernel, const KernelPlatform& platform) {
  return kernel.bytes * platform.software.elementwise_factor / streaming_rate(platform) +
         kernel.kernels * platform.architecture.elementwise_kernel_seconds;
}

double pass_seconds(double device_seconds, double layers, const KernelPlatform& platform) {
  const double host = layers * static_cast<double>(platform.software.issue.count()) / kNsPerSecond;
  if (host == 0) return device_seconds;
  return std::pow(std::pow(device_seconds, kIssueSharpness) + std::pow(host, kIssueSharpness),
                  1 / kIssueSharpness);
}

}  // namespace ooc
