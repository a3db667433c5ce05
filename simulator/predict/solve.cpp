// A search goes from what is easy to what is hard: over counts upwards, over what is needed downwards, there on a grid of
// as many digits as reports have, so that the value that is printed is the one that was run. What is needed is first
// tried with as much as there can be, which tells whether anything suffices and, if not, what binds. What a count lacks
// is said by the run that fails, as `predict` would say it. Sub-batches are left out of a search over batches, because
// with them any batch fits into near memory: what is found is the largest batch of one round, and whether one more runs
// in rounds is tried.
#include "simulator/predict/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/quantity_io.hpp"
#include "simulator/predict/border_search.hpp"
#include "simulator/predict/compare.hpp"
#include "simulator/predict/options.hpp"
#include "simulator/predict/planning.hpp"
#include "simulator/predict/remarks.hpp"
#include "simulator/predict/scheduled_case.hpp"
#include "simulator/schedules/option_table.hpp"

namespace ooc {
namespace {

using Unit = SolveAxis::Unit;

constexpr SolveAxis kSolveAxes[] = {{"link", "--link"},
                                    {"link-to-far", "--link-to-far"},
                                    {"link-to-near", "--link-to-near"},
                                    {"near-memory", "--memory", Unit::kBytes},
                                    {"far-memory", "--far-memory", Unit::kBytes},
                                    {"far-throughput", "--far-throughput"},
                                    {"batch", "--batch", Unit::kCount},
                                    {"layers", "", Unit::kCount},
                                    {"seq", "--seq", Unit::kCount}};

/// Numbers of values, the easiest first.
struct Scale {
  std::int64_t first = 1;
  std::int64_t last = 1;
  std::int64_t start = 1;
  std::int64_t step = 1;
  std::int64_t growth = 2;
  std::int64_t (*value)(std::int64_t number, std::int64_t unit) =
      [](std::int64_t number, std::int64_t each) { return number * each; };
  std::int64_t unit = 1;
  std::size_t kept = 16;  ///< jobs that are kept for the next schedule

  [[nodiscard]] std::int64_t at(std::int64_t number) const { return value(number, unit); }
  [[nodiscard]] Border border(std::function<BorderTrial(std::int64_t)> attempt,
                              std::int64_t also_beyond = 0) const {
    return find_border({std::move(attempt), first, last, start, step, growth, also_beyond});
  }
};

/// Rates of three digits, 1 MB/s to 1 PB/s; a negative number, as less is harder.
constexpr std::int64_t kRatesOfADecade = 900;
constexpr std::int64_t kDecades = 9;
constexpr std::int64_t kSlowest = 1'000'000;
std::int64_t rate_at(std::int64_t number, std::int64_t /*unit*/) {
  std::int64_t rate = kSlowest / 100 * (100 + -number % kRatesOfADecade);
  for (std::int64_t decade = -number / kRatesOfADecade; decade > 0; --decade) rate *= 10;
  return rate;
}

Scale rates(std::int64_t now) {
  constexpr std::int64_t kSomeRate = 16'000'000'000;  // where the job's own is infinite
  constexpr std::int64_t kTwice = 271;                // so many steps to twice the rate
  Scale scale{.first = -kDecades * kRatesOfADecade, .last = 0, .step = kTwice, .value = &rate_at};
  scale.start = scale.last;
  const std::int64_t from = now == kInfiniteRate.count() ? kSomeRate : now;
  while (scale.start > scale.first && scale.at(scale.start) < from) --scale.start;
  return scale;
}

/// Lengths that people use: multiples of 128 up to 32 k, of 1024 beyond.
std::int64_t length_at(std::int64_t number, std::int64_t /*unit*/) {
  constexpr std::int64_t kFine = 128;
  constexpr std::int64_t kCoarse = 1024;
  constexpr std::int64_t kFineUpTo = 32768 / kFine;
  return number <= kFineUpTo ? number * kFine : kFineUpTo * kFine + (number - kFineUpTo) * kCoarse;
}

Scale lengths(const SolveRequest& request) {
  Scale scale{.kept = 4};
  if (request.step) {
    scale.unit = *request.step;
  } else {
    scale.value = &length_at;
  }
  if (request.limit < scale.at(1)) {
    bad_value("--limit", std::to_string(request.limit),
              fmt::format("at least a --step, {}", scale.at(1)));
  }
  scale.last =
      nearest_that_fits(request.limit / scale.at(1) + 1, std::int64_t{1},
                        [&](std::int64_t number) { return scale.at(number) <= request.limit; });
  return scale;
}

/// At least a sample for each device; with --accumulate so many of all micro-batches.
Scale batches(const SolveRequest& request) {
  const SubBatch& rounds = request.options.schedule.sub_batch;
  Scale scale{.first = request.options.devices,
              .start = request.options.devices,
              .step = 15 * std::int64_t{request.options.devices},
              .growth = 16,
              .unit = rounds.kind == SubBatch::Kind::kCount ? rounds.count : 1,
              .kept = std::numeric_limits<std::size_t>::max()};
  scale.last = request.limit / scale.unit;
  return scale;
}

BytesPerSecond slower_rate(const Case& which) {
  return std::min(which.costs.transfers.to_far_peak, which.costs.transfers.to_near_peak);
}

std::int64_t now_of(const SolveAxis& axis, const Case& which) {
  const TransferCosts& costs = which.costs.transfers;
  if (axis.word == "link") return slower_rate(which).count();
  if (axis.word == "link-to-far") return costs.to_far_peak.count();
  if (axis.word == "link-to-near") return costs.to_near_peak.count();
  if (axis.word == "near-memory") return which.budget.count();
  if (axis.word == "far-memory") return which.inputs.far_memory.count();
  return which.transfers.far_throughput.value_or(which.hardware.far_memory.throughput).count();
}

Scale scale_of(const SolveRequest& request, std::int64_t now, const Schedule& schedule) {
  if (request.axis.word == "batch") return batches(request);
  if (request.axis.word == "seq") return lengths(request);
  if (request.axis.word == "layers") return {.last = request.limit, .kept = 4};
  if (request.axis.unit == Unit::kRate) return rates(now);
  // What a search finds has no border to the byte.
  const std::int64_t unit = schedule.is(Trait::kOptimizes) && now >= 1 << 30 ? 1 << 20 : 1;
  return {.first = -(std::int64_t{kMaxTotalBytes} / unit),
          .last = -1,
          .start = -((now + unit - 1) / unit),
          .step = std::max<std::int64_t>(1, now / unit / 16),
          .unit = -unit};
}

/// Jobs by value: costs are worked out once a value, for all schedules.
class Jobs {
 public:
  explicit Jobs(const SolveRequest& request) : request_(request) {}

