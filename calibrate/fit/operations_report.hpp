// What a fit to measured operations came to, as text: errors before and after, on the rows that fit and on those
// held out, and the numbers.
#pragma once

#include <string>

#include "calibrate/fit/operations_fit.hpp"

namespace ooc {

struct OperationsReport {
  const OperationsFit& fit;
  const FitParameters& before;
  std::string table;  ///< "ops.csv"
};

/// Lines of text, the last one ended.
[[nodiscard]] std::string operations_report(const OperationsReport& report);

}  // namespace ooc
