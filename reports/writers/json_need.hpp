// The part of the JSON writer that is about what a job needs, in a file of its own.
#pragma once

#include <string>

#include "reports/writers/writer.hpp"
#include "simulator/summary/need_report.hpp"

namespace ooc {

[[nodiscard]] std::string json_need(const NeedReport& report, const WriteOptions& options);

}  // namespace ooc
