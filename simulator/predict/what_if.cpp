// Each run is planned anew, so a schedule may use the better machine differently. A gain can be
// negative: on graphs with skip connections more memory can, rarely, make a schedule slower
// (docs/model.md).
#include "simulator/predict/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "model/base/errors.hpp"
#include "model/base/quantity_io.hpp"
#include "simulator/predict/moving_plan.hpp"
#include "simulator/predict/scheduled_case.hpp"

namespace ooc {
namespace {

constexpr Ratio kTwo{2 * kOne.count()};

/// Five quarters, without leaving 63 bits.
Bytes quarter_more(Bytes bytes) {
  return Bytes(static_cast<std::int64_t>(
      std::min<Int128>(Int128{bytes.count()} * 5 / 4, Int128{kMaxTotalBytes})));
}

}  // namespace

std::optional<Duration> iteration_time_of(const Workload& workload, const Machine& machine,
                                          const CaseOptions& options, const Schedule& schedule) {
  const Case which = make_case(workload, machine, options);
  const CaseRun run = run_case(which, schedule, Bounds::kNone);
  const Timeline* timeline = run.timeline();
  return timeline == nullptr ? std::nullopt : std::optional(timeline->iteration_time);
}

namespace {

struct Rerun {
  const Workload& workload;
  const Machine& machine;
  const Schedule& schedule;
  const RunReport& report;
  std::vector<WhatIf> results;

  void add(std::string change, const CaseOptions& other) {
    WhatIf result{.change = std::move(change),
                  .iteration_time = iteration_time_of(workload, machine, other, schedule),
                  .gain = 0};
    if (result.iteration_time && report.iteration_time.count() > 0) {
      result.gain = 1 - static_cast<double>(result.iteration_time->count()) /
                            static_cast<double>(report.iteration_time.count());
    }
    results.push_back(std::move(result));
  }
};

}  // namespace

std::vector<WhatIf> what_if(const Workload& workload, const Machine& machine,
                            const CaseOptions& options, const Schedule& schedule,
                            const RunReport& report) {
  Rerun rerun{workload, machine, schedule, report, {}};
  if (!report.feasible) return {};

  CaseOptions link = options;
  link.transfers.link_scale = kTwo;
  rerun.add("link x 2", link);
  CaseOptions memory = options;
  memory.memory = quarter_more(budget_of(options, machine.profile));
  rerun.add("memory x 1.25", memory);
  CaseOptions compute = options;
  compute.compute_scale = Ratio(2 * options.compute_scale.value_or(kOne).count());
  rerun.add("compute x 2", compute);
  if (report.state && report.state->far_updates > 0) {
    const BytesPerSecond rate =
        far_compute_of(machine.profile, options.transfers, options.state, options.far_compute)
            .throughput;
    if (rate != kInfiniteRate) {
      CaseOptions far = options;
      far.far_compute = BytesPerSecond(2 * rate.count());
      rerun.add("far updates x 2", far);
    }
  }
  return std::move(rerun.results);
}

// Both directions go to the same end together: what a report measured low in one it tends to have low in
// the other, and a range that holds for every mixture would say less about any machine.

namespace {

/// One in this many: less is not worth a remark.
constexpr std::int64_t kSame = 1000;

/// What is fetched ahead may still be missing, and then faults.
std::vector<std::string> modes_in_use(const RunInputs& inputs) {
  if (inputs.mode == "unified_prefetch") return {inputs.mode, "unified_fault"};
  return {inputs.mode};
}

/// Calls visit(dotted path, straight line) for the rates of the modes in use that have a range.
template <class Its, class Visit>
void for_each_ranged(Its& connection, const RunInputs& inputs, Visit visit) {
  for (const std::string& name : modes_in_use(inputs)) {
    const auto mode = connection.modes.find(name);
    if (mode == connection.modes.end()) continue;
    const std::string path = "connection.modes." + name + ".";
    for (auto& [direction, line] :
         {std::pair("to_near", &mode->second.to_near), std::pair("to_far", &mode->second.to_far)}) {
      auto* straight = std::get_if<StraightLine>(line);
      if (straight != nullptr && straight->range) visit(path + direction, *straight);
    }
  }
}

/// Also none where --duplex suits the job's rates, but not this machine's.
std::optional<Duration> time_on(const Workload& workload, const Machine& machine,
                                const CaseOptions& options, const Schedule& schedule) {
  try {
    return iteration_time_of(workload, machine, options, schedule);
  } catch (const SpecError&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<TimeRange> range_of_time(const Workload& workload, const Machine& machine,
                                       const CaseOptions& options, const Schedule& schedule,
                                       const RunReport& report) {
  if (!report.feasible || options.transfers.link) return std::nullopt;
  TimeRange range{.rates = {}, .least = report.iteration_time, .most = report.iteration_time};
  Machine low = machine;
  Machine high = machine;
  for_each_ranged(low.profile.connection, report.inputs,
                  [&](const std::string& what, StraightLine& line) {
                    range.rates.push_back({what, line.range->lowest, line.range->highest});
                    line.throughput = line.range->lowest;
                  });
  if (range.rates.empty()) return std::nullopt;
  for_each_ranged(
      high.profile.connection, report.inputs,
      [](const std::string&, StraightLine& line) { line.throughput = line.range->highest; });
  for (const Machine* end : {&low, &high}) {
    const auto time = time_on(workload, *end, options, schedule);
    if (!time) return std::nullopt;
    range.least = std::min(range.least, *time);
    range.most = std::max(range.most, *time);
  }
  if ((range.most - range.least).count() <= report.iteration_time.count() / kSame) {
    return std::nullopt;
  }
  return range;
}

std::string ranges_remark(const HardwareProfile& hardware, const std::vector<RunReport>& reports) {
  std::vector<std::string> rates;
  for (const RunReport& report : reports) {
    if (!report.feasible || report.inputs.link || report.to_far + report.to_near == Bytes(0))
      continue;
    for_each_ranged(
        hardware.connection, report.inputs, [&](const std::string& what, const StraightLine& line) {
          std::string rate = fmt::format("{} {} to {}", what, format_rate(line.range->lowest),
                                         format_rate(line.range->highest));
          if (std::find(rates.begin(), rates.end(), rate) == rates.end()) {
            rates.push_back(std::move(rate));
          }
        });
  }
  if (rates.empty()) return "";
  return fmt::format("reports of the link's rate differ, {}; predict has the range of its answer",
                     fmt::join(rates, ", "));
}

}  // namespace ooc
