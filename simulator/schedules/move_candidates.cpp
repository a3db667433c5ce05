// Candidates and footprints by the lifetimes of the graph alone. A tensor that is read again by the
// very next task is no candidate: moving it would free nothing.
#include "simulator/schedules/move_candidates.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>

#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"
#include "model/network/network.hpp"
#include "simulator/plan/memory_ledger.hpp"
#include "simulator/schedules/lms_compress.hpp"
#include "simulator/schedules/own_options.hpp"
#include "simulator/schedules/task_plan.hpp"

namespace ooc {
namespace {

bool is_candidate(const TrainingGraph& graph, TensorId tensor) {
  const Lifetime& life = graph.lifetimes[tensor.at()];
  return is_saved(graph, tensor) && life.last_forward_use &&
         life.first_backward_use->index > life.last_forward_use->index + 1;
}

/// True if `text` is `pattern`, whose * stand for any letters.
bool matches(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() != '*') {
    return !text.empty() && text.front() == pattern.front() &&
           matches(text.substr(1), pattern.substr(1));
  }
  return matches(text, pattern.substr(1)) || (!text.empty() && matches(text.substr(1), pattern));
}

/// By layer: true if a pattern is its name, its name within its block or its kind.
std::vector<bool> named_layers(const Network& network, const std::string& patterns) {
  std::vector<bool> named(network.layers.size());
  for (const std::string& pattern : split_list(patterns, "--only")) {
    bool found = false;
    for (std::size_t i = 0; i < named.size(); ++i) {
      const Layer& layer = network.layers[i];
      const std::string_view name = layer.name;
      const std::string_view within =
          name.substr(std::min(block_name(name).size() + 1, name.size()));
      if (!matches(name, pattern) && !matches(within, pattern) &&
          !matches(layer.kind->name, pattern)) {
        continue;
      }
      named[i] = found = true;
    }
    if (!found) {
      bad_value("--only", in_quotes(pattern),
                "names of layers or kinds such as attention; `ooc-paleo inspect` lists them");
    }
  }
  return named;
}

}  // namespace

std::vector<bool> may_move(const PlanningProblem& problem) {
  const TrainingGraph& graph = problem.graph;
  const std::string& only = problem.options.own->only;
  std::vector<bool> moves(graph.tensors.size(), only.empty());
  if (only.empty()) return moves;
  const std::vector<bool> named = named_layers(*graph.network, only);
  for (std::size_t i = graph.forward_tasks; i < graph.backward_end; ++i) {
    if (!named[graph.tasks[i].layer.at()]) continue;
    for (const TensorId read : graph.reads[make_id<TaskId>(i)]) moves[read.at()] = true;
  }
  return moves;
}

std::vector<TensorId> find_candidates(const PlanningProblem& problem) {
  std::vector<TensorId> candidates = find_candidates(problem.graph);
  const std::vector<bool> moves = may_move(problem);
  std::erase_if(candidates, [&](TensorId tensor) { return !moves[tensor.at()]; });
  return candidates;
}

std::int32_t written_at(const TrainingGraph& graph, TensorId tensor) {
  const auto& writer = graph.lifetimes[tensor.at()].last_writer;
  return writer ? writer->index : -1;
}

std::vector<TensorId> find_candidates(const TrainingGraph& graph) {
  std::vector<TensorId> candidates;
  for (TensorId tensor; tensor.at() < graph.tensors.size(); ++tensor.index) {
    if (is_candidate(graph, tensor)) candidates.push_back(tensor);
  }
  std::ranges::sort(candidates, {}, [&](TensorId each) {
    return std::tuple(*graph.lifetimes[each.at()].first_backward_use, -written_at(graph, each),
                      each);
  });
  return candidates;
}

Footprint footprint_without(const PlanningProblem& problem, const std::vector<TensorId>& away) {
  std::vector<std::optional<TaskId>> back(problem.graph.tensors.size());
  for (const TensorId tensor : away) {
    back[tensor.at()] = problem.graph.lifetimes[tensor.at()].first_backward_use;
  }
  return footprint_between(problem, back);
}

