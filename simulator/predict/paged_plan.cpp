// A part is 1/512 of the budget, in whole blocks of 2 MiB, which is what NVIDIA's driver evicts at once: fine
// enough that the part by which an eviction takes too much is small, and coarse enough that a plan has
// thousands of copies and not millions. Where that is too coarse for a task with many tensors, the parts of those
// are half as large, and so on down to single blocks; what does not fit even then, in the slices that hold least,
// does not run. A plan of too many copies is refused: it would take gigabytes, and tell of nothing but thrashing.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "model/base/errors.hpp"
#include "model/cost/transfer_cost.hpp"
#include "model/rewrite/parts.hpp"
#include "simulator/predict/planning.hpp"
#include "simulator/schedules/footprint.hpp"

namespace ooc {
namespace {

constexpr std::int64_t kDriverBlock = std::int64_t{2} << 20;
constexpr std::int64_t kPartsOfBudget = 512;

/// Of all parts, and of the uses of parts by the slices of tasks: each may be a copy in and one out.
constexpr std::int64_t kMostParts = std::int64_t{1} << 22;
constexpr std::int64_t kMostUses = std::int64_t{1} << 22;

Bytes part_size(Bytes budget) {
  const std::int64_t blocks = budget.count() / kPartsOfBudget / kDriverBlock + 1;
  return Bytes(blocks * kDriverBlock);
}

/// Of that size, at most, in all.
std::int64_t parts_in(const Case& which, Bytes size) {
  std::int64_t sum = 0;
  for (const Bytes bytes : which.costs.tensor_bytes) sum += bytes.count() / size.count() + 1;
  return sum;
}

/// The task that holds most in the slices in which it holds least, with what that is.
struct LargestTask {
  TaskId task;
  Bytes bytes;
};

/// What is alive at once, beside what near memory holds of it, has to be far: network inputs are there
/// anyway. Found before anything is cut: a batch that is far too large has any number of parts.
std::optional<OutOfMemory> far_shortage(const Case& which, Bytes budget) {
  const TrainingGraph& graph = which.workload.graph;
  Bytes inputs;
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    if (graph.tensors[i].role == TensorRole::kInput) inputs += which.costs.tensor_bytes[i];
  }
  const Bytes far = which.far_capacity;
  const Bytes needed = which.in_core_peak - inputs - budget;
  if (needed <= far) return std::nullopt;
  return OutOfMemory{.step = "copies out",
                     .wanted = needed,
                     .free = far,
                     .largest_hole = far,
                     .least_budget = needed,
                     .tier = OutOfMemory::Tier::kFar};
}

/// By task of the network, before it is sliced.
std::vector<AlternativeId> chosen_algorithms(const Case& which, Bytes budget) {
  PlanningProblem whole{.graph = which.workload.graph,
                        .costs = which.costs,
                        .budget = budget,
                        .options = which.schedule_options};
  fit_algorithms(whole);
  std::vector<AlternativeId> chosen;
  for (std::size_t i = 0; i < whole.graph.tasks.size(); ++i) {
    chosen.push_back(whole.chosen(make_id<TaskId>(i)));
  }
  return chosen;
}

/// None where even single blocks do not do.
struct PageCut {
  std::optional<Parts> parts;
  LargestTask largest;
};

/// As coarse as will do: where a task holds too much, the parts of its tensors become half as large, and so on.
class PageCutter {
 public:
  PageCutter(const Case& which, Bytes budget)
      : which_(which),
        graph_(which.workload.graph),
        available_(budget - which.costs.static_bytes),
        ways_(chosen_algorithms(which, budget)),
        size_(graph_.tensors.size(), part_size(budget)) {}

  PageCut run() && {
    do {
      cut_.parts = cut_tensors(which_.costs.tensor_bytes, size_);
      find_largest();
      if (cut_.largest.bytes <= available_) {
        slice_tasks(*cut_.parts, graph_, which_.costs, ways_, available_);
        return std::move(cut_);
      }
      if (cut_.parts->first.back() > kMostParts) return std::move(cut_);
    } while (refine());
    cut_.parts.reset();
    return std::move(cut_);
  }

