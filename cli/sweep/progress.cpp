// The clock decides only when the line is drawn and what it says, never what a result says.
#include "cli/sweep/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>

#include "model/base/errors.hpp"
#include "model/base/quantity_io.hpp"
#include "simulator/predict/sweep_worker.hpp"

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

// A sample of units, evenly apart, is run: the first row of each pays for costs and plan, those behind it for themselves
// alone. Where the units are many, the estimate is as good as they are alike.

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t kUnitsTried = 12;
constexpr std::size_t kRowsTried = 64;  ///< of a unit
constexpr Seconds kPatience{2};

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

std::string counted(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string time_text(double seconds) {
  if (seconds < 0.1) return "less than 0.1 s";
  if (seconds < 120) return fmt::format("about {:.1f} s", seconds);
  return seconds < 7200 ? fmt::format("about {:.0f} min", seconds / 60)
                        : fmt::format("about {:.1f} h", seconds / 3600);
}

}  // namespace

std::string dry_run(const SweepJob& job, std::string_view format_name) {
  const SweepGrid& grid = job.grid;
  const Clock::time_point begin = Clock::now();
  SweepWorker worker(grid, job.inputs,
                     [&](std::size_t row) { return make_costs(grid, job.inputs, row); });
  const std::size_t units = std::min(grid.units(), kUnitsTried);
  const std::size_t rows = std::min(grid.rows_of_unit(), kRowsTried);
  // Of first rows of units and of those behind them.
  Seconds spent[2] = {};
  double tried[2] = {};
  std::string text;
  for (std::size_t i = 0; i < units * rows && Clock::now() - begin <= kPatience; ++i) {
    const std::size_t row = i / rows * grid.units() / units * grid.rows_of_unit() + i % rows;
    const Clock::time_point before = Clock::now();
    try {
      job.format.row(text, worker.at(row), std::nullopt);
    } catch (const SpecError& error) {
      RunReport asked;
      asked.inputs = inputs_at(grid, job.inputs, row);
      job.format.row(text, asked, error.what());
    }
    const std::size_t sort = i % rows == 0 ? 0 : 1;
    spent[sort] += Clock::now() - before;
    ++tried[sort];
  }
  const auto seconds = [&](std::size_t sort, std::size_t of) {
    return spent[sort].count() / std::max(tried[sort], 1.0) * static_cast<double>(of);
  };
  const auto all = static_cast<double>(grid.rows());
  const double bytes = static_cast<double>(text.size()) * all / (tried[0] + tried[1]);
  return fmt::format(
      "{}{}\n{} on {} ({} run for it), about {} of {}\nnothing was written\n",
      counted(grid.rows(), "row"), lists_text(grid.lists()),
      time_text((seconds(0, grid.units()) + seconds(1, grid.rows() - grid.units())) / job.threads),
      counted(job.threads, "thread"), counted(static_cast<std::size_t>(tried[0] + tried[1]), "row"),
      format_bytes(Bytes(static_cast<std::int64_t>(bytes))), format_name);
}

}  // namespace ooc
