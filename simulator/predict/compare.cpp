#include "simulator/predict/compare.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <utility>

#include "model/base/errors.hpp"
#include "model/base/json_writer.hpp"
#include "simulator/predict/scheduled_case.hpp"
#include "simulator/predict/state_words.hpp"
#include "simulator/summary/summarize.hpp"

namespace ooc {

// Each run is planned anew, so a schedule may use the better machine differently. A gain can be negative: on graphs with
// skip connections more memory can, rarely, make a schedule slower (docs/model.md).

namespace {

constexpr Ratio kTwo{2 * kOne.count()};

/// Five quarters, without leaving 63 bits.
Bytes quarter_more(Bytes bytes) {
  return Bytes(static_cast<std::int64_t>(
      std::min<Int128>(Int128{bytes.count()} * 5 / 4, Int128{kMaxTotalBytes})));
}

std::optional<Duration> iteration_time_of(const Workload& workload, const Machine& machine,
                                          const CaseOptions& options, const Schedule& schedule) {
  const Case which = make_case(workload, machine, options);
  const CaseRun run = run_case(which, schedule, Bounds::kNone);
  const Timeline* timeline = run.timeline();
  return timeline == nullptr ? std::nullopt : std::optional(timeline->iteration_time);
}

/// Of in-core with --sub-batch auto: what everything that moves tensors has to be seen against, where the whole batch
/// does not fit.
void add_in_rounds(Case which, Comparison& result) {
  const Schedule& in_core = *find_schedule("in-core");
  const std::string name = std::string(in_core.name) + ", in rounds";
  which.schedule_options.sub_batch.kind = SubBatch::Kind::kAuto;
  if (!which.inputs.asked.empty()) ask(which.inputs.asked, "sub_batch", "\"auto\"");
  try {
    RunReport report = predict(which, in_core, Detail::kPeaks);
    if (report.feasible && report.rounds == 1) return;
    report.inputs.row = name;
    result.rows.push_back(std::move(report));
  } catch (const SpecError& error) {  // more rounds than can be written out
    if (error.parts().place != "--sub-batch") throw;
    result.left_out.push_back(name + ": " + error.what());
  }
}

MachineRow row_on(const MachinesRequest& request, std::size_t machine,
                  const std::optional<BytesPerSecond>& link, std::optional<std::int64_t> state) {
  CaseOptions options = request.options;
  options.transfers.link = link;
  if (state) {
    apply_state_preset(*state, options);
    ask(options.asked, "state", json_string(show_state_preset(*state)));
  }
  // A preset may bring a precision.
  std::optional<Workload> own;
  if (options.precision != request.options.precision) {
    own = read_workload(request.workload.path, options);
  }
  const Case which = make_case(own ? *own : request.workload, request.machines[machine], options);
  Comparison compared = compare(which, request.chosen[machine]);
  MachineRow row;
  if (state) row.state = show_state_preset(*state);
  for (const std::size_t i : best_first(compared.rows)) {
    row.results.push_back(std::move(compared.rows[i]));
  }
  if (state) {
    // More near memory, for which one that lacks it asks, is no answer while far memory lacks.
    std::stable_partition(row.results.begin(), row.results.end(), [](const RunReport& each) {
      return each.feasible || each.out_of_memory->tier == OutOfMemory::Tier::kFar;
    });
  }
  for (std::string& text : compared.left_out) row.remarks.push_back("without " + std::move(text));
  return row;
}

}  // namespace

std::vector<WhatIf> what_if(const Workload& workload, const Machine& machine,
                            const CaseOptions& options, const Schedule& schedule,
                            const RunReport& report) {
  if (!report.feasible) return {};
  std::vector<std::pair<std::string, CaseOptions>> changes;
  const auto add = [&](std::string name) -> CaseOptions& {
    return changes.emplace_back(std::move(name), options).second;
  };
  add("link x 2").transfers.link_scale = kTwo;
  add("memory x 1.25").memory = quarter_more(budget_of(options, machine.profile));
  add("compute x 2").compute_scale = Ratio(2 * options.compute_scale.value_or(kOne).count());
  if (report.state && report.state->far_updates > 0 && report.state->far_rate != kInfiniteRate) {
    CaseOptions& far = add("far updates x 2");
    far.far_compute = BytesPerSecond(2 * report.state->far_rate.count());
    far.state.threads = 0;  // that rate is what they reach
  }
  std::vector<WhatIf> results(changes.size());
  run_all(changes.size(), [&](std::size_t i) {
    const auto time = iteration_time_of(workload, machine, changes[i].second, schedule);
    const bool compares = time && report.iteration_time.count() > 0;
    results[i] = {changes[i].first, time, compares ? 1 - *time / report.iteration_time : 0};
  });
  return results;
}

Comparison compare(const Case& which, std::span<const Schedule* const> chosen) {
  Comparison result;
  bool asks_for_rounds = false;
  result.rows.resize(chosen.size());
  run_all(chosen.size(),
          [&](std::size_t i) { result.rows[i] = predict(which, *chosen[i], Detail::kPeaks); });
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    asks_for_rounds = asks_for_rounds || chosen[i]->is(Trait::kSubBatches) ||
                      (chosen[i]->is(Trait::kMovesNothing) && !result.rows[i].feasible);
  }
  const bool can_be_cut = which.costs.batch > 1 && !is_footprint(which.accounting) && !which.moving;
  const bool usual = which.schedule_options.sub_batch.kind == SubBatch::Kind::kUsual;
  if (asks_for_rounds && can_be_cut && usual) add_in_rounds(which, result);
  return result;
}

MachinesReport compare_machines(const MachinesRequest& request) {
  MachinesReport report;
  for (std::size_t machine = 0; machine < request.machines.size(); ++machine) {
    for (const std::optional<BytesPerSecond>& link : request.links) {
      const std::size_t states = std::max<std::size_t>(1, request.states.size());
      for (std::size_t i = 0; i < states; ++i) {
        report.rows.push_back(
            row_on(request, machine, link,
                   request.states.empty() ? std::nullopt : std::optional(request.states[i])));
      }
    }
  }
  return report;
}

void run_all(std::size_t count, const std::function<void(std::size_t)>& run) {
  std::vector<std::exception_ptr> failures(count);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        run(i);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> others;
    const std::size_t threads = std::min<std::size_t>(count, std::thread::hardware_concurrency());
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
    work();
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace ooc
