// The clock decides only when the line is drawn and what it says, never what a result says.
#include "cli/sweep/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/terminal.hpp"

namespace ooc {
namespace {

constexpr std::chrono::milliseconds kOnTerminal{200};
constexpr std::chrono::minutes kElsewhere{1};
constexpr std::size_t kWidestBar = 30;

/// "22 s", "4 min", "3 h 20 min", "12 days".
std::string time_left(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", std::ceil(seconds));
  const double minutes = std::ceil(seconds / 60);
  if (minutes < 120) return fmt::format("{:.0f} min", minutes);
  if (minutes < 48 * 60) {
    return fmt::format("{:.0f} h {:.0f} min", std::floor(minutes / 60), std::fmod(minutes, 60));
  }
  return fmt::format("{:.0f} days", std::ceil(minutes / (24 * 60)));
}

std::string rate_text(double rows_per_s) {
  if (rows_per_s >= 10) return fmt::format("{:.0f} rows/s", rows_per_s);
  if (rows_per_s >= 0.1) return fmt::format("{:.1f} rows/s", rows_per_s);
  return fmt::format("{:.1f} rows/min", 60 * rows_per_s);
}

}  // namespace

std::string advance_text(const Advance& advance) {
  std::string text = fmt::format("{} of {} rows, {} %", advance.done, advance.all,
                                 100 * advance.done / std::max<std::size_t>(advance.all, 1));
  if (advance.added == 0 || advance.spent.count() <= 0) return text;
  const double rate = static_cast<double>(advance.added) / advance.spent.count();
  const double left = static_cast<double>(advance.all - advance.done) / rate;
  return text + fmt::format(", {}, {} left", rate_text(rate), time_left(left));
}

std::string advance_bar(const Advance& advance, std::size_t width) {
  const std::size_t full = width * advance.done / std::max<std::size_t>(advance.all, 1);
  return "[" + std::string(full, '#') + std::string(width - full, '-') + "]";
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
  if (!shown_) return;
  const auto now = Clock::now();
  if (now < next_) return;
  const Advance advance{.done = done, .added = done - before_, .all = all_, .spent = now - begin_};
  const std::string text = advance_text(advance);
  if (!in_place_) {
    next_ = now + kElsewhere;
    std::fprintf(stderr, "ooc-paleo: %s\n", text.c_str());
    return;
  }
  next_ = now + kOnTerminal;
  drawn_ = true;
  const std::size_t width = width_of(STDERR_FILENO);
  const std::size_t taken = text.size() + 4;
  const std::size_t room = width == 0 ? kWidestBar : width > taken ? width - taken : 0;
  const std::string bar = advance_bar(advance, std::min(room, kWidestBar));
  std::fprintf(stderr, "\r\033[K%s %s", bar.c_str(), text.c_str());
}

}  // namespace ooc
