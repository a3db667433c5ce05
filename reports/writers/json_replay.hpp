// The part of the JSON writer that is about replays, in a file of its own.
#pragma once

#include <string>

#include "reports/writers/writer.hpp"
#include "simulator/summary/replay_report.hpp"

namespace ooc {

[[nodiscard]] std::string json_replay(const ReplayReport& report, const WriteOptions& options);

}  // namespace ooc
