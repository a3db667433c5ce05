// Tables of measured operations: a row for each kernel or pass of a recurrent layer, with its
// measured and modelled time. docs/calibration.md, "Tables of operations", lists the columns.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/precision.hpp"
#include "model/kernels/platform.hpp"

namespace ooc {

struct MeasuredOperation {
  std::size_t line = 0;  ///< number of the row's line in the table
  std::string kind;      ///< as in the table: "conv", "product", "recurrent", "streaming"
  std::string pass;      ///< as in the table, such as "forward"
  Dtype dtype = Dtype::kFloat32;
  double seconds = 0;  ///< measured time
  /// Returns the modelled time in seconds of the kernels on a platform, without the overhead of measuring.
  std::function<double(const KernelPlatform&)> price;
};

/// Returns the rows. Throws SpecError with file, line and column, also for several machines. `cudnn`: rows' default.
[[nodiscard]] std::vector<MeasuredOperation> read_operations(std::string_view text,
                                                             const std::string& file,
                                                             std::pair<int, int> cudnn = {9, 0});

}  // namespace ooc
