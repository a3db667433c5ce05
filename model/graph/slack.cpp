// The task graph as a Boost.Graph; orders come from its topological sort.
#include "model/graph/slack.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/topological_sort.hpp>
#include <iterator>
#include <optional>

namespace ooc {
namespace {

using TaskFlow = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

std::vector<FlowEdge> find_edges(const TrainingGraph& graph) {
  std::vector<FlowEdge> edges;
  std::vector<std::optional<TaskId>> writer(graph.tensors.size());
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const TaskId task = make_id<TaskId>(i);
    for (const TensorId tensor : graph.reads[task]) {
      if (writer[tensor.at()]) edges.push_back({*writer[tensor.at()], task, tensor, 0});
    }
    for (const TensorId tensor : graph.writes[task]) writer[tensor.at()] = task;
  }
  return edges;
}

/// Tasks in topological order, producers first.
std::vector<std::size_t> sorted_tasks(std::size_t tasks, const std::vector<FlowEdge>& edges) {
  TaskFlow flow(tasks);
  for (const FlowEdge& edge : edges) boost::add_edge(edge.from.at(), edge.to.at(), flow);
  std::vector<std::size_t> order;
  order.reserve(tasks);
  boost::topological_sort(flow, std::back_inserter(order));
  std::reverse(order.begin(), order.end());
  return order;
}

Csr<TaskId, TaskId> successors(std::size_t tasks, const std::vector<FlowEdge>& edges) {
  std::vector<std::pair<TaskId, TaskId>> pairs;
  pairs.reserve(edges.size());
  for (const FlowEdge& edge : edges) pairs.emplace_back(edge.from, edge.to);
  return {tasks, pairs};
}

}  // namespace

TimingAnalysis analyse_timing(const TrainingGraph& graph) {
  const std::size_t tasks = graph.tasks.size();
  TimingAnalysis result;
  result.edges = find_edges(graph);
  result.required.assign(tasks, 0);
  result.arrival.assign(tasks, 0);
  const Csr<TaskId, TaskId> next = successors(tasks, result.edges);
  for (const std::size_t task : sorted_tasks(tasks, result.edges)) {
    result.arrival[task] = result.required[task] + 1;
    for (const TaskId to : next[make_id<TaskId>(task)]) {
      result.required[to.at()] = std::max(result.required[to.at()], result.arrival[task]);
    }
  }
  for (FlowEdge& edge : result.edges) {
    edge.slack = result.required[edge.to.at()] - result.arrival[edge.from.at()];
  }
  return result;
}

Duration critical_path(const TrainingGraph& graph, const std::vector<Duration>& durations) {
  const std::size_t tasks = graph.tasks.size();
  const std::vector<FlowEdge> edges = find_edges(graph);
  const Csr<TaskId, TaskId> next = successors(tasks, edges);
  std::vector<Duration> start(tasks);
  Duration longest;
  for (const std::size_t task : sorted_tasks(tasks, edges)) {
    const Duration end = start[task] + durations[task];
    longest = std::max(longest, end);
    for (const TaskId to : next[make_id<TaskId>(task)])
      start[to.at()] = std::max(start[to.at()], end);
  }
  return longest;
}

}  // namespace ooc
