// One pass over the tasks for each table.
#include "simulator/schedules/mix_facts.hpp"

#include <algorithm>
#include <utility>

#include "simulator/plan/bounds.hpp"
#include "simulator/schedules/segments.hpp"

namespace ooc {

MixFacts::MixFacts(const PlanningProblem& the_problem, Algorithms which, Idle idle_times)
    : problem(the_problem),
      graph(the_problem.graph),
      available((the_problem.budget - the_problem.costs.static_bytes).count()),
      tasks(graph.tasks.size()),
      forward(graph.forward_tasks),
      tensors(graph.tensors.size()),
      is_input(tensors),
      written_first(tensors, kNoIndex) {
  const CostTable& costs = problem.costs;
  for (std::size_t x = 0; x < tensors; ++x) {
    bytes.push_back(costs.tensor_bytes[x].count());
    out_time.push_back(costs.transfers.to_far[x].alone.count());
    in_time.push_back(costs.transfers.to_near[x].alone.count());
  }
  const LinkSpeed speed = fastest_link(costs.transfers);
  rate = std::max<std::int64_t>(1, std::min(speed.to_far, speed.to_near).count());
  find_touches();
  find_algorithms(which);
  find_pieces_of();
  find_idle(idle_times);
}

void MixFacts::find_touches() {
  std::vector<std::vector<std::uint32_t>> used_by(tensors);
  for (std::size_t t = 0; t < tasks; ++t) {
    const auto id = make_id<TaskId>(t);
    touches.begin_list();
    const auto touch = [&](std::size_t tensor, bool writes) {
      auto& used = used_by[tensor];
      if (!used.empty() && used.back() == t) return;  // it is written, too
      const bool first = writes && graph.lifetimes[tensor].first_writer == id;
      if (first) written_first[tensor] = static_cast<std::uint32_t>(t);
      used.push_back(static_cast<std::uint32_t>(t));
      touches.add({static_cast<std::uint32_t>(tensor), writes, first});
    };
    for (const TensorId tensor : graph.writes[id]) touch(tensor.at(), true);
    for (const TensorId tensor : graph.reads[id]) touch(tensor.at(), false);
  }
  touches.end_all();
  for (std::size_t x = 0; x < tensors; ++x) {
    is_input[x] = !used_by[x].empty() && !graph.lifetimes[x].first_writer;
    uses.begin_list();
    for (const std::uint32_t task : used_by[x]) uses.add(task);
  }
  uses.end_all();
}

void MixFacts::find_algorithms(Algorithms which) {
  const CostTable& costs = problem.costs;
  std::vector<TaskAlgorithm> sorted;
  for (std::size_t t = 0; t < tasks; ++t) {
    const auto id = make_id<TaskId>(t);
    sorted.clear();
    const auto add = [&](AlternativeId algorithm) {
      sorted.push_back(
          {algorithm, costs[algorithm].time.count(), costs[algorithm].workspace.count()});
    };
    if (which == Algorithms::kChosen) {
      add(problem.chosen(id));
    } else {
      for (std::int32_t algorithm = costs.first_alternative[t];
           algorithm < costs.first_alternative[t + 1]; ++algorithm) {
        add(AlternativeId{algorithm});
      }
    }
    std::ranges::stable_sort(
        sorted, {}, [](const TaskAlgorithm& each) { return std::pair(each.time, each.workspace); });
    std::int64_t alone = 0;
    for (const TaskTouch& touch : touches[t]) alone += bytes[touch.tensor];
    std::int64_t least = sorted.back().time;
    algorithms.begin_list();
    std::int64_t workspace = std::numeric_limits<std::int64_t>::max();
    for (const TaskAlgorithm& algorithm : sorted) {
      if (algorithm.workspace >= workspace) continue;
      workspace = algorithm.workspace;
      algorithms.add(algorithm);
      if (alone + workspace <= available) least = std::min(least, algorithm.time);
    }
    least_compute += least;
  }
  algorithms.end_all();
}

void MixFacts::find_pieces_of() {
  const Pieces pieces = find_pieces(graph);
  piece_of.assign(tensors, kNoIndex);
  for (std::size_t x = 0; x < tensors; ++x) {
    if (written_first[x] < forward && pieces.of_tensor[x]) {
      piece_of[x] = static_cast<std::uint32_t>(pieces.of_tensor[x]->index);
    }
  }
  for (std::size_t p = 0; p < pieces.tasks_of.rows(); ++p) {
    piece_tasks.begin_list();
    for (const TaskId task : pieces.tasks_of[make_id<PieceId>(p)]) {
      piece_tasks.add(static_cast<std::uint32_t>(task.index));
    }
  }
  piece_tasks.end_all();
}

/// What is idle for one or two tasks only, in which it cannot even be half copied in, costs more than it gives.
bool MixFacts::worthwhile(const IdleTime& time) const {
  if (time.to - time.from > 3) return true;
  std::int64_t idle_time = 0;
  for (std::uint32_t t = time.from + 1; t < time.to; ++t) idle_time += algorithms[t].front().time;
  return idle_time * 2 >= in_time[time.tensor.at()];
}

bool MixFacts::takes_part_in(Idle which, const IdleTime& time) const {
  switch (which) {
    case Idle::kAll:
      return true;
    case Idle::kWorthwhile:
      return worthwhile(time);
    case Idle::kSaved:
      return time.from < forward && time.to >= forward;
  }
  return true;
}

void MixFacts::add_idle(std::size_t x, Idle which) {
  const auto used = uses[x];
  const bool is_moved = bytes[x] > 0 && !used.empty();
  const auto& writer = graph.lifetimes[x].last_writer;
  const bool forward_wrote = piece_of[x] != kNoIndex;
  for (std::size_t i = 0; i < used.size(); ++i) {
    const bool last = i + 1 == used.size();
    IdleTime time{.tensor = make_id<TensorId>(x), .from = used[i], .bytes = bytes[x]};
    time.read = used[only_holds(used[i], time.tensor) ? i - 1 : i];
    time.to = last ? static_cast<std::uint32_t>(tasks) : used[i + 1];
    time.late = last;
    time.droppable = forward_wrote && time.from < forward && time.to >= forward &&
                     (last || writer->at() < forward);
    const bool takes_part = last ? time.droppable || is_input[x] != 0
                                 : time.to - time.from > 1 && takes_part_in(which, time);
    if (!is_moved || !takes_part) {
      idle_after.add(kNoIndex);
      continue;
    }
    if (time.droppable) {
      for (const std::uint32_t t : piece_tasks[piece_of[x]])
        time.again += algorithms[t].front().time;
    }
    idle_after.add(static_cast<std::uint32_t>(idle.size()));
    idle.push_back(time);
  }
}

void MixFacts::find_idle(Idle which) {
  for (std::size_t x = 0; x < tensors; ++x) {
    idle_after.begin_list();
    add_idle(x, which);
  }
  idle_after.end_all();
}

Decisions keep_all(const MixFacts& facts) {
  Decisions all{.treatment = std::vector<Treatment>(facts.idle.size(), Treatment::kKeep),
                .algorithm = std::vector<std::uint8_t>(facts.tasks)};
  for (std::size_t i = 0; i < facts.idle.size(); ++i) {
    if (!facts.idle[i].late) continue;
    all.treatment[i] = facts.idle[i].droppable ? Treatment::kDrop : Treatment::kMove;
  }
  return all;
}

Decisions move_all(const MixFacts& facts) {
  Decisions all = keep_all(facts);
  for (Treatment& each : all.treatment) {
    if (each == Treatment::kKeep) each = Treatment::kMove;
  }
  for (std::size_t t = 0; t < facts.tasks; ++t) {
    all.algorithm[t] = static_cast<std::uint8_t>(facts.algorithms[t].size() - 1);
  }
  return all;
}

}  // namespace ooc
