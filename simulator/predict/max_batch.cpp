// What a size lacks is said by the run that fails, as `predict` would say it. Sub-batches are left
// out of the search, because with them any batch fits into near memory: what is found is the largest
// batch of one round, and that one more runs in two rounds is tried.
#include "simulator/predict/max_batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"
#include "simulator/predict/framework_choice.hpp"
#include "simulator/predict/round_costs.hpp"
#include "simulator/predict/scheduled_case.hpp"
#include "simulator/predict/stated_times.hpp"
#include "simulator/schedules/largest_batch.hpp"
#include "simulator/schedules/option_table.hpp"
#include "simulator/schedules/own_options.hpp"

namespace ooc {
namespace {

/// Above a batch that fails: how many more are tried where feasibility need not be monotone.
constexpr std::int64_t kAlsoAbove = 8;

/// Sums of sizes decide, and they grow with the batch. Not so with addresses; with copies that wait for
/// the compute queue; where a larger batch may run other algorithms with less workspace; and where what is
/// far at once depends on what was evicted.
bool is_monotone(const CaseOptions& options, const Schedule& schedule) {
  return allocator_of(options) == Allocator::kIdeal &&
         options.transfers.mode != CopyMode::kPageable && !schedule.is(Trait::kChoosesAlgorithms) &&
         !schedule.is(Trait::kMovesPages) &&
         options.schedule.algorithms != AlgorithmChoice::kPerformance;
}

/// What became of a batch.
struct BatchAttempt {
  std::optional<RunReport> fits;
  std::optional<OutOfMemory> out_of_memory;
};

class Searcher {
 public:
  Searcher(const MaxBatchRequest& request, SizedCases& cases, const Schedule& schedule)
      : request_(request), cases_(cases), schedule_(schedule) {
    row_.schedule = schedule.name;
    row_.options = options_text(schedule, request.options.schedule);
    row_.monotone = is_monotone(request.options, schedule);
  }

  MaxBatchRow run() {
    const CaseOptions& options = request_.options;
    const SubBatch sub_batch = sub_batch_of(options.graph.accounting, options.schedule, schedule_);
    const SizeAxis& axis = cases_.axis();
    const bool rounds_apart = axis.in_one_round && sub_batch.kind == SubBatch::Kind::kAuto;
    if (axis.in_one_round && sub_batch.kind == SubBatch::Kind::kSize) {
      return rounds_of(sub_batch.samples * first());
    }
    const HardwareProfile& hardware = request_.machine.profile;
    const LargestBatch found =
        find_largest_batch({.attempt = [this](std::int64_t size) { return attempt(size); },
                            .first = first(),
                            .limit = axis.limit,
                            .budget = budget_of(request_.options, hardware),
                            .fixed = cases_.at(first()).costs.static_bytes,
                            .also_above = row_.monotone ? 0 : kAlsoAbove,
                            .growth = axis.growth});
    row_.largest = found.batch;
    row_.attempts = found.attempts;
    if (found.fails) note_failure(*found.fails);
    const bool more =
        row_.largest > 0 && row_.largest < axis.limit && row_.limit != BatchLimit::kCounting;
    if (rounds_apart && more) try_rounds();
    if ((rounds_apart || is_searched()) && row_.run) run_as_usual();
    if (axis.value) {
      for (std::int64_t* size : {&row_.largest, &row_.failing}) {
        if (*size > 0) *size = axis.value(*size);
      }
    }
    return std::move(row_);
  }

 private:
  [[nodiscard]] std::int64_t first() const { return cases_.axis().first; }

  BatchTrial attempt(std::int64_t size) {
    std::optional<BatchAttempt> made = try_at(size);
    if (!made) return {};
    if (made->fits) {
      row_.run = std::move(made->fits);  // of all that fit the last one tried is the largest
      return {.fits = true};
    }
    const OutOfMemory& oom = *made->out_of_memory;
    return {.fits = false,
            .needs = oom.smallest_budget ? oom.smallest_budget : oom.least_budget,
            .has = memory_of(oom.tier)};
  }

  [[nodiscard]] Bytes memory_of(OutOfMemory::Tier tier) const {
    return tier == OutOfMemory::Tier::kNear
               ? budget_of(request_.options, request_.machine.profile)
               : far_capacity_of(request_.options, request_.machine.profile);
  }

  /// None: too large to count. What is wrong with the first size is wrong with the job.
  std::optional<BatchAttempt> try_at(std::int64_t size) {
    if (size == first()) return attempt_at(size);
    try {
      return attempt_at(size);
    } catch (const SpecError& error) {
      refused_ = error.parts();
      return std::nullopt;
    }
  }

