// What ooc-paleo-gpu says of a plan that it ran.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/session/key_values.hpp"

namespace ooc {

struct ReplayIteration {
  double ns = 0;        ///< device time, first start to last end
  double issue_ns = 0;  ///< host time for queueing everything
  double host_ns = 0;   ///< host time until all of it was over
};

struct ReplaySpan {
  double start_ns = 0;  ///< in the median iteration, from the start of its first step
  double end_ns = 0;
  double median_ns = 0;  ///< duration over all iterations
  double min_ns = 0;
  double max_ns = 0;
};

struct ReplayMeasurement {
  std::string program;
  std::string backend;
  KeyValues machine;
  std::vector<ReplayIteration> iterations;
  std::vector<ReplaySpan> spans;  ///< by line of the plan
  std::vector<std::string> notes;
  std::int64_t near_bytes = 0;  ///< allocated for copies
  std::int64_t far_bytes = 0;
  double spin_overhead_ns = 0;  ///< of an empty spinning kernel, taken off every step
  bool host_bound = false;
  std::string error;  ///< why it did not run; empty: it did
};

/// The latest answer to the plan of this number; other plans and measurements may be in the text, too. Throws SpecError for
/// what is malformed or holds no answer.
[[nodiscard]] ReplayMeasurement read_replay(std::string_view text, const std::string& file,
                                            long long id, std::size_t steps);

}  // namespace ooc
