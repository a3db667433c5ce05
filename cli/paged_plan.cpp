// A part is 1/512 of the budget, in whole blocks of 2 MiB, which is what NVIDIA's driver evicts at once: fine
// enough that the part by which an eviction takes too much is small, and coarse enough that a plan has
// thousands of copies and not millions.
#include "cli/paged_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/round_costs.hpp"
#include "model/base/errors.hpp"
#include "model/cost/parts.hpp"
#include "model/cost/unified_cost.hpp"
#include "simulator/schedules/paging.hpp"

namespace ooc {
namespace {

constexpr std::int64_t kDriverBlock = std::int64_t{2} << 20;
constexpr std::int64_t kPartsOfBudget = 512;

Bytes part_size(Bytes budget) {
  const std::int64_t blocks = budget.count() / kPartsOfBudget / kDriverBlock + 1;
  return Bytes(blocks * kDriverBlock);
}

std::vector<std::string> modes_of(const Schedule& schedule) {
  if (!schedule.moves_pages) return {};
  if (schedule.prefetches_pages) return {"unified_fault", "unified_prefetch"};
  return {"unified_fault"};
}

/// The first mode that the profile lacks; "" if it has all.
std::string missing_mode(const Schedule& schedule, const HardwareProfile& hardware) {
  for (const std::string& mode : modes_of(schedule)) {
    if (!hardware.connection.modes.contains(mode)) return mode;
  }
  return "";
}

class PagedPlanner {
 public:
  PagedPlanner(const Case& which, const Schedule& schedule, Bytes budget)
      : which_(which),
        schedule_(schedule),
        budget_(budget),
        parts_(cut_tensors(which.costs.tensor_bytes, part_size(budget))),
        graph_(cut_graph(which.workload.graph, parts_)),
        costs_(cut(which.costs)) {}

  RoundsResult run(SubBatch sub_batch) {
    RoundsResult result;
    if (sub_batch.kind == SubBatch::Kind::kOff) {
      result.plan = plan(costs_);
    } else {
      result = plan_in_rounds(
          {.graph = graph_,
           .costs = costs_,
           .budget = budget_,
           .sub_batch = sub_batch,
           .costs_at = [this](auto batch) { return cut(round_costs(which_, batch)); },
           .plan = [this](const CostTable& costs) { return plan(costs); }});
    }
    if (result.rounds == nullptr && std::holds_alternative<Plan>(result.plan)) {
      result.rounds = std::make_shared<const Rounds>(Rounds{.sub_batch = costs_.batch,
                                                            .count = 1,
                                                            .graph = std::move(graph_),
                                                            .costs = std::move(costs_)});
    }
    return result;
  }

 private:
  CostTable cut(const CostTable& whole) const {
    CostTable costs = cut_costs(whole, parts_);
    costs.transfers = estimate_unified(
        costs.tensor_bytes, which_.hardware, which_.transfers,
        schedule_.prefetches_pages ? PageCopies::kPrefetched : PageCopies::kOnDemand);
    return costs;
  }
  PlanResult plan(const CostTable& costs) const {
    return schedule_.make_plan(
        {.graph = graph_, .costs = costs, .budget = budget_, .options = which_.schedule_options});
  }

  const Case& which_;
  const Schedule& schedule_;
  Bytes budget_;
  Parts parts_;
  TrainingGraph graph_;
  CostTable costs_;
};

}  // namespace

RoundsResult plan_in_pages(const Case& which, const Schedule& schedule, Bytes budget,
                           SubBatch sub_batch) {
  // Nothing that does not fit is cut: a tensor larger than memory has any number of parts.
  if (sub_batch.kind == SubBatch::Kind::kOff) {
    auto shortage = paging_shortage({.graph = which.workload.graph,
                                     .costs = which.costs,
                                     .budget = budget,
                                     .options = which.schedule_options});
    if (shortage) return {*std::move(shortage), nullptr};
  }
  return PagedPlanner(which, schedule, budget).run(sub_batch);
}

std::string transfer_mode(const Schedule& schedule, const std::string& given) {
  const std::vector<std::string> modes = modes_of(schedule);
  return modes.empty() ? given : modes.back();
}

void check_pages(const Schedule& schedule, const Machine& machine, const CaseOptions& options) {
  const std::string mode = missing_mode(schedule, machine.profile);
  if (!mode.empty()) {
    throw SpecError({.file = machine.path,
                     .place = "/connection/modes/" + mode,
                     .found = "nothing",
                     .expected = fmt::format("the mode \"{}\", by which {} copies",
                                             mode, schedule.name),
                     .hint = "add it, or choose another schedule"});
  }
  if (schedule.moves_pages && options.devices > 1) {
    bad_value("--devices", fmt::format("{} with the schedule {}", options.devices, schedule.name),
              "1", "how devices share unified memory is not modelled");
  }
}

std::vector<const Schedule*> supported(std::vector<const Schedule*> chosen, const Machine& machine,
                                       const CaseOptions& options, Remarks remarks) {
  std::erase_if(chosen, [&](const Schedule* schedule) {
    try {
      check_pages(*schedule, machine, options);
      return false;
    } catch (const SpecError& error) {
      remark(remarks, fmt::format("{} is left out: {}", schedule->name, error.what()));
      return true;
    }
  });
  return chosen;
}

std::vector<const Schedule*> runnable(std::vector<const Schedule*> chosen, bool all,
                                      const Machine& machine, const CaseOptions& options,
                                      Remarks remarks) {
  if (all) return supported(std::move(chosen), machine, options, remarks);
  for (const Schedule* schedule : chosen) check_pages(*schedule, machine, options);
  return chosen;
}

}  // namespace ooc
