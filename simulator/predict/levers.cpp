// A schedule says the smallest budget that suffices when it is given too little (its contract), so each change is
// planned once, for the static bytes alone. Where sizes may deceive (allocators with holes, pageable copies), the
// same run decides as for that figure, and it is then called a lower one. What a change takes of far memory is the peak of
// a run with room there.
#include "simulator/predict/levers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "model/base/errors.hpp"
#include "model/graph/parameter_bytes.hpp"
#include "simulator/predict/moving_plan.hpp"
#include "simulator/predict/planning.hpp"
#include "simulator/predict/scheduled_case.hpp"
#include "simulator/predict/state_words.hpp"
#include "simulator/schedules/option_table.hpp"
#include "simulator/summary/memory_use.hpp"

namespace ooc {
namespace {

/// The bytes that suffice, or at least that much.
struct Need {
  Bytes bytes;
  bool suffices = true;
};

std::optional<Need> need_of(const OutOfMemory& oom) {
  if (oom.smallest_budget) return Need{*oom.smallest_budget};
  if (oom.least_budget) return Need{*oom.least_budget, false};
  return std::nullopt;
}

/// Far memory that one job takes; unset: near memory is too small, or far memory for its state, which is not run.
std::optional<Need> far_need_of(Case which, const Schedule& schedule, Bytes limit) {
  if (which.moving && least_far_bytes(*which.moving) > limit) return std::nullopt;
  which.far_capacity = Bytes(kMaxTotalBytes);
  const std::optional<Bytes> peak = run_case(which, schedule, Bounds::kNone).peak_far;
  return peak ? std::optional(Need{*peak}) : std::nullopt;
}

/// Near memory that one job takes, made so that too little is there.
std::optional<Need> need_of(Case which, const Schedule& schedule) {
  if (is_footprint(which.accounting)) return Need{which.in_core_peak};
  which.budget =
      which.moving ? Bytes(1) : which.costs.static_bytes;  // moving state takes less than that
  const CaseRun run = run_case(which, schedule, Bounds::kNone);
  const auto* oom = std::get_if<OutOfMemory>(&run.plan);
  return oom == nullptr ? Need{which.budget} : need_of(*oom);
}

bool states_times(const Network& network) {
  return std::any_of(network.layers.begin(), network.layers.end(),
                     [](const Layer& layer) { return layer.model->custom.has_value(); });
}

class Changes {
 public:
  Changes(const Workload& workload, const Machine& machine, const CaseOptions& options,
          const Schedule& schedule, const Need& now, OutOfMemory::Tier tier)
      : workload_(workload),
        machine_(machine),
        options_(options),
        schedule_(schedule),
        now_(now),
        far_(tier == OutOfMemory::Tier::kFar),
        there_(far_ ? far_capacity_of(options, machine.profile)
                    : budget_of(options, machine.profile)) {}

  std::vector<Lever> all() && {
    precisions();
    state();
    sequence();
    batch();
    schedules();
    far_ ? freed_gradients() : offload();
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Lever& a, const Lever& b) { return a.needs < b.needs; });
    return std::move(found_);
  }

 private:
  void add(std::string change, const std::optional<Need>& need) {
    constexpr std::int64_t kWorthSaying = 100;  // of so many parts, one
    if (!need || need->bytes >= now_.bytes) return;
    const Bytes saves = now_.bytes - need->bytes;
    if (saves < Bytes(now_.bytes.count() / kWorthSaying)) return;
    Lever lever{.change = std::move(change), .needs = need->bytes, .saves = saves};
    const bool by_size = need->bytes <= there_;
    if (!by_size || need->suffices) lever.fits = by_size;
    found_.push_back(std::move(lever));
  }

  [[nodiscard]] std::optional<Need> need_with(const Case& which, const Schedule& schedule) const {
    return far_ ? far_need_of(which, schedule, now_.bytes) : need_of(which, schedule);
  }

  /// The network read again; changes that this job does not allow are none.
  void read_again(std::string change, const CaseOptions& options) {
    try {
      const Workload other = read_workload(workload_.path, options);
      const Case which = make_case(other, machine_, options);
      add(std::move(change), need_with(which, schedule_));
    } catch (const SpecError&) {
    }
  }

  /// The same network with other options.
  void same_network(std::string change, const CaseOptions& options, const Schedule& schedule) {
    try {
      const Case which = make_case(workload_, machine_, options);
      const std::size_t before = found_.size();
      add(std::move(change), need_with(which, schedule));
      if (!far_ && found_.size() > before) check_far(which, found_.back());
    } catch (const SpecError&) {
    }
  }

  /// What of state is in far memory at one time, whatever the schedule.
  static void check_far(const Case& which, Lever& lever) {
    if (!which.moving || lever.fits == false) return;
    const Bytes least = least_far_bytes(*which.moving);
    if (least <= which.far_capacity) return;
    lever.fits = false;
    lever.lacks_far = least - which.far_capacity;
  }

  /// Smaller weights, gradients and activations, in the 16-bit type whose rate the machine has: what training keeps
  /// beside them falls from one to the next.
  void precisions() {
    if (options_.compute == ComputeModel::kPaleo || states_times(*workload_.network)) return;
    const bool has_bfloat16 = machine_.profile.peak.contains(Dtype::kBfloat16);
    const std::array ladder = has_bfloat16 ? std::array{Precision::kAmpBf16, Precision::kBf16Pure}
                                           : std::array{Precision::kAmpFp16, Precision::kFp16};
    const std::optional<Precision> now = workload_.network->precision;
    for (const Precision precision : ladder) {
      if (precision == now) continue;
      CaseOptions options = options_;
      options.precision = precision;
      options.dtype.reset();
      options.graph.types = {};
      read_again(fmt::format("--precision {}", precision_info(precision).name), options);
    }
  }

