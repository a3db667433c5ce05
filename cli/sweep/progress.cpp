// The clock decides only when the line is drawn and what it says, never what a result says.
#include "cli/sweep/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ooc {
namespace {

constexpr std::chrono::milliseconds kOnTerminal{200};
constexpr std::chrono::minutes kElsewhere{1};

/// "22 s", "4 min", "3.3 h".
std::string time_left(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 7200) return fmt::format("{:.0f} min", std::ceil(seconds / 60));
  return fmt::format("{:.1f} h", seconds / 3600);
}

/// "2 networks x 3 values of --batch"; zipped "3 steps of NETWORK, --batch".
std::string lists_text(const SweepLists& lists) {
  std::string text;
  for (std::size_t i = 0; i < lists.values.size(); ++i) {
    if (lists.values[i].size() < 2) continue;
    if (!text.empty()) text += lists.zip ? ", " : " x ";
    text += lists.zip ? std::string(axis_kinds()[i].flag)
                      : fmt::format("{} of {}", lists.values[i].size(), axis_kinds()[i].flag);
  }
  return text.empty() ? "" : lists.zip ? ": zipped " + text : ": " + text;
}

}  // namespace

std::string advance_text(const Advance& advance) {
  std::string text = fmt::format("{} of {} rows, {} %", advance.done, advance.all,
                                 100 * advance.done / std::max<std::size_t>(advance.all, 1));
  if (advance.added == 0 || advance.spent.count() <= 0) return text;
  const double rate = static_cast<double>(advance.added) / advance.spent.count();
  const double left = static_cast<double>(advance.all - advance.done) / rate;
  const std::string shown = rate < 0.1 ? fmt::format("{:.1f} rows/min", 60 * rate)
                                       : fmt::format("{:.{}f} rows/s", rate, rate < 10 ? 1 : 0);
  return text + fmt::format(", {}, {} left", shown, time_left(left));
}

Progress::Progress(Remarks remarks, std::size_t before, std::size_t all)
    : shown_(remarks == Remarks::kShown),
      in_place_(isatty(STDERR_FILENO) != 0),
      before_(before),
      done_(before),
      all_(all),
      next_(begin_ + (in_place_ ? Clock::duration(kOnTerminal) : Clock::duration(kElsewhere))) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::show(std::size_t done) {
  done_ = done;
  const auto now = Clock::now();
  if (!shown_ || now < next_) return;
  const std::string text =
      advance_text({.done = done, .added = done - before_, .all = all_, .spent = now - begin_});
  next_ = now + (in_place_ ? Clock::duration(kOnTerminal) : Clock::duration(kElsewhere));
  drawn_ = in_place_;
  std::fprintf(stderr, in_place_ ? "\r\033[K%s" : "ooc-paleo: %s\n", text.c_str());
}

std::string dry_run(const SweepGrid& grid) {
  return fmt::format("{} row{}{}\nnothing was written\n", grid.rows(), grid.rows() == 1 ? "" : "s",
                     lists_text(grid.lists()));
}

}  // namespace ooc