  /// Throws SpecError for what read_workload() and make_case() refuse.
  std::shared_ptr<const Case> at(std::int64_t value) {
    const std::lock_guard lock(making_);
    const auto found = jobs_.find(value);
    if (found != jobs_.end()) return found->second;
    if (jobs_.size() >= kept_) jobs_.clear();
    return jobs_.emplace(value, make(value)).first->second;
  }
  void keep(std::size_t jobs) { kept_ = jobs; }

 private:
  [[nodiscard]] std::shared_ptr<const Case> make(std::int64_t value) const {
    CaseOptions options = request_.options;
    const SolveAxis& axis = request_.axis;
    if (axis.flag.empty()) {
      options.copies = value;
    } else {
      axis_kinds()[axis_place(axis.flag)].apply(value, options);
    }
    const bool is_batch = axis.word == "batch";
    SubBatch& rounds = options.schedule.sub_batch;
    if (is_batch && rounds.kind != SubBatch::Kind::kCount) rounds = {.kind = SubBatch::Kind::kOff};
    struct Job {
      std::optional<Workload> workload;  // where it is not that of the request
      std::optional<Case> which;
    };
    const auto job = std::make_shared<Job>();
    if (!axis.is_needed() && !is_batch) {
      options.long_sequences |= axis.word == "seq";
      job->workload = read_workload(request_.workload.path, options);
    }
    job->which.emplace(
        make_case(job->workload ? *job->workload : request_.workload, request_.machine, options));
    return {job, &*job->which};
  }

