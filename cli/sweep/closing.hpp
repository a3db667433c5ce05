// What a sweep says when it has come to its end.
#pragma once

#include <cstddef>
#include <string>

#include "simulator/predict/sweep.hpp"

namespace ooc {

/// "8 rows: 5 ran, 2 do not fit (2 lack near memory), 1 cannot be worked out, the first because of ..."; `before` of
/// them are an earlier run's.
[[nodiscard]] std::string closing_line(const SweepSummary& summary, std::size_t before);

}  // namespace ooc
