// Tables of measured operations: one row a kernel (or one pass of a recurrent layer) with its time, on
// any number of GPUs. docs/calibration.md, "Tables of operations", has the columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/convolution_shape.hpp"
#include "model/base/dtype.hpp"
#include "model/kernels/product.hpp"
#include "model/kernels/recurrent.hpp"

namespace ooc {

enum class OperationKind { kConvolution, kProduct, kRecurrent, kStreaming };
enum class OperationPass { kForward, kBackwardData, kBackwardWeights, kBackward };

struct MeasuredOperation {
  std::size_t line = 0;  ///< of the table
  std::string gpu;       ///< empty: the table names none
  std::string source;    ///< rows of one share what their measuring adds to each time
  OperationKind kind = OperationKind::kConvolution;
  OperationPass pass = OperationPass::kForward;
  Dtype dtype = Dtype::kFloat32;
  std::pair<int, int> cudnn{9, 0};
  bool heuristic = false;  ///< the library chose the kernel by a rule, not by timing
  double seconds = 0;
  ConvolutionShape shape;  ///< convolutions
  double batch = 1;        ///< convolutions
  Product product;
  RecurrentKernel recurrent;
  double bytes = 0;              ///< streaming
  std::uint64_t shape_hash = 0;  ///< of the sizes alone: equal for all GPUs, types and passes
};

/// Throws SpecError naming file, line and column. `cudnn`: of rows that do not say.
[[nodiscard]] std::vector<MeasuredOperation> read_operations(std::string_view text,
                                                             const std::string& file,
                                                             std::pair<int, int> cudnn = {9, 0});

/// The fifth of the shapes that judges and does not fit.
[[nodiscard]] inline bool is_held_out(const MeasuredOperation& operation) {
  return operation.shape_hash % 5 == 0;
}

}  // namespace ooc