  const SolveRequest& request_;
  std::mutex making_;
  std::map<std::int64_t, std::shared_ptr<const Case>> jobs_;
  std::size_t kept_ = 1;
};

bool moves_nothing(const RunReport& report) {
  return report.to_far + report.to_near + report.peak_far == Bytes(0);
}

/// Reason why no value is enough, by its names in results and for people.
struct Cause {
  std::string_view name;
  std::string_view text;
  [[nodiscard]] bool operator==(const Cause&) const = default;
};
constexpr Cause kDoesNotFit{"does_not_fit", "does not fit"};
constexpr Cause kComputation{"computation", "computes longer"};
constexpr Cause kRecomputes{"recomputes", "recomputes"};
constexpr Cause kPageFaults{"page_faults", "waits for page faults"};
constexpr Cause kFarUpdates{"far_updates", "waits for updates in far memory"};
constexpr Cause kHooks{"hooks", "waits for the framework's hooks on the host"};
constexpr Cause kExchange{"exchange", "waits for the exchange between devices"};
constexpr Cause kLaunches{"launches", "waits for kernel launches"};
constexpr Cause kLink{"link", "the link binds"};
constexpr Cause kFarMemory{"far_memory", "far memory caps the link"};
constexpr Cause kNearMemory{"near_memory", "near memory caps the link"};
constexpr Cause kOtherWaits{"other_waits", "waits for more than copies"};

/// Why an iteration takes longer than that where copies take no time: what costs it most.
Cause what_else_binds(const RunReport& report, Duration most) {
  static constexpr Cause kOfStalls[kStallCauses] = {
      kOtherWaits, kOtherWaits, kOtherWaits, kOtherWaits, kPageFaults,
      kRecomputes, kLaunches,   kFarUpdates, kHooks,      kExchange};
  const std::optional<LargestLoss> loss = largest_loss(report);
  if (report.reference_time > most || !loss || !loss->cause) return kComputation;
  return kOfStalls[static_cast<std::size_t>(*loss->cause)];
}

/// One schedule.
class Search {
 public:
  Search(const SolveRequest& request, Jobs& jobs, const Scale& scale, const Schedule& schedule)
      : request_(request), axis_(request.axis), jobs_(jobs), scale_(scale), schedule_(schedule) {
    row_.schedule = schedule.name;
    row_.options = options_text(schedule, request.options.schedule);
  }

  SolveRow run() && {
    axis_.is_needed() ? find_needed() : find_largest();
    return std::move(row_);
  }

 private:
  [[nodiscard]] RunReport run_of(const Case& which) const {
    return ooc::predict(which, schedule_, axis_.is_needed() ? Detail::kTotals : Detail::kPeaks,
                        Bounds::kNone);
  }

  struct Failure {
    std::int64_t number = 0;
    Bytes needs;
    Bytes has;
  };

  void note(const Cause& cause, std::string text) {
    row_.reason = cause.name;
    row_.reason_text = std::move(text);
  }

  // What is needed.

  [[nodiscard]] Duration goal(const RunReport& report) const {
    if (request_.time) return *request_.time;
    return Duration(static_cast<std::int64_t>(Int128{report.reference_time.count()} *
                                              (kOne + request_.within).count() / kOne.count()));
  }

  [[nodiscard]] bool is_met_by(const RunReport& report) const {
    return report.feasible && report.iteration_time <= goal(report);
  }

  /// If the goal is met there, that run is the row's. A run uses less memory than it may: often that is what it needs. Plans
  /// for a caching allocator are made for sizes below the budget, so that one more byte has the next.
  BorderTrial try_value(std::int64_t value) {
    ++row_.tried;
    try {
      RunReport report = run_of(*jobs_.at(value));
      BorderTrial trial{.does = is_met_by(report)};
      if (axis_.unit == Unit::kBytes) {
        const bool near = axis_.flag == "--memory";
        const Bytes peak = near ? report.peak_near : report.peak_far;
        const Bytes least =
            near && report.allocator_limit ? *report.allocator_limit + Bytes(1) : peak;
        if (trial.does) trial.guess = (least.count() - 1) / scale_.unit - 1;
      }
      if (trial.does || !row_.run) row_.run = std::move(report);
      return trial;
    } catch (const SpecError&) {  // times or rounds that cannot be counted, or the job is wrong
      if (!row_.run && value == scale_.at(scale_.start)) throw;
      return {};
    }
  }

  void find_needed() {
    const std::int64_t most =
        axis_.unit == Unit::kRate ? kInfiniteRate.count() : std::int64_t{kMaxTotalBytes};
    const bool most_does = try_value(most).does;
    // More is not quite always better: what the job has may do where that does not.
    if (!most_does && !try_value(scale_.at(scale_.start)).does) return note_what_binds(most);
    const bool memory = axis_.flag == "--memory";
    // What devices exchange is not copied, but may take the link.
    if (!memory && moves_nothing(*row_.run) && try_value(scale_.at(scale_.last)).does) {
      return note_any();
    }
    const Border border =
        scale_.border([&](std::int64_t number) { return try_value(scale_.at(number)); });
    if (!border.does) {
      const std::string last = format_rate(BytesPerSecond(scale_.at(scale_.first)));
      row_.reason = "beyond_range";
      row_.reason_text = "only beyond " + last;
      return;
    }
    // A plan that is made for the link may move less the slower it is.
    if (!memory && !border.fails && moves_nothing(*row_.run)) return note_any();
    row_.reason_text.clear();
    row_.value = scale_.at(*border.does);
    if (border.fails) row_.beyond = scale_.at(*border.fails);
  }

