// Runs a grid on several threads and hands the rows out in order, the same bytes whatever the
// number of threads.
//
// Work is shared out in pieces: one unit (all but the link) and up to kLinksPerPiece links. What
// the pieces share is made once: a network's graph at the start, the costs of a (network, machine,
// batch) when its first piece comes up and until its last one is done, a plan per piece. Inside a
// piece only transfers, simulation, bounds and the row remain.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cli/pipeline.hpp"
#include "cli/sweep/grid.hpp"
#include "cli/sweep/inputs.hpp"
#include "cli/sweep/knee.hpp"
#include "cli/sweep/rows.hpp"

namespace ooc {

inline constexpr std::size_t kLinksPerPiece = 64;

struct SweepJob {
  const SweepGrid& grid;
  const SweepInputs& inputs;
  const CaseOptions& options;  ///< batch, memory and link come from the grid
  const SweepFormat& format;
  unsigned threads = 1;
};

struct SweepSink {
  /// Rows in order, in pieces; `rows` of them so far.
  std::function<void(std::string_view text, std::size_t rows)> write;
  /// Asked often; true ends the run after the pieces under way.
  std::function<bool()> stop;
};

struct SweepSummary {
  std::size_t rows = 0;     ///< written
  std::size_t fitting = 0;  ///< of them
  std::vector<Knee> knees;  ///< of the units whose rows are all written, where there are >= 2 links
};

[[nodiscard]] SweepSummary run_sweep(const SweepJob& job, const SweepSink& sink);

}  // namespace ooc
