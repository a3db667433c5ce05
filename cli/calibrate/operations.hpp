// Tables of measured operations: one row a kernel (or one pass of a recurrent layer) with its time, and what the model says
// that it takes. docs/calibration.md, "Tables of operations", has the columns.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/dtype.hpp"
#include "model/kernels/platform.hpp"

namespace ooc {

struct MeasuredOperation {
  std::size_t line = 0;  ///< of the table
  std::string kind;      ///< as in the table: "conv", "product", "recurrent", "streaming"
  std::string pass;
  Dtype dtype = Dtype::kFloat32;
  double seconds = 0;
  /// Of the kernels themselves, without what measuring them adds.
  std::function<double(const KernelPlatform&)> price;
};

/// Throws SpecError naming file, line and column, also where rows are of several machines. `cudnn`: of rows that do not say.
[[nodiscard]] std::vector<MeasuredOperation> read_operations(std::string_view text,
                                                             const std::string& file,
                                                             std::pair<int, int> cudnn = {9, 0});

}  // namespace ooc