  /// By arithmetic alone where nothing else of the job changes: where all of the state is near.
  void state() {
    if (workload_.graph.optimizer != Optimizer::kAdam) return;
    if (far_ || options_.state.any() || sharing_devices(options_) > 1) {
      CaseOptions options = options_;
      options.graph.optimizer = Optimizer::kAdam8;
      return read_again("--optimizer adam8", options);
    }
    Bytes saved;
    for (const Layer& layer : workload_.network->layers) {
      const auto bytes = [&](Optimizer optimizer) {
        return Bytes(state_bytes(optimizer, workload_.graph.per_parameter, *layer.model));
      };
      saved += bytes(Optimizer::kAdam) - bytes(Optimizer::kAdam8);
    }
    add("--optimizer adam8", Need{now_.bytes - saved, now_.suffices});
  }

  void sequence() {
    for (const SymbolValue& symbol : workload_.network->symbols) {
      if (symbol.name != "seq" || symbol.value < 2) continue;
      CaseOptions options = options_;
      std::erase_if(options.symbols, [](const SymbolValue& each) { return each.name == "seq"; });
      options.symbols.push_back({.name = "seq", .value = symbol.value / 2});
      read_again(fmt::format("--seq {}", symbol.value / 2), options);
    }
  }

  void batch() {
    const std::int64_t half = batch_of(options_, *workload_.network) / 2;
    if (half < options_.devices) return;
    CaseOptions options = options_;
    options.batch = half;
    same_network(fmt::format("--batch {}", half), options, schedule_);
  }

  void schedules() {
    if (options_.graph.accounting != Accounting::kLiveness) return;
    for (const std::string_view name : {"checkpoint", "capacity"}) {
      const Schedule& other = *find_schedule(name);
      if (&other == &schedule_ || schedule_.is(Trait::kOptimizes)) continue;
      same_network(fmt::format("--schedule {}", name), options_, other);
    }
  }

  /// More and more of the state in far memory, up to the first that fits.
  void offload() {
    const bool possible =
        schedule_.is(Trait::kCarriesState) && !options_.state.any() &&
        !compresses(schedule_, options_.schedule) && options_.devices == 1 &&
        options_.graph.accounting == Accounting::kLiveness &&
        sub_batch_of(options_.graph.accounting, options_.schedule, schedule_).kind ==
            SubBatch::Kind::kOff;
    if (!possible || workload_.graph.optimizer_bytes == 0) return;
    constexpr auto kAll = kOne;
    CaseOptions options = options_;
    options.allocator = Allocator::kIdeal;
    for (const StateOptions& state :
         {StateOptions{.optimizer = kAll}, StateOptions{.optimizer = kAll, .gradients = true},
          StateOptions{.optimizer = kAll, .gradients = true, .weights = kAll}}) {
      options.state = state;
      const std::string text = state_text(state);
      const std::size_t before = found_.size();
      same_network("--offload " + text.substr(0, text.find(';')), options, schedule_);
      if (found_.size() > before && found_.back().fits == true) break;
    }
  }

  /// Gradients in far memory, each updated with when it comes and then freed.
  void freed_gradients() {
    const StateOptions& now = options_.state;
    if (!now.gradients || now.update != UpdateAt::kFar || now.after == UpdateAfter::kEach) return;
    CaseOptions options = options_;
    options.state = {.optimizer = now.optimizer,
                     .gradients = true,
                     .weights = now.weights,
                     .after = UpdateAfter::kEach};
    apply_state_changes(options.state_changes, options.state);
    options.state.after = UpdateAfter::kEach;
    same_network(fmt::format("--offload {} --update-after each", offload_text(options.state)),
                 options, schedule_);
  }

  const Workload& workload_;
  const Machine& machine_;
  const CaseOptions& options_;
  const Schedule& schedule_;
  Need now_;
  bool far_;  ///< what lacks is far memory
  Bytes there_;
  std::vector<Lever> found_ = {};
};

}  // namespace

bool lacks_near_memory(const RunReport& report) {
  return report.out_of_memory && report.out_of_memory->tier == OutOfMemory::Tier::kNear;
}

std::optional<BytesByCategory> in_core_by_category(const Case& which) {
  if (is_footprint(which.accounting) || which.devices > 1) return std::nullopt;
  const Schedule& in_core = *find_schedule("in-core");
  Case roomy = which;
  roomy.budget = Bytes(kMaxTotalBytes);
  roomy.allocator = Allocator::kIdeal;
  roomy.moving = nullptr;
  roomy.schedule_options = {.algorithms = which.schedule_options.algorithms};
  const PlanResult made = plan_job(roomy, in_core, roomy.budget).plan;
  const Plan* plan = std::get_if<Plan>(&made);
  if (plan == nullptr) return std::nullopt;
  SimulationBuffers buffers;
  const SimulationInput input{
      .plan = *plan, .costs = which.costs, .budget = roomy.budget, .records = true};
  if (simulate(input, buffers)) return std::nullopt;
  return peak_near_by_category(*plan, which.workload.graph, buffers.timeline);
}

std::vector<Lever> levers(const Workload& workload, const Machine& machine,
                          const CaseOptions& options, const Schedule& schedule,
                          const RunReport& report) {
  if (!report.out_of_memory) return {};
  const OutOfMemory& oom = *report.out_of_memory;
  const bool searches = schedule.is(Trait::kOptimizes);
  const std::optional<Need> now = need_of(oom);
  if (!now || (oom.tier == OutOfMemory::Tier::kFar && searches)) return {};
  return Changes(workload, machine, options, schedule, *now, oom.tier).all();
}

}  // namespace ooc
