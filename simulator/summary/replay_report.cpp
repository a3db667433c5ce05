// Works out what predicted and measured differ in. Sums are over the iteration whose time is the
// median one, because only within one iteration do busy time and stalls add up; the deviation of a
// single step is that of its median duration, which one interrupt cannot shift.
#include "simulator/summary/replay_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "model/base/errors.hpp"
#include "simulator/plan/plan_text.hpp"

namespace ooc {
namespace {

constexpr std::array<std::string_view, 4> kWorkNames{"compute", "recompute", "to_far", "to_near"};

std::size_t work_of(const Step& step) {
  switch (step.kind) {
    case StepKind::kCompute:
      return step.recompute ? 1 : 0;
    case StepKind::kToFar:
      return 2;
    case StepKind::kToNear:
      return 3;
    case StepKind::kFarCompute:  // refused before
      break;
  }
  return 0;
}

template <class Item>
Duration median_by(const std::vector<Item>& items, Duration Item::*member) {
  std::vector<std::int64_t> values;
  values.reserve(items.size());
  for (const Item& item : items) values.push_back((item.*member).count());
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  if (values.size() % 2 == 1) return Duration(values[middle]);
  return Duration(values[middle - 1] + (values[middle] - values[middle - 1]) / 2);
}

double share_of(Duration part, Duration whole) {
  if (whole.count() == 0) return 0;
  return static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

void add_iterations(ReplayReport& report, const Timeline& predicted) {
  const std::vector<MeasuredRun::Iteration>& all = report.run.iterations;
  OOC_CHECK(!all.empty(), "a run has at least one iteration");
  report.iteration = {predicted.iteration_time, median_by(all, &MeasuredRun::Iteration::time)};
  report.issue = median_by(all, &MeasuredRun::Iteration::issue);
  report.host = median_by(all, &MeasuredRun::Iteration::host);
  const auto [least, most] = std::minmax_element(
      all.begin(), all.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  report.min = least->time;
  report.max = most->time;
  report.spread = share_of(report.max - report.min, report.iteration.measured);
  report.error =
      share_of(report.iteration.predicted - report.iteration.measured, report.iteration.measured);
}

void add_causes(ReplayReport& report, const Timeline& predicted, const Timeline& measured) {
  report.median_iteration = measured.iteration_time;
  report.busy = {predicted.busy, measured.busy};
  for (std::size_t i = 0; i < kStallCauses; ++i) {
    report.stalls[i] = {predicted.stall_totals[i], measured.stall_totals[i]};
  }
}

void add_steps(ReplayReport& report, const ReplayInput& input) {
  OOC_CHECK(report.run.steps.size() == input.plan.steps.size(), "a measured time for each step");
  for (std::size_t i = 0; i < kWorkNames.size(); ++i) report.work[i].name = kWorkNames[i];
  for (std::size_t i = 0; i < input.plan.steps.size(); ++i) {
    const Step& step = input.plan.steps[i];
    const std::size_t kind = work_of(step);
    ReplayStepReport row;
    row.kind = kWorkNames[kind];
    row.queue = kind == 1 ? kWorkNames[0] : kWorkNames[kind];
    row.name = step_name(input.plan, input.graph, make_id<StepId>(i));
    row.predicted = input.predicted.spans[i];
    row.measured = input.measured.spans[i];
    row.median = report.run.steps[i].median;
    row.min = report.run.steps[i].min;
    row.max = report.run.steps[i].max;
    if (step.kind != StepKind::kCompute) {
      row.bytes = input.costs.tensor_bytes[static_cast<std::size_t>(step.object)];
    }
    ReplayWork& work = report.work[kind];
    ++work.steps;
    work.bytes += row.bytes;
    const Compared<Duration> time{row.predicted.end - row.predicted.start,
                                  row.measured.end - row.measured.start};
    work.time.predicted += time.predicted;
    work.time.measured += time.measured;
    (time.difference() > Duration(0) ? work.longer : work.shorter) += time.difference();
    report.steps.push_back(std::move(row));
  }
}

}  // namespace

bool ReplayReport::within_tolerance() const {
  return !tolerance.has_value() || std::abs(error) <= *tolerance;
}

ReplayReport summarize_replay(ReplayInput input) {
  ReplayReport report;
  report.inputs = input.inputs;
  report.mode = std::move(input.mode);
  report.imported = input.imported;
  report.run = std::move(input.run);
  report.tolerance = input.tolerance;
  add_iterations(report, input.predicted);
  add_causes(report, input.predicted, input.measured);
  add_steps(report, input);
  report.run.steps.clear();
  report.budget = input.inputs.memory;
  report.static_bytes = input.plan.static_bytes;
  report.peak_near = {input.predicted.peak_near, input.measured.peak_near};
  report.assumed = std::move(input.assumed);
  report.show_steps = input.show_steps;
  return report;
}

std::vector<std::size_t> largest_deviations(const ReplayReport& report, std::size_t count) {
  const auto size_of = [&](std::size_t i) { return std::abs(report.steps[i].deviation().count()); };
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < report.steps.size(); ++i) {
    if (size_of(i) > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return size_of(a) > size_of(b); });
  if (order.size() > count) order.resize(count);
  return order;
}

std::optional<BytesPerSecond> average_rate(Bytes bytes, Duration time) {
  if (time.count() <= 0) return std::nullopt;
  const Int128 rate = Int128{bytes.count()} * 1'000'000'000 / time.count();
  return BytesPerSecond(static_cast<std::int64_t>(std::min<Int128>(rate, kMaxRate.count())));
}

}  // namespace ooc