  /// Where sums of sizes decide, a schedule that searches for the quickest plan has one at all without a search, too.
  /// What overflows far memory may be computed again instead, and too many rounds may be fewer.
  BatchAttempt attempt_at(std::int64_t size) {
    if (is_searched()) {
      Case unsearched = cases_.at(size);
      unsearched.schedule_options.any_plan = true;
      try {
        BatchAttempt made = attempt_with(unsearched);
        if (made.fits || made.out_of_memory->tier == OutOfMemory::Tier::kNear) return made;
      } catch (const SpecError&) {
        // With a search, if at all; else it says so.
      }
    }
    return attempt_with(cases_.at(size));
  }

  [[nodiscard]] bool is_searched() const {
    return (schedule_.is(Trait::kOptimizes) || schedule_.is(Trait::kSubBatches)) &&
           allocator_of(request_.options) == Allocator::kIdeal &&
           request_.options.transfers.mode != CopyMode::kPageable;
  }

  BatchAttempt attempt_with(const Case& which) {
    ScheduledCase scheduled(which, schedule_);
    (void)scheduled.run();
    RunReport report = scheduled.report(Detail::kPeaks);
    if (!report.feasible) return {.fits = {}, .out_of_memory = std::move(report.out_of_memory)};
    return {.fits = std::move(report), .out_of_memory = {}};
  }

  void note_failure(std::int64_t size) {
    row_.failing = size;
    std::optional<BatchAttempt> made = try_at(size);
    if (!made) {
      // Sums that are too large are told at the batch; all else is about the network.
      const bool too_large = request_.of != MaxOf::kSeq || refused_.place == "--batch";
      row_.limit = too_large ? BatchLimit::kCounting : BatchLimit::kNetwork;
      if (!too_large) row_.refused = refused_.found;
      return;
    }
    OutOfMemory& oom = *made->out_of_memory;
    const bool near = oom.tier == OutOfMemory::Tier::kNear;
    row_.limit = near ? BatchLimit::kNearMemory : BatchLimit::kFarMemory;
    const Bytes there = memory_of(oom.tier);
    const std::optional<Bytes> needs = oom.smallest_budget ? oom.smallest_budget : oom.least_budget;
    row_.lacks = needs && *needs > there ? *needs - there
                                         : oom.wanted - std::min(oom.wanted, oom.largest_hole);
    row_.out_of_memory = std::move(oom);
  }

  /// One more than fits at once.
  void try_rounds() {
    Case two_rounds = cases_.at(row_.largest + 1);
    two_rounds.schedule_options.sub_batch = {.kind = SubBatch::Kind::kAuto};
    row_.any_in_rounds = attempt_with(two_rounds).fits.has_value();
  }

  /// What is said of the size is what `predict` says of it: in as many rounds as the schedule takes, and as quick as
  /// it finds.
  void run_as_usual() {
    Case usual = cases_.at(row_.largest);
    usual.schedule_options.sub_batch = request_.options.schedule.sub_batch;
    if (auto fits = attempt_with(usual).fits) row_.run = *std::move(fits);
  }

  MaxBatchRow rounds_of(std::int64_t samples) {
    row_.attempts = 1;
    row_.run = attempt_at(samples).fits;
    if (row_.run) {
      row_.largest = samples;
      row_.limit = BatchLimit::kRounds;
      row_.any_in_rounds = true;
    } else {
      note_failure(samples);
    }
    return std::move(row_);
  }

