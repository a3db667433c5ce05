// "1200 of 9000 rows" on a terminal, rewritten in place a few times a second.
#pragma once

#include <chrono>
#include <cstddef>

#include "cli/remarks.hpp"

namespace ooc {

class Progress {
 public:
  /// Shows nothing when standard error is no terminal or remarks are not wanted.
  Progress(Remarks remarks, std::size_t total);
  ~Progress();  ///< clears its line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::size_t done);

 private:
  bool shown_;
  bool drawn_ = false;
  std::size_t total_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace ooc