  void note_any() {
    row_.value = 0;
    row_.reason = "moves_nothing";
    row_.reason_text = "nothing moves";
  }

  /// Of the run with as much as there can be, which the row has.
  void note_what_binds(std::int64_t most) {
    const RunReport& report = *row_.run;
    if (report.out_of_memory) {
      const OutOfMemory& oom = *report.out_of_memory;
      const std::string_view tier = oom.tier == OutOfMemory::Tier::kNear ? "near" : "far";
      const std::optional<Bytes> least = needed_bytes(oom);
      return note(kDoesNotFit, least ? fmt::format("does not fit: takes {}{} of {} memory",
                                                   needed_word(oom), format_bytes(*least), tier)
                                     : fmt::format("does not fit: {} memory is too small at {}",
                                                   tier, oom.step));
    }
    const Cause cause = why_too_slow(report, most);
    std::string text(cause.text);
    const std::string rate = format_rate(slower_rate(*jobs_.at(most)));
    const bool one = axis_.word == "link-to-far" || axis_.word == "link-to-near";
    if (cause == kComputation) text += ": " + format_duration(report.compute_time);
    if (cause == kFarMemory || cause == kNearMemory) text += " at " + rate;
    if (cause == kLink) {
      const std::string_view other = axis_.word == "link-to-far" ? "near" : "far";
      text = one ? fmt::format("the link to {} memory binds at {}", other, rate)
                 : "the link binds at " + rate;
    }
    note(cause, std::move(text));
    if (cause == kLink && one) row_.reason = "other_direction";
  }

  /// Of a run that fits and is too slow; the link if it is not where copies take no time but their latency.
  [[nodiscard]] Cause why_too_slow(const RunReport& report, std::int64_t most) const {
    Case free = *jobs_.at(most);
    HardwareProfile hardware = request_.machine.profile;
    hardware.near_memory.throughput = kInfiniteRate;
    TransferOptions& copies = free.transfers;
    copies.link = copies.link_to_far = copies.link_to_near = copies.far_throughput = kInfiniteRate;
    estimate_transfers_into(free.costs.transfers, free.costs.link_bytes(), hardware, copies);
    try {
      const RunReport without = run_of(free);
      if (!is_met_by(without)) return what_else_binds(without, goal(report));
    } catch (const SpecError&) {
      return what_else_binds(report, goal(report));
    }
    if (report.link_limited_by == "far memory") return kFarMemory;
    return report.link_limited_by == "near memory" ? kNearMemory : kLink;
  }

  // The largest that fits.

  struct Attempt {
    std::optional<RunReport> fits = {};
    std::optional<OutOfMemory> out_of_memory = {};
    SpecError::Parts refused = {};  ///< of neither: no job could be made
  };

  [[nodiscard]] Attempt attempt_with(const Case& which) const {
    RunReport report = run_of(which);
    if (!report.feasible) return {.out_of_memory = std::move(report.out_of_memory)};
    return {.fits = std::move(report)};
  }

  [[nodiscard]] std::optional<RunReport> fitting_with(std::int64_t number, const SubBatch& rounds) {
    const auto job = jobs_.at(scale_.at(number));
    Case in_rounds = *job;
    in_rounds.schedule_options.sub_batch = rounds;
    return attempt_with(in_rounds).fits;
  }

  /// What is wrong with the first size is wrong with the job.
  [[nodiscard]] Attempt attempt(std::int64_t number) {
    if (number == scale_.first) return attempt_at(number);
    try {
      return attempt_at(number);
    } catch (const SpecError& error) {
      return {.refused = error.parts()};
    }
  }

  /// Where sums of sizes decide, a schedule that searches for the quickest plan has one at all without a search, too.
  /// What overflows far memory may be computed again instead, and too many rounds may be fewer.
  [[nodiscard]] Attempt attempt_at(std::int64_t number) {
    const auto job = jobs_.at(scale_.at(number));
    if (is_searched()) {
      Case unsearched = *job;
      unsearched.schedule_options.any_plan = true;
      try {
        Attempt made = attempt_with(unsearched);
        if (made.fits || made.out_of_memory->tier == OutOfMemory::Tier::kNear) return made;
      } catch (const SpecError&) {
        // With a search, if at all; else it says so.
      }
    }
    return attempt_with(*job);
  }