  const MaxBatchRequest& request_;
  SizedCases& cases_;
  const Schedule& schedule_;
  SpecError::Parts refused_;  ///< of the last size that no job could be made of
  MaxBatchRow row_;
};

/// At least a sample for each device; with --accumulate so many of all micro-batches.
SizeAxis batches(const MaxBatchRequest& request) {
  check_any_batch(request.workload);
  const SubBatch& rounds = request.options.schedule.sub_batch;
  const bool counted = rounds.kind == SubBatch::Kind::kCount;
  const auto value = [count = counted ? rounds.count : 1](std::int64_t size) {
    return size * count;
  };
  const auto build = [&request, counted, value](std::int64_t size) {
    CaseOptions options = request.options;
    if (!counted) options.schedule.sub_batch = {.kind = SubBatch::Kind::kOff};
    options.batch = value(size);
    return SizedCase{.which = std::make_unique<const Case>(
                         make_case(request.workload, request.machine, options))};
  };
  return {.build = build,
          .value = value,
          .first = request.options.devices,
          .limit = request.limit / value(1),
          .growth = 16,
          .kept = std::numeric_limits<std::size_t>::max(),
          .in_one_round = true};
}

/// A network of each size is read and its graph built anew, which takes the longest: so steps are small and few
/// of them are kept.
SizeAxis layers(const MaxBatchRequest& request) {
  (void)scaling_repeat(request.workload);
  const auto build = [&request](std::int64_t copies) {
    CaseOptions options = request.options;
    options.copies = copies;
    SizedCase made;
    made.workload = std::make_unique<const Workload>(read_workload(request.workload.path, options));
    made.which = std::make_unique<const Case>(make_case(*made.workload, request.machine, options));
    return made;
  };
  return {.build = build, .limit = request.limit};
}

/// Lengths that people use, by number from 1: multiples of 128 up to 32 k, of 1024 beyond.
constexpr std::int64_t kFine = 128;
constexpr std::int64_t kCoarse = 1024;
constexpr std::int64_t kFineUpTo = 32768;
constexpr std::int64_t kFineSizes = kFineUpTo / kFine;

std::int64_t length_of(std::int64_t size, std::optional<std::int64_t> step) {
  if (step) return size * *step;
  return size <= kFineSizes ? size * kFine : kFineUpTo + (size - kFineSizes) * kCoarse;
}

/// How many of them are no longer than that.
std::int64_t lengths_up_to(std::int64_t length, std::optional<std::int64_t> step) {
  if (step) return length / *step;
  return length <= kFineUpTo ? length / kFine : kFineSizes + (length - kFineUpTo) / kCoarse;
}

/// As of layers, a network of each length is read.
SizeAxis sequences(const MaxBatchRequest& request) {
  const auto value = [step = request.step](std::int64_t size) { return length_of(size, step); };
  const auto build = [&request, value](std::int64_t size) {
    CaseOptions options = request.options;
    options.symbols.push_back({"seq", value(size)});
    options.long_sequences = true;
    SizedCase made;
    made.workload = std::make_unique<const Workload>(read_workload(request.workload.path, options));
    made.which = std::make_unique<const Case>(make_case(*made.workload, request.machine, options));
    return made;
  };
  const std::int64_t limit = lengths_up_to(request.limit, request.step);
  if (limit < 1) {
    bad_value("--limit", std::to_string(request.limit),
              fmt::format("at least a --step, {}", value(1)));
  }
  return {.build = build, .value = value, .limit = limit};
}

}  // namespace

const ScalingRepeat& scaling_repeat(const Workload& workload) {
  const std::vector<ScalingRepeat>& scaling = workload.network->scaling;
  if (scaling.size() == 1) return scaling.front();
  std::string names;
  for (const ScalingRepeat& each : scaling) names += (names.empty() ? "" : ", ") + each.name;
  throw SpecError({.file = workload.path,
                   .place = "/layers",
                   .found = scaling.empty()
                                ? "no repeat that scales"
                                : fmt::format("{} repeats that scale: {}", scaling.size(), names),
                   .expected = "one repeat with \"scale\": true",
                   .hint = "it is what deeper networks of this kind have more of"});
}

SizeAxis size_axis_of(const MaxBatchRequest& request) {
  switch (request.of) {
    case MaxOf::kBatch:
      return batches(request);
    case MaxOf::kLayers:
      return layers(request);
    case MaxOf::kSeq:
      return sequences(request);
  }
  OOC_CHECK(false, "an axis is one of three");
  return {};
}

const Case& SizedCases::at(std::int64_t size) {
  auto found = cases_.find(size);
  if (found == cases_.end()) {
    if (cases_.size() >= axis_.kept) cases_.clear();
    found = cases_.emplace(size, axis_.build(size)).first;
  }
  return *found->second.which;
}

MaxBatchRow max_batch(const MaxBatchRequest& request, SizedCases& cases, const Schedule& schedule) {
  return Searcher(request, cases, schedule).run();
}

MaxBatchReport max_batches(const MaxBatchRequest& request,
                           std::span<const Schedule* const> chosen) {
  SizedCases cases(size_axis_of(request));
  const Case& first = cases.at(cases.axis().first);
  MaxBatchReport report{
      .of = request.of,
      .repeat = request.of == MaxOf::kLayers ? scaling_repeat(request.workload) : ScalingRepeat{},
      .inputs = first.inputs,
      .limit = request.limit,
      .rows = {},
      .assumed = {},
      .remarks = first.remarks};
  for (const Schedule* schedule : chosen) {
    report.rows.push_back(max_batch(request, cases, *schedule));
  }
  for (const MaxBatchRow& row : report.rows) {
    if (!row.run) continue;
    for (const std::string& field : row.run->assumed) {
      const auto end = report.assumed.end();
      if (std::find(report.assumed.begin(), end, field) == end) report.assumed.push_back(field);
    }
  }
  const std::string stated = stated_times_remark(request.workload);
  if (!stated.empty()) report.remarks.push_back(stated);
  return report;
}

}  // namespace ooc
