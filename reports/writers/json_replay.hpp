// The part of the JSON writer that is about replays, in a file of its own.
#pragma once

#include <string>

#include "reports/summary/replay_report.hpp"
#include "reports/writers/writer.hpp"

namespace ooc {

[[nodiscard]] std::string json_replay(const ReplayReport& report, const WriteOptions& options);

}  // namespace ooc
