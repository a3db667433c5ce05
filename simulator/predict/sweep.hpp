// Runs a grid on several threads and hands the rows out in order, the same bytes whatever the
// number of threads.
//
// Work is shared out in pieces: one unit (all but the link) and up to kLinksPerPiece links. What
// the pieces share is made once: a network's graph at the start, the costs of a (network, machine,
// batch) when its first piece comes up and until its last one is done, a plan per piece. Inside a
// piece only transfers, simulation, bounds and the row remain. A row that cannot be worked out (a batch
// whose sums are too large to count, say) is a row that says so.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/errors.hpp"
#include "simulator/predict/knee.hpp"
#include "simulator/predict/study.hpp"

namespace ooc {

inline constexpr std::size_t kLinksPerPiece = 64;

/// How rows become text, on the threads that work them out.
struct RowFormat {
  void (*row)(std::string& out, const RunReport& report);
  /// The row of a configuration that could not be worked out.
  void (*failure)(std::string& out, const RunInputs& inputs, std::string_view error);
  std::string_view between;
};

/// Rows begin ... end - 1 of the grid's order.
struct RowRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

struct SweepSummary {
  std::size_t rows = 0;                            ///< written
  std::size_t fitting = 0;                         ///< of them
  std::map<std::string, std::size_t> lacking;      ///< rows that do not fit, by what they lack
  std::size_t failed = 0;                          ///< rows that could not be worked out
  std::shared_ptr<const SpecError> first_failure;  ///< why
  /// Of the units whose rows are all written, where there are >= 2 links; of one that only begins behind an end of
  /// the range none.
  std::vector<Knee> knees;
  /// Not all rows are written. Threads may still be at work on what the job refers to, for however long one
  /// row takes: the caller ends the process, without giving any of it up.
  bool stopped = false;
};

struct SweepJob {
  const SweepGrid& grid;
  const SweepInputs& inputs;
  const CaseOptions& options;  ///< batch, memory and link come from the grid
  const RowFormat& format;
  unsigned threads = 1;
  RowRange range;            ///< what is wanted of the grid
  SweepSummary before = {};  ///< of the first rows of it, which are there already
};

struct SweepSink {
  /// Rows in pieces, and what all so far amount to, those before included.
  std::function<void(std::string_view text, const SweepSummary& so_far)> write;
  /// Asked often; true ends the run.
  std::function<bool()> stop;
  /// Whether rows that were finished ahead of others when the run was stopped are wanted too, out of order.
  bool takes_rows_ahead = true;
};

[[nodiscard]] SweepSummary run_sweep(const SweepJob& job, const SweepSink& sink);

}  // namespace ooc
