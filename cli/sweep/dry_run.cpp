// A sample of units, evenly apart, is run: the first row of each pays for costs and plan, those behind it for
// themselves alone. Where the units are many, the estimate is as good as they are alike.
#include "cli/sweep/dry_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "model/base/errors.hpp"
#include "model/base/quantity_io.hpp"
#include "simulator/predict/sweep_worker.hpp"

namespace ooc {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t kUnitsTried = 12;
constexpr std::size_t kRowsTried = 64;  ///< of a unit
constexpr Seconds kPatience{2};

/// Time of rows of one sort.
struct Sample {
  std::size_t rows = 0;
  Seconds time{0};

  void add(Seconds spent) {
    time += spent;
    ++rows;
  }
  /// Of so many.
  [[nodiscard]] double seconds(std::size_t of) const {
    return rows == 0 ? 0 : time.count() * static_cast<double>(of) / static_cast<double>(rows);
  }
};

struct Estimate {
  Sample costs;
  Sample first_rows;  ///< of units, with costs and plan
  Sample next_rows;
  std::size_t bytes = 0;
  [[nodiscard]] std::size_t tried() const { return first_rows.rows + next_rows.rows; }
};

Estimate try_some(const DryRun& request) {
  const SweepGrid& grid = request.grid;
  const Clock::time_point begin = Clock::now();
  Estimate estimate;
  SweepWorker worker(grid, request.inputs, [&](std::size_t row) {
    const Clock::time_point before = Clock::now();
    auto made = make_costs(grid, request.inputs, row);
    estimate.costs.add(Clock::now() - before);
    return made;
  });
  const std::size_t units = std::min(grid.units(), kUnitsTried);
  const std::size_t rows = std::min(grid.rows_of_unit(), kRowsTried);
  std::string text;
  for (std::size_t i = 0; i < units * rows && Clock::now() - begin <= kPatience; ++i) {
    const std::size_t unit = i / rows * grid.units() / units;
    const std::size_t row = unit * grid.rows_of_unit() + i % rows;
    const Clock::time_point before = Clock::now();
    text.clear();
    try {
      request.format.row(text, worker.at(row), std::nullopt);
    } catch (const SpecError& error) {
      RunReport asked;
      asked.inputs = inputs_at(grid, request.inputs, row);
      request.format.row(text, asked, error.what());
    }
    (i % rows == 0 ? estimate.first_rows : estimate.next_rows).add(Clock::now() - before);
    estimate.bytes += text.size() + request.format.between.size();
  }
  return estimate;
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

std::string counted(std::size_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

std::string time_text(double seconds) {
  if (seconds < 0.1) return "less than 0.1 s";
  if (seconds < 120) return fmt::format("about {:.1f} s", seconds);
  return seconds < 7200 ? fmt::format("about {:.0f} min", seconds / 60)
                        : fmt::format("about {:.1f} h", seconds / 3600);
}

}  // namespace

std::string dry_run(const DryRun& request) {
  const SweepGrid& grid = request.grid;
  const Estimate estimate = try_some(request);
  const std::size_t costs = grid.rows() / grid.rows_sharing(AxisLevel::kCosts);
  Sample plans = estimate.first_rows;
  plans.time -= estimate.costs.time;
  const double seconds = estimate.costs.seconds(costs) + plans.seconds(grid.units()) +
                         estimate.next_rows.seconds(grid.rows() - grid.units());
  const double bytes = static_cast<double>(estimate.bytes) * static_cast<double>(grid.rows()) /
                       static_cast<double>(estimate.tried());
  return fmt::format(
      "{}{}\n"
      "{}, {}\n"
      "{} on {} ({} run for it), about {} of {}\n"
      "nothing was written\n",
      counted(grid.rows(), "row", "rows"), lists_text(grid.lists()),
      counted(costs, "table of costs", "tables of costs"),
      counted(grid.units(), "plan to share", "plans to share"),
      time_text(seconds / request.threads), counted(request.threads, "thread", "threads"),
      counted(estimate.tried(), "row", "rows"),
      format_bytes(Bytes(static_cast<std::int64_t>(bytes))), request.format_name);
}

}  // namespace ooc