Footprint footprint_between(const PlanningProblem& problem,
                            const std::vector<std::optional<TaskId>>& back) {
  const TrainingGraph& graph = problem.graph;
  Footprint footprint(problem, graph.tasks.size());
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const TensorId tensor = make_id<TensorId>(i);
    const Lifetime& life = graph.lifetimes[i];
    if (!life.last_use) continue;
    const std::size_t end = life.last_use->at() + 1;
    if (back[i]) {
      footprint.add({tensor, first_task(life), life.last_forward_use->at() + 1});
      footprint.add({tensor, back[i]->at(), end});
    } else {
      footprint.add({tensor, first_task(life), end});
    }
  }
  footprint.add_workspaces();
  return footprint;
}

std::optional<OutOfMemory> task_shortage(const PlanningProblem& problem,
                                         const Footprint& footprint) {
  return footprint.shortage(
      [&](std::size_t i) { return task_name(problem.graph, make_id<TaskId>(i)); });
}

// The order of returns is that of Janssen, Zolotov, Le's restorations (lms_compress.hpp): one after another.

namespace {

/// By reader, of one reader's in the same order. What backward writes as well returns once: far memory has it as it was.
std::vector<Restoration> for_each_reader(const TrainingGraph& graph,
                                         const std::vector<Restoration>& once) {
  constexpr std::size_t kStays = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> place(graph.tensors.size(), kStays);
  for (std::size_t i = 0; i < once.size(); ++i) place[once[i].moved.at()] = i;
  std::vector<bool> written(graph.tensors.size());
  std::vector<Restoration> each;
  std::vector<std::size_t> read;
  for (std::size_t i = graph.forward_tasks; i < graph.backward_end; ++i) {
    const TaskId task = make_id<TaskId>(i);
    for (const TensorId tensor : graph.writes[task]) written[tensor.at()] = true;
  }
  for (std::size_t i = graph.forward_tasks; i < graph.backward_end; ++i) {
    const TaskId task = make_id<TaskId>(i);
    read.clear();
    for (const TensorId tensor : graph.reads[task]) {
      if (place[tensor.at()] != kStays) read.push_back(place[tensor.at()]);
    }
    std::ranges::sort(read);
    for (const std::size_t index : read) {
      Restoration restoration = once[index];
      const TensorId tensor = restoration.moved;
      if (!written[tensor.at()]) {
        restoration.reader = task;
      } else if (graph.lifetimes[tensor.at()].first_backward_use != task) {
        continue;
      }
      each.push_back(restoration);
    }
  }
  return each;
}

}  // namespace

std::vector<TensorId> in_order_of_return(const TrainingGraph& graph,
                                         std::span<const TensorId> away) {
  std::vector<bool> moves(graph.tensors.size());
  for (const TensorId tensor : away) moves[tensor.at()] = true;
  std::vector<TensorId> ordered = find_candidates(graph);
  std::erase_if(ordered, [&](TensorId tensor) { return !moves[tensor.at()]; });
  return ordered;
}

PlanResult plan_moving(const PlanningProblem& problem, const std::vector<TensorId>& away,
                       Returns returns) {
  const Footprint footprint = footprint_without(problem, away);
  if (auto shortage = task_shortage(problem, footprint)) return *std::move(shortage);
  MemoryLedger ledger(footprint.bytes());
  std::vector<Restoration> restorations;
  for (const TensorId tensor : in_order_of_return(problem.graph, away)) {
    restorations.push_back({.moved = tensor, .used = tensor});
  }
  if (returns == Returns::kForEachReader) {
    restorations = for_each_reader(problem.graph, restorations);
  }
  return build_task_plan(problem, chain_restorations(problem, ledger, restorations));
}

}  // namespace ooc
