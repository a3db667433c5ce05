// Progress and preview of a sweep. Progress: on a terminal a line, rewritten often; elsewhere a line a minute.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "cli/remarks.hpp"
#include "simulator/predict/study.hpp"

namespace ooc {

struct Advance {
  std::size_t done = 0;                   ///< number of rows written, by earlier runs too
  std::size_t added = 0;                  ///< number of rows from this run, part of `done`
  std::size_t all = 0;                    ///< number of rows of the sweep
  std::chrono::duration<double> spent{};  ///< time of this run so far
};
/// Returns "1200 of 9000 rows, 13 %, 350 rows/s, 22 s left".
[[nodiscard]] std::string advance_text(const Advance& advance);

class Progress {
 public:
  /// Shows nothing with kQuiet. `before`: number of rows from earlier runs. `all`: number of rows of the sweep.
  Progress(Remarks remarks, std::size_t before, std::size_t all);
  ~Progress();  ///< clears its line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::size_t done);
  /// Shows the last number of rows again, with rate and time left as of now.
  void show_again() { show(done_); }

 private:
  using Clock = std::chrono::steady_clock;

  bool shown_;
  bool in_place_;
  bool drawn_ = false;
  std::size_t before_;
  std::size_t done_;
  std::size_t all_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_;
};

/// Returns a preview for people: the number of rows, and the number of values of each list.
[[nodiscard]] std::string dry_run(const SweepGrid& grid);

}  // namespace ooc
