// Candidates and footprints by the lifetimes of the graph alone. A tensor that is read again by the
// very next task is no candidate: moving it would free nothing.
#include "simulator/schedules/move_candidates.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"
#include "model/network/block_name.hpp"
#include "simulator/schedules/own_options.hpp"

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
      option_error("--only", in_quotes(pattern),
                   "names of layers or kinds such as attention; "
                   "`ooc-paleo inspect` lists them");
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
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const TensorId tensor = make_id<TensorId>(i);
    if (is_candidate(graph, tensor)) candidates.push_back(tensor);
  }
  std::sort(candidates.begin(), candidates.end(), [&](TensorId a, TensorId b) {
    const TaskId use_a = *graph.lifetimes[a.at()].first_backward_use;
    const TaskId use_b = *graph.lifetimes[b.at()].first_backward_use;
    if (use_a != use_b) return use_a < use_b;
    const std::int32_t written_a = written_at(graph, a);
    const std::int32_t written_b = written_at(graph, b);
    return written_a != written_b ? written_a > written_b : a < b;
  });
  return candidates;
}

Footprint footprint_without(const PlanningProblem& problem, const std::vector<TensorId>& away) {
  const TrainingGraph& graph = problem.graph;
  std::vector<bool> moves(graph.tensors.size());
  for (const TensorId tensor : away) moves[tensor.at()] = true;
  Footprint footprint(problem, graph.tasks.size());
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const TensorId tensor = make_id<TensorId>(i);
    const Lifetime& life = graph.lifetimes[i];
    if (!life.last_use) continue;
    const std::size_t end = life.last_use->at() + 1;
    if (moves[i]) {
      footprint.add({tensor, first_task(life), life.last_forward_use->at() + 1});
      footprint.add({tensor, life.first_backward_use->at(), end});
    } else {
      footprint.add({tensor, first_task(life), end});
    }
  }
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    footprint.add_workspace(make_id<TaskId>(i), i);
  }
  return footprint;
}

std::optional<OutOfMemory> task_shortage(const PlanningProblem& problem,
                                         const Footprint& footprint) {
  return footprint.shortage(
      [&](std::size_t i) { return task_name(problem.graph, make_id<TaskId>(i)); });
}

}  // namespace ooc
