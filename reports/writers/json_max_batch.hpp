// The part of the JSON writer that is about the largest batches, in a file of its own.
#pragma once

#include <string>

#include "reports/writers/writer.hpp"
#include "simulator/summary/max_batch_report.hpp"

namespace ooc {

[[nodiscard]] std::string json_max_batch(const MaxBatchReport& report, const WriteOptions& options);

}  // namespace ooc