  [[nodiscard]] bool is_searched() const {
    return (schedule_.is(Trait::kOptimizes) || schedule_.is(Trait::kSubBatches)) && sizes_decide();
  }
  [[nodiscard]] bool sizes_decide() const {
    return allocator_of(request_.options) == Allocator::kIdeal &&
           request_.options.transfers.mode != CopyMode::kPageable;
  }

  [[nodiscard]] Bytes memory_of(const OutOfMemory& oom) const {
    auto* const memory = oom.tier == OutOfMemory::Tier::kNear ? &budget_of : &far_memory_of;
    return memory(request_.options, request_.machine.profile);
  }

  BorderTrial try_size(std::int64_t number) {
    ++row_.tried;
    Attempt made = attempt(number);
    if (made.fits) {
      row_.run = std::move(made.fits);  // of all that fit the last one tried is the largest
      return {.does = true};
    }
    const std::optional<Failure> before = std::exchange(failed_, std::nullopt);
    const std::optional<Bytes> needs =
        made.out_of_memory ? needed_bytes(*made.out_of_memory) : std::nullopt;
    if (!needs) return {};
    failed_ = Failure{number, *needs, memory_of(*made.out_of_memory)};
    return {.does = false, .guess = guess_from(before)};
  }

  /// In proportion to what is lacking: by the last two failures for want of the same memory, else by what the first size
  /// has beside its static bytes.
  [[nodiscard]] std::optional<std::int64_t> guess_from(const std::optional<Failure>& before) {
    Int128 bytes =
        failed_->needs.count() - jobs_.at(scale_.at(scale_.first))->costs.static_bytes.count();
    Int128 sizes = failed_->number;
    if (before && before->has == failed_->has && before->number > failed_->number) {
      bytes = before->needs.count() - failed_->needs.count();
      sizes = before->number - failed_->number;
    } else if (failed_->has != budget_of(request_.options, request_.machine.profile)) {
      return std::nullopt;
    }
    if (bytes <= 0) return std::nullopt;
    const Int128 too_many = failed_->needs.count() - failed_->has.count();
    return static_cast<std::int64_t>(
        std::max<Int128>(failed_->number - (too_many * sizes + bytes - 1) / bytes, 0));
  }

  void find_largest() {
    const CaseOptions& options = request_.options;
    const SubBatch rounds = sub_batch_of(options.graph.accounting, options.schedule, schedule_);
    const bool is_batch = axis_.word == "batch";
    if (is_batch && rounds.kind == SubBatch::Kind::kSize) {
      return find_rounds_of(rounds.samples * scale_.first);
    }
    // Sums of sizes grow with the batch. Not so with addresses; with copies that wait for the compute queue; where a larger
    // batch may run other algorithms with less workspace; and where what is far at once depends on what was evicted.
    row_.monotone = sizes_decide() && !schedule_.is(Trait::kChoosesAlgorithms) &&
                    !schedule_.is(Trait::kMovesPages) &&
                    options.schedule.algorithms != AlgorithmChoice::kPerformance;
    constexpr std::int64_t kAlsoBeyond = 8;
    const Border border = scale_.border([&](std::int64_t number) { return try_size(number); },
                                        row_.monotone ? 0 : kAlsoBeyond);
    if (border.fails) note_failure(*border.fails);
    if (!border.fails) {
      row_.reason = "search_limit";
      row_.reason_text = "nothing up to there, the largest that was to be tried";
    }
    if (!border.does) return;
    row_.value = scale_.at(*border.does);
    const bool rounds_apart = is_batch && rounds.kind == SubBatch::Kind::kAuto;
    if (rounds_apart && border.fails && row_.reason != "counting") {
      row_.any_in_rounds =
          fitting_with(*border.does + 1, {.kind = SubBatch::Kind::kAuto}).has_value();
    }
    // As `predict` runs it: in as many rounds as the schedule takes, and as quick as it finds.
    if (!rounds_apart && !is_searched()) return;
    if (auto usual = fitting_with(*border.does, options.schedule.sub_batch)) {
      row_.run = std::move(usual);
    }
  }

  void find_rounds_of(std::int64_t samples) {
    row_.tried = 1;
    row_.run = attempt_at(samples).fits;
    if (!row_.run) return note_failure(samples);
    row_.value = samples;
    row_.any_in_rounds = true;
    row_.reason = "none";
    row_.reason_text = "nothing: any batch runs in rounds of that size";
  }