 private:
  void find_largest() {
    too_coarse_.assign(graph_.tensors.size(), false);
    for (std::size_t i = 0; i < graph_.tasks.size(); ++i) {
      const TaskId task = make_id<TaskId>(i);
      const Bytes need = least_need(graph_, which_.costs, *cut_.parts, task, ways_[i]).bytes;
      if (i == 0 || need > cut_.largest.bytes) cut_.largest = {task, need};
      if (need <= available_) continue;
      for (const auto tensors : {graph_.reads[task], graph_.writes[task]}) {
        for (const TensorId tensor : tensors) too_coarse_[tensor.at()] = true;
      }
    }
  }

  /// False if all that is too coarse is in single blocks already.
  bool refine() {
    bool finer = false;
    for (std::size_t i = 0; i < size_.size(); ++i) {
      const std::int64_t blocks = size_[i].count() / kDriverBlock;
      if (!too_coarse_[i] || blocks == 1) continue;
      size_[i] = Bytes((blocks + 1) / 2 * kDriverBlock);
      finer = true;
    }
    return finer;
  }

  const Case& which_;
  const TrainingGraph& graph_;
  Bytes available_;
  std::vector<AlternativeId> ways_;  ///< by task
  std::vector<Bytes> size_;          ///< of the parts, by tensor
  std::vector<bool> too_coarse_;     ///< by tensor
  PageCut cut_;
};

/// How often slices of tasks use parts.
std::int64_t uses_of(const TrainingGraph& graph, const Parts& parts) {
  std::int64_t uses = 0;
  for (TaskId task; task.at() < graph.tasks.size(); ++task.index) {
    for (const auto tensors : {graph.reads[task], graph.writes[task]}) {
      for (const TensorId tensor : tensors) {
        uses += std::max(parts.count(tensor), parts.slices_of(task));
      }
    }
  }
  return uses;
}

[[noreturn]] void too_many(const Case& which, const std::string& what, std::int64_t most) {
  bad_value("--batch", fmt::format("{}, for which a plan in pages has {}", which.costs.batch, what),
            fmt::format("at most {}", most), "give more memory or a smaller batch");
}

OutOfMemory near_shortage(const Case& which, const LargestTask& largest, Bytes budget) {
  const Bytes fixed = which.costs.static_bytes;
  const Bytes free = std::max(Bytes(0), budget - fixed);
  OutOfMemory oom{.step = task_name(which.workload.graph, largest.task),
                  .wanted = largest.bytes,
                  .free = free,
                  .largest_hole = free,
                  .smallest_budget = fixed + largest.bytes};
  if (fixed.count() > 0) oom.holders.push_back({"weights, gradients, optimiser state", fixed});
  return oom;
}

std::vector<std::string> modes_of(const Schedule& schedule) {
  if (!schedule.is(Trait::kMovesPages)) return {};
  if (schedule.is(Trait::kPrefetchesPages)) return {"unified_fault", "unified_prefetch"};
  return {"unified_fault"};
}

class PagedPlanner {
 public:
  PagedPlanner(const Case& which, const Schedule& schedule, Bytes budget, Parts parts)
      : which_(which),
        schedule_(schedule),
        budget_(budget),
        parts_(std::move(parts)),
        graph_(std::make_shared<const TrainingGraph>(cut_graph(which.workload.graph, parts_))),
        costs_(costs_of(which.costs)) {
    const std::vector<AlternativeId> ways = chosen_algorithms(which, budget);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      place_.insert(place_.end(), static_cast<std::size_t>(parts_.slices_of(make_id<TaskId>(i))),
                    ways[i].index - which.costs.first_alternative[i]);
    }
  }

  PlannedIteration run(SubBatch sub_batch) {
    PlannedIteration result;
    if (sub_batch.kind == SubBatch::Kind::kOff) {
      result.plan = plan(costs_);
    } else {
      result = plan_in_rounds(
          {.graph = *graph_,
           .costs = costs_,
           .budget = budget_,
           .sub_batch = sub_batch,
           .costs_at = [this](auto batch) { return costs_of(round_costs(which_, batch)); },
           .plan = [this](const CostTable& costs) { return plan(costs); }});
    }
    if (result.iteration == nullptr && std::holds_alternative<Plan>(result.plan)) {
      result.iteration = std::make_shared<const Iteration>(
          Iteration{.graph = graph_, .costs = std::move(costs_), .sub_batch = which_.sub_batch});
    }
    return result;
  }

