// The clock decides only when the line is redrawn, never what a result says.
#include "cli/sweep/progress.hpp"

#include <unistd.h>

#include <cstdio>

namespace ooc {
namespace {

constexpr std::chrono::milliseconds kBetween{200};

}  // namespace

Progress::Progress(Remarks remarks, std::size_t total)
    : shown_(remarks == Remarks::kShown && isatty(STDERR_FILENO) != 0),
      total_(total),
      next_(std::chrono::steady_clock::now() + kBetween) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::show(std::size_t done) {
  if (!shown_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kBetween;
  drawn_ = true;
  std::fprintf(stderr, "\r\033[K%zu of %zu rows, %zu %%", done, total_, 100 * done / total_);
}

}  // namespace ooc