  void note_failure(std::int64_t number) {
    row_.beyond = scale_.at(number);
    Attempt made = attempt(number);
    if (!made.out_of_memory) {
      // Sums that are too large are told at the batch; all else is about the network.
      const bool too_large = axis_.word != "seq" || made.refused.place == "--batch";
      row_.reason = too_large ? "counting" : "network";
      row_.reason_text =
          too_large ? "numbers too large to count exactly" : "the network: " + made.refused.found;
      return;
    }
    const OutOfMemory& oom = *made.out_of_memory;
    const bool near = oom.tier == OutOfMemory::Tier::kNear;
    row_.reason = near ? "near_memory" : "far_memory";
    row_.reason_text = fmt::format("{} memory at {}", near ? "near" : "far", oom.step);
    row_.lacks = lacking_bytes(oom, memory_of(oom));
  }

  const SolveRequest& request_;
  const SolveAxis& axis_;
  Jobs& jobs_;
  const Scale& scale_;
  const Schedule& schedule_;
  std::optional<Failure> failed_ = {};
  SolveRow row_ = {};
};

/// The smallest that is needed, or the largest that fits, first; then the quickest; without a value last.
void put_best_first(const SolveAxis& axis, std::vector<SolveRow>& rows) {
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  const auto rank = [&](const SolveRow& row) {
    const bool runs = row.run && row.run->feasible;
    const std::int64_t value =
        axis.is_needed() ? row.value.value_or(kLast) : -row.value.value_or(0);
    const double speed = runs ? row.run->samples_per_s : 0;
    return std::tuple(value, -speed);
  };
  std::ranges::stable_sort(rows, {}, rank);
}

}  // namespace

std::span<const SolveAxis> solve_axes() { return kSolveAxes; }

const SolveAxis* find_solve_axis(std::string_view word) {
  return find_named(kSolveAxes, word, &SolveAxis::word);
}

SolveReport solve(const SolveRequest& request) {
  const SolveAxis& axis = request.axis;
  if (axis.word == "batch") check_any_batch(request.workload);
  if (axis.word == "layers") (void)scaling_repeat(request.workload);
  Jobs jobs(request);
  SolveReport report;
  const auto take = [&](const Case& which) {
    report.inputs = which.inputs;
    std::erase_if(report.inputs.symbols, [&](const auto& each) { return each.name == axis.word; });
    report.remarks = which.remarks;
  };
  if (axis.is_needed()) {
    const Case which = make_case(request.workload, request.machine, request.options);
    report.now = now_of(axis, which);
    take(which);
  }
  const Scale any = scale_of(request, report.now, *request.chosen.front());
  jobs.keep(any.kept);
  if (!axis.is_needed()) take(*jobs.at(any.at(any.first)));
  report.rows.resize(request.chosen.size());
  run_all(request.chosen.size(), [&](std::size_t i) {
    const Schedule& schedule = *request.chosen[i];
    const Scale scale = scale_of(request, report.now, schedule);
    report.rows[i] = Search(request, jobs, scale, schedule).run();
  });
  for (const SolveRow& row : report.rows) {
    if (row.run) report.reference_time = row.run->reference_time;
  }
  put_best_first(axis, report.rows);
  const std::string stated =
      axis.is_needed()
          ? stated_times_remark(request.workload, {.batch = report.inputs.batch,
                                                   .layer_times = request.options.layer_times})
          : stated_times_remark(request.workload);
  if (!stated.empty()) report.remarks.push_back(stated);
  return report;
}

const ScalingRepeat& scaling_repeat(const Workload& workload) {
  const std::vector<ScalingRepeat>& scaling = workload.network->scaling;
  if (scaling.size() == 1) return scaling.front();
  std::string names;
  for (const ScalingRepeat& each : scaling) names += (names.empty() ? "" : ", ") + each.name;
  throw SpecError(
      {workload.path, "/layers",
       scaling.empty() ? "no repeat that scales"
                       : fmt::format("{} repeats that scale: {}", scaling.size(), names),
       "one repeat with \"scale\": true", "it is what deeper networks of this kind have more of"});
}

std::optional<double> gain_over_in_core(const SolveReport& report, const SolveRow& row) {
  for (const SolveRow& each : report.rows) {
    if (each.schedule != "in-core" || !each.value || !row.value) continue;
    return static_cast<double>(*row.value) / static_cast<double>(*each.value);
  }
  return std::nullopt;
}

}  // namespace ooc
