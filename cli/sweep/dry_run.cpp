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

/// Time and text of rows of one sort.
struct Sample {
  std::size_t rows = 0;
  Seconds time{0};

  [[nodiscard]] double seconds() const {
    return rows == 0 ? 0 : time.count() / static_cast<double>(rows);
  }
};

class Sampler {
 public:
  explicit Sampler(const DryRun& request)
      : request_(request), worker_(request.grid, request.inputs, [this](std::size_t row) {
          const Clock::time_point begin = Clock::now();
          auto made = make_costs(request_.grid, request_.inputs, row);
          costs_.time += Clock::now() - begin;
          ++costs_.rows;
          return made;
        }) {}

  void run() {
    const SweepGrid& grid = request_.grid;
    const std::size_t units = std::min(grid.units(), kUnitsTried);
    const Clock::time_point begin = Clock::now();
    for (std::size_t i = 0; i < units; ++i) {
      const std::size_t first = i * grid.units() / units * grid.rows_of_unit();
      const std::size_t rows = std::min(grid.rows_of_unit(), kRowsTried);
      for (std::size_t row = 0; row < rows; ++row) {
        run_row(first + row, row == 0 ? first_rows_ : next_rows_);
        if (Clock::now() - begin > kPatience) return;
      }
    }
  }

  /// Of all rows, on one thread.
  [[nodiscard]] double seconds() const {
    const SweepGrid& grid = request_.grid;
    const auto units = static_cast<double>(grid.units());
    const std::size_t shares = grid.rows() / grid.rows_sharing(AxisLevel::kCosts);
    const double all_costs = static_cast<double>(shares) * costs_.seconds();
    const Seconds first = first_rows_.time - costs_.time;
    const double plans =
        first_rows_.rows == 0 ? 0 : units * first.count() / static_cast<double>(first_rows_.rows);
    return all_costs + plans + (static_cast<double>(grid.rows()) - units) * next_rows_.seconds();
  }
  [[nodiscard]] double bytes() const {
    return static_cast<double>(request_.grid.rows()) * static_cast<double>(bytes_) /
           static_cast<double>(tried());
  }
  [[nodiscard]] std::size_t tried() const { return first_rows_.rows + next_rows_.rows; }

 private:
  void run_row(std::size_t row, Sample& sample) {
    const Clock::time_point begin = Clock::now();
    text_.clear();
    try {
      request_.format.row(text_, worker_.at(row));
    } catch (const SpecError& error) {
      request_.format.failure(text_, inputs_at(request_.grid, request_.inputs, row), error.what());
    }
    sample.time += Clock::now() - begin;
    ++sample.rows;
    bytes_ += text_.size() + request_.format.between.size();
  }

  const DryRun& request_;
  Sample costs_;
  Sample first_rows_;
  Sample next_rows_;
  std::string text_;
  std::size_t bytes_ = 0;
  SweepWorker worker_;
};

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
  Sampler sampler(request);
  sampler.run();
  return fmt::format(
      "{}{}\n"
      "{}, {}\n"
      "{} on {} ({} run for it), about {} of {}\n"
      "nothing was written\n",
      counted(grid.rows(), "row", "rows"), lists_text(grid.lists()),
      counted(grid.rows() / grid.rows_sharing(AxisLevel::kCosts), "table of costs",
              "tables of costs"),
      counted(grid.units(), "plan to share", "plans to share"),
      time_text(sampler.seconds() / request.threads), counted(request.threads, "thread", "threads"),
      counted(sampler.tried(), "row", "rows"),
      format_bytes(Bytes(static_cast<std::int64_t>(sampler.bytes()))), request.format_name);
}

}  // namespace ooc
