// Runs a grid on several threads and hands the rows out in order, the same bytes whatever the
// number of threads.
//
// Work is shared out in pieces: up to kRowsPerPiece rows of one unit (study.hpp). What rows share is
// made once: a network's graph at the start, costs when their first piece comes up and until their last one is
// written, a plan by each thread that works on its unit. Then only prices of copies, simulation, bounds and the row
// remain. A row that cannot be worked out (a batch
// whose sums are too large to count, say) is a row that says so.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/errors.hpp"
#include "simulator/predict/knee.hpp"
#include "simulator/predict/study.hpp"

namespace ooc {

inline constexpr std::size_t kRowsPerPiece = 64;

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
  /// Of lines of at least two links whose rows are all written by this run: the first of them.
  std::vector<Knee> knees;
  std::size_t knees_in_all = 0;
  /// Not all rows are written. Threads may still be at work on what the job refers to, for however long one
  /// row takes: the caller ends the process, without giving any of it up.
  bool stopped = false;
};

struct SweepJob {
  const SweepGrid& grid;
  const SweepInputs& inputs;
  RowFormat format;
  unsigned threads = 1;
  std::size_t most_knees = std::numeric_limits<std::size_t>::max();
  RowRange range = {};  ///< what is wanted of the grid
};

struct SweepSink {
  /// Rows in pieces, in their order, and what all so far amount to.
  std::function<void(std::string_view text, const SweepSummary& so_far)> write;
  /// Asked often; true ends the run.
  std::function<bool()> stop;
};

[[nodiscard]] SweepSummary run_sweep(const SweepJob& job, const SweepSink& sink);

}  // namespace ooc
