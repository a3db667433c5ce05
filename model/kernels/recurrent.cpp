// A step is a small product; persistent kernels keep the weights on chip, which the factors below 1
// of newer architectures stand for.
#include "model/kernels/recurrent.hpp"

#include "model/kernels/product.hpp"

namespace ooc {
namespace {

constexpr std::pair<int, int> kPersistent{7, 0};
constexpr std::pair<int, int> kSlowGru{6, 0};  // backward, in this version alone

double gates_of(RecurrentCellKind cell) {
  switch (cell) {
    case RecurrentCellKind::kVanilla:
      return 1;
    case RecurrentCellKind::kLstm:
      return 4;
    case RecurrentCellKind::kGru:
      return 3;
  }
  return 1;
}

}  // namespace

RecurrentTimes recurrent_times(const RecurrentKernel& kernel, const KernelPlatform& platform) {
  const RecurrentParameters& numbers = platform.architecture.recurrent;
  const std::pair<int, int> cudnn = platform.software.cudnn;
  const double rows = gates_of(kernel.cell) * kernel.hidden;
  const double columns = kernel.batch * kernel.steps;
  const auto product = [&](double m, double n, double k) {
    return linear_work_seconds({m, n, k}, kernel.dtype, platform);
  };
  // Gates of a step are written and read, beside three states.
  const double gates = static_cast<double>(dtype_info(kernel.dtype).bytes) * kernel.hidden *
                       kernel.batch * (2 * gates_of(kernel.cell) + 3) / streaming_rate(platform);
  double forward = numbers.forward;
  double backward = numbers.backward;
  if (cudnn < kPersistent) {
    forward *= numbers.old_forward;
    backward *= numbers.old_backward;
    if (kernel.cell == RecurrentCellKind::kGru && cudnn >= kSlowGru) {
      backward *= numbers.old_gru_backward;
    }
  }
  RecurrentTimes times;
  times.forward = kernel.steps * (product(rows, kernel.batch, kernel.hidden) * forward + gates +
                                  numbers.step_seconds);
  times.backward_data = kernel.steps * (product(kernel.hidden, kernel.batch, rows) * backward +
                                        2 * gates + numbers.step_seconds);
  times.backward_weights = product(rows, kernel.hidden, columns);
  if (kernel.features > 0) {
    times.forward += product(rows, columns, kernel.features);
    times.backward_data += product(kernel.features, columns, rows);
    times.backward_weights += product(rows, kernel.features, columns);
  }
  return times;
}

}  // namespace ooc