 private:
  CostTable costs_of(const CostTable& whole) const {
    CostTable costs = cut_costs(whole, parts_);
    costs.transfers = estimate_unified(
        costs.tensor_bytes, which_.hardware, which_.transfers,
        schedule_.is(Trait::kPrefetchesPages) ? PageCopies::kPrefetched : PageCopies::kOnDemand);
    return costs;
  }
  PlanResult plan(const CostTable& costs) const {
    // Of rounds a task may have fewer alternatives than of the whole batch.
    std::vector<AlternativeId> ways;
    for (std::size_t i = 0; i < place_.size(); ++i) {
      const std::int32_t last = costs.first_alternative[i + 1] - 1;
      ways.push_back(AlternativeId{std::min(costs.first_alternative[i] + place_[i], last)});
    }
    return schedule_.make_plan({.graph = *graph_,
                                .costs = costs,
                                .budget = budget_,
                                .options = which_.schedule_options,
                                .by_task = &ways});
  }

  const Case& which_;
  const Schedule& schedule_;
  Bytes budget_;
  Parts parts_;
  std::shared_ptr<const TrainingGraph> graph_;
  CostTable costs_;
  std::vector<std::int32_t> place_ =
      {};  ///< by slice of a task: of its alternative among the task's
};

}  // namespace

PlannedIteration plan_in_pages(const Case& which, const Schedule& schedule, Bytes budget) {
  std::optional<OutOfMemory> far = far_shortage(which, budget);
  if (const std::int64_t parts = parts_in(which, part_size(budget)); parts > kMostParts) {
    if (far) return {*std::move(far)};
    too_many(which, fmt::format("{} parts of tensors", parts), kMostParts);
  }
  PageCut made = PageCutter(which, budget).run();
  if (!made.parts) return {near_shortage(which, made.largest, budget)};
  if (far) return {*std::move(far)};
  if (const std::int64_t parts = made.parts->first.back(); parts > kMostParts) {
    too_many(which, fmt::format("{} parts of tensors", parts), kMostParts);
  }
  if (const std::int64_t uses = uses_of(which.workload.graph, *made.parts); uses > kMostUses) {
    too_many(which, fmt::format("{} uses of parts of tensors", uses), kMostUses);
  }
  return PagedPlanner(which, schedule, budget, *std::move(made.parts))
      .run(sub_batch_of(which, schedule));
}

std::string asks_pages(const PassJob& job) {
  const bool asked = job.schedule != nullptr && job.schedule->is(Trait::kMovesPages);
  return asked ? fmt::format("--schedule {}", job.schedule->name) : "";
}

std::vector<Exclusion> pages_without(const PassJob& job) {
  return {{job.devices > 1, fmt::format("--devices {}", job.devices), "use one device",
           "how devices share unified memory is not modelled"},
          {job.framework.copies.streams != CopyStreams::kOverlap,
           fmt::format("--framework {}", job.framework.name),
           "use a framework whose copies overlap (copy_streams)",
           "the driver moves pages: no framework's copies wait for them"}};
}

std::string missing_mode(const Schedule& schedule, const HardwareProfile& hardware) {
  if (hardware.one_pool) return "";  // pages stay
  for (const std::string& mode : modes_of(schedule)) {
    if (!hardware.connection.modes.contains(mode)) return mode;
  }
  return "";
}

std::string transfer_mode(const Schedule& schedule, const std::string& given) {
  const std::vector<std::string> modes = modes_of(schedule);
  return modes.empty() ? given : modes.back();
}

void check_modes(const Schedule& schedule, const Machine& machine) {
  const std::string mode = missing_mode(schedule, machine.profile);
  if (!mode.empty()) {
    const bool impossible = machine.profile.connection.impossible_modes.contains(mode);
    throw SpecError(
        {.file = machine.path,
         .place = "/connection/modes/" + mode,
         .found = impossible ? "null: this machine cannot have it" : "nothing",
         .expected = fmt::format("the mode \"{}\", by which {} copies", mode, schedule.name),
         .hint = impossible ? "choose another schedule" : "add it, or choose another schedule"});
  }
}

}  // namespace ooc
