// What `need` says as plain data: for every schedule the smallest link, memory or rate with which the job is
// as fast as asked, or why there is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/summary/run_report.hpp"

namespace ooc {

enum class Needed {
  kLink,        ///< both directions
  kLinkToFar,   ///< the other direction as the job has it
  kLinkToNear,  ///< the same
  kNearMemory,  ///< the budget, as --memory takes it
  kFarMemory,   ///< its capacity
  kFarThroughput,
};
/// All of them, between bars: the words of the command line.
inline constexpr std::string_view kNeededWords =
    "link|link-to-far|link-to-near|near-memory|far-memory|far-throughput";
/// One of those words.
[[nodiscard]] std::string_view needed_word(Needed what);
[[nodiscard]] std::optional<Needed> needed_named(std::string_view word);
/// Bytes a second; else bytes.
[[nodiscard]] bool is_rate(Needed what);

struct NeedRow {
  std::string schedule;
  std::optional<std::int64_t> value;  ///< bytes/s or bytes; 0: any
  std::string reason = {};            ///< a name: why there is none, or why any will do; else empty
  std::string reason_text = {};       ///< the same for people
  /// The lower end does not do, the upper one, which is `value`, does.
  std::optional<std::pair<std::int64_t, std::int64_t>> bracket = {};
  /// At `value`; where there is none, with as much as there can be. None: could not be worked out.
  std::optional<RunReport> run = {};
  int attempts = 0;  ///< values tried
};

struct NeedReport {
  RunInputs inputs;  ///< without schedule and options; of what is asked for as the job has it
  Needed what = Needed::kLink;
  std::optional<Duration> time;  ///< that is not to be exceeded; none: `within` decides
  Ratio within;                  ///< of the reference, above it
  Duration reference_time;
  std::int64_t now = 0;  ///< what the job has; of two directions the slower one
  std::vector<NeedRow> rows;
  std::vector<std::string> assumed;
  std::vector<std::string> remarks;
};

/// Indices of the rows: the smallest value first, then the quickest; without a value last.
[[nodiscard]] std::vector<std::size_t> best_first(const NeedReport& report);

}  // namespace ooc
