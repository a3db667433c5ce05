// vDNN's walk over the layers. Forward: the flagged input X of a layer is copied out while that layer itself computes;
// the next layer waits for both, then X is dropped. An X with several readers goes with the last of them. Backward: at
// each layer at most one copy in is started, found by the search window: from the layer before downwards, the first
// layer with a flagged X that is still far; a convolution on the way whose X is near or not flagged ends the search
// (there is work enough before anything behind it is needed). What a layer reads and nobody has fetched comes in a
// section of its own before it.
//
// Flags: a tensor that a backward task reads and that some layer of the given kinds reads. Not the inputs of the
// network's last layer that is neither activation nor loss: its backward comes at once.
//
// Source: Rhu et al., vDNN, MICRO 2016, III.B and the findPrefetchLayer listing; Synced, "How to Train a Very Large and
// Deep Model on One GPU?" (2017). Deviations: those papers see one X per layer in a chain; here a layer may read
// several flagged tensors (one is prefetched per section, the rest when needed) and a layer without backward tasks has
// no section to hide a copy behind. Weights' gradients are static.
#include "simulator/schedules/vdnn_common.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "model/base/errors.hpp"
#include "simulator/plan/plan_builder.hpp"
#include "simulator/schedules/footprint.hpp"

namespace ooc {

// From sections to a plan. Everything a section touches is near for the whole section, its results
// and its copies in from the section's start, so the sum per section decides feasibility and the
// engine can never be blocked: what a section takes was free when the barrier before it fell.
// Workspaces of the tasks of one section follow each other, so the largest counts.
//
// A barrier is three waits: each queue's first step in a section waits for the last step that the
// other two queues had before the section (the order on its own queue does the rest).

namespace {

/// Sections in which a tensor is near: its (only or first) stay and, if it moves, the second one.
struct Residence {
  std::optional<Stay> first;
  std::optional<Stay> again;
};

struct Layout {
  std::vector<std::size_t> section_of;  ///< by task
  std::vector<Residence> residences;    ///< by tensor
};

Layout lay_out(const TrainingGraph& graph, const std::vector<Section>& sections) {
  Layout layout;
  std::vector<std::optional<std::size_t>> out(graph.tensors.size());
  std::vector<std::optional<std::size_t>> in(graph.tensors.size());
  for (std::size_t s = 0; s < sections.size(); ++s) {
    OOC_CHECK(sections[s].first_task == layout.section_of.size(),
              "sections run all tasks in order");
    layout.section_of.resize(sections[s].end_task, s);
    for (const TensorId tensor : sections[s].to_far) out[tensor.at()] = s;
    for (const TensorId tensor : sections[s].to_near) in[tensor.at()] = s;
  }
  OOC_CHECK(layout.section_of.size() == graph.tasks.size(), "sections run all tasks in order");
  layout.residences.resize(graph.tensors.size());
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const Lifetime& life = graph.lifetimes[i];
    if (!life.last_use) continue;
    const TensorId tensor = make_id<TensorId>(i);
    Residence& residence = layout.residences[i];
    const std::size_t first = life.first_writer ? layout.section_of[life.first_writer->at()] : 0;
    const std::size_t end = layout.section_of[life.last_use->at()] + 1;
    if (!in[i]) {
      residence.first = Stay{tensor, first, end};
      continue;
    }
    const std::size_t last_forward = layout.section_of[life.last_forward_use->at()];
    const std::size_t dropped = std::max(last_forward, out[i].value_or(last_forward));
    OOC_CHECK(dropped < *in[i], "a tensor leaves before it returns");
    residence.first = Stay{tensor, first, dropped + 1};
    residence.again = Stay{tensor, *in[i], end};
  }
  return layout;
}

/// First task of the section, else its first copy.
std::string section_name(const TrainingGraph& graph, const Section& section) {
  if (section.first_task < section.end_task) {
    return task_name(graph, make_id<TaskId>(section.first_task));
  }
  if (!section.to_near.empty()) return "to_near " + tensor_name(graph, section.to_near.front());
  if (!section.to_far.empty()) return "to_far " + tensor_name(graph, section.to_far.front());
  return "a barrier";
}

class SectionPlanner {
 public:
  SectionPlanner(const PlanningProblem& problem, const std::vector<Section>& sections,
                 const Layout& layout)
      : problem_(problem),
        sections_(sections),
        layout_(layout),
        builder_(problem.costs.static_bytes),
        leaving_(sections.size()) {
    const std::size_t tensors = problem.graph.tensors.size();
    builder_.reserve(problem.graph.tasks.size() + 2 * tensors,
                     2 * tensors + problem.graph.tasks.size());
  }

  Plan run() && {
    for (const Residence& residence : layout_.residences) {
      if (!residence.first) continue;
      const TensorId tensor = residence.first->tensor;
      if (problem_.graph.lifetimes[tensor.at()].first_writer) continue;
      builder_.initially_resident(begin_stay(*residence.first));
    }
    for (std::size_t s = 0; s < sections_.size(); ++s) add_section(s);
    return std::move(builder_).finish();
  }

 private:
  struct Leaving {
    BlockId block;
    bool taken_here = false;  ///< its stay is this one section
  };
  using Frontier = std::array<std::optional<StepId>, 3>;  ///< last step of each queue, by StepKind

  BlockId begin_stay(const Stay& stay) {
    const Bytes bytes = problem_.costs.tensor_bytes[stay.tensor.at()];
    const BlockId block = builder_.tensor_block(stay.tensor, bytes);
    leaving_[stay.end - 1].push_back({block, stay.first + 1 == stay.end});
    return block;
  }

  void add_section(std::size_t index) {
    const Section& section = sections_[index];
    const Frontier before = frontier_;
    Frontier inside;
    for (const TensorId tensor : section.to_far) {
      join(builder_.to_far(tensor), StepKind::kToFar, before, inside);
    }
    std::vector<StepId> copies_in;
    for (const TensorId tensor : section.to_near) {
      const StepId step = builder_.to_near(tensor);
      join(step, StepKind::kToNear, before, inside);
      builder_.acquire(step, begin_stay(*layout_.residences[tensor.at()].again));
    }
    for (std::size_t i = section.first_task; i < section.end_task; ++i) {
      join(add_task(make_id<TaskId>(i)), StepKind::kCompute, before, inside);
    }
    for (const Leaving& leaving : leaving_[index]) release(leaving, inside);
  }

  /// At the section's end, when its last steps have ended. What a task of this section took leaves
  /// with the last task: a copy beside it might end before the block is taken.
  void release(const Leaving& leaving, const Frontier& inside) {
    const auto& last_task = inside[static_cast<std::size_t>(StepKind::kCompute)];
    if (leaving.taken_here && last_task) return builder_.release(leaving.block, *last_task);
    for (const auto& step : inside) {
      if (step) builder_.release(leaving.block, *step);
    }
  }

  /// Puts the barrier before the first step of its queue in this section.
  void join(StepId step, StepKind kind, const Frontier& before, Frontier& inside) {
    const auto queue = static_cast<std::size_t>(kind);
    if (!inside[queue]) {
      for (std::size_t other = 0; other < before.size(); ++other) {
        if (other != queue && before[other]) builder_.wait(step, *before[other]);
      }
    }
    inside[queue] = step;
    frontier_[queue] = step;
  }

  StepId add_task(TaskId task) {
    const StepId step = builder_.compute(task, problem_.chosen(task));
    builder_.take_workspace(step, task, chosen_workspace(problem_, task));
    for (const TensorId tensor : problem_.graph.writes[task]) {
      if (problem_.graph.lifetimes[tensor.at()].first_writer != task) continue;
      builder_.acquire(step, begin_stay(*layout_.residences[tensor.at()].first));
    }
    return step;
  }

  const PlanningProblem& problem_;
  const std::vector<Section>& sections_;
  const Layout& layout_;
  PlanBuilder builder_;
  std::vector<std::vector<Leaving>> leaving_;  ///< by section: what is given back at its end
  Frontier frontier_;
};

/// Without workspaces.
Footprint footprint_of(const PlanningProblem& problem, const Layout& layout, std::size_t sections) {
  Footprint footprint(problem, sections);
  for (const Residence& residence : layout.residences) {
    if (residence.first) footprint.add(*residence.first);
    if (residence.again) footprint.add(*residence.again);
  }
  return footprint;
}

}  // namespace

SectionMemory section_memory(const PlanningProblem& problem, const std::vector<Section>& sections) {
  Layout layout = lay_out(problem.graph, sections);
  const Footprint footprint = footprint_of(problem, layout, sections.size());
  return {.held = footprint.bytes(), .section_of = std::move(layout.section_of)};
}

Bytes SectionMemory::smallest_budget(const CostTable& costs,
                                     const std::vector<AlternativeId>& by_task) const {
  Bytes largest;
  for (const Bytes bytes : held) largest = std::max(largest, bytes);
  for (std::size_t task = 0; task < by_task.size(); ++task) {
    largest = std::max(largest, held[section_of[task]] + costs[by_task[task]].workspace);
  }
  return largest + costs.static_bytes;
}

PlanResult plan_sections(const PlanningProblem& problem, const std::vector<Section>& sections) {
  const TrainingGraph& graph = problem.graph;
  const Layout layout = lay_out(graph, sections);
  Footprint footprint = footprint_of(problem, layout, sections.size());
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    footprint.add_workspace(make_id<TaskId>(i), layout.section_of[i]);
  }
  const auto name = [&](std::size_t s) { return section_name(graph, sections[s]); };
  if (auto shortage = footprint.shortage(name)) return *std::move(shortage);
  return SectionPlanner(problem, sections, layout).run();
}

namespace {

const LayerModel& model_of(const TrainingGraph& graph, TaskId task) {
  return *graph.network->layers[graph.tasks[task.at()].layer.at()].model;
}

/// The search window: layers are forward tasks here. A layer that is no convolution and has nothing
/// far is passed by for ever, so such runs are skipped in one step (union-find with path halving)
/// and the search is linear over all sections together.
class SearchWindow {
 public:
  SearchWindow(const TrainingGraph& graph, const std::vector<bool>& far)
      : graph_(graph), far_(far), skip_(graph.forward_tasks + 1) {
    std::iota(skip_.begin(), skip_.end(), std::size_t{0});
  }

  /// The tensor to prefetch while the layer of forward task `layer` runs backward.
  [[nodiscard]] std::optional<TensorId> find(std::size_t layer) {
    // Place p stands for layer p-1; place 0 is the end of the search.
    std::size_t place = layer;
    while ((place = next(place)) > 0) {
      const TaskId task = make_id<TaskId>(place - 1);
      for (const TensorId tensor : graph_.reads[task]) {
        if (far_[tensor.at()]) return tensor;
      }
      if (model_of(graph_, task).is_convolution) return std::nullopt;
      skip_[place] = place - 1;
    }
    return std::nullopt;
  }

 private:
  std::size_t next(std::size_t place) {
    while (skip_[place] != place) {
      skip_[place] = skip_[skip_[place]];
      place = skip_[place];
    }
    return place;
  }

  const TrainingGraph& graph_;
  const std::vector<bool>& far_;
  std::vector<std::size_t> skip_;
};

std::vector<std::optional<std::size_t>> forward_task_of_layers(const TrainingGraph& graph) {
  std::vector<std::optional<std::size_t>> of_layer(graph.network->layers.size());
  for (std::size_t i = 0; i < graph.forward_tasks; ++i) of_layer[graph.tasks[i].layer.at()] = i;
  return of_layer;
}

}  // namespace

std::vector<Section> forward_sections(const TrainingGraph& graph) {
  std::vector<Section> sections;
  sections.reserve(graph.tasks.size() + 3);
  for (std::size_t i = 0; i < graph.forward_tasks; ++i) {
    sections.push_back({.first_task = i, .end_task = i + 1});
  }
  return sections;
}

std::vector<Section> backward_sections(const TrainingGraph& graph) {
  std::vector<Section> sections;
  for (std::size_t i = graph.forward_tasks; i < graph.backward_end; ++i) {
    const LayerId layer = graph.tasks[i].layer;
    if (!sections.empty() && graph.tasks[sections.back().first_task].layer == layer) {
      sections.back().end_task = i + 1;
    } else {
      sections.push_back({.first_task = i, .end_task = i + 1});
    }
  }
  return sections;
}

void append_updates(const TrainingGraph& graph, std::vector<Section>& sections) {
  if (graph.backward_end == graph.tasks.size()) return;
  sections.push_back({.first_task = graph.backward_end, .end_task = graph.tasks.size()});
}

std::vector<TensorId> take_reads(const TrainingGraph& graph, const Section& section,
                                 std::vector<bool>& wanted) {
  std::vector<TensorId> taken;
  for (std::size_t i = section.first_task; i < section.end_task; ++i) {
    for (const TensorId tensor : graph.reads[make_id<TaskId>(i)]) {
      if (!wanted[tensor.at()]) continue;
      wanted[tensor.at()] = false;
      taken.push_back(tensor);
    }
  }
  return taken;
}

std::vector<bool> vdnn_flags(const TrainingGraph& graph, bool LayerModel::*consumer) {
  std::vector<bool> flagged(graph.tensors.size());
  std::optional<TaskId> last_feature;
  for (TaskId task; task.at() < graph.forward_tasks; ++task.index) {
    const LayerModel& model = model_of(graph, task);
    if (!model.is_activation && !model.is_loss) last_feature = task;
    if (!(model.*consumer)) continue;
    for (const TensorId tensor : graph.reads[task]) {
      if (is_saved(graph, tensor)) flagged[tensor.at()] = true;
    }
  }
  if (last_feature) {
    for (const TensorId tensor : graph.reads[*last_feature]) flagged[tensor.at()] = false;
  }
  return flagged;
}

std::vector<Section> vdnn_sections(const TrainingGraph& graph, std::vector<bool> flagged) {
  std::vector<bool>& far = flagged;  // what is far at the section at hand
  std::vector<Section> sections = forward_sections(graph);
  const std::size_t forward = graph.forward_tasks;
  sections.push_back({.first_task = forward, .end_task = forward});
  for (std::size_t i = 0; i < far.size(); ++i) {
    const Lifetime& life = graph.lifetimes[i];
    if (!far[i] || !life.last_writer) continue;
    // With its last reader, but never beside the task that writes it (an in-place last reader).
    const std::size_t section = std::max(life.last_forward_use->at(), life.last_writer->at() + 1);
    sections[section].to_far.push_back(make_id<TensorId>(i));
  }

  const auto forward_task = forward_task_of_layers(graph);
  SearchWindow window(graph, far);
  for (Section& section : backward_sections(graph)) {
    const std::size_t first = section.first_task;
    std::vector<TensorId> missing = take_reads(graph, section, far);
    if (!missing.empty()) {
      sections.push_back({.first_task = first, .end_task = first, .to_near = std::move(missing)});
    }
    const auto layer = forward_task[graph.tasks[first].layer.at()];
    if (const auto prefetch = layer ? window.find(*layer) : std::nullopt) {
      far[prefetch->at()] = false;
      section.to_near.push_back(*prefetch);
    }
    sections.push_back(std::move(section));
  }
  append_updates(graph, sections);
  return sections;
}

PlanResult plan_vdnn(const PlanningProblem& problem, bool LayerModel::*consumer) {
  return plan_sections(problem, vdnn_sections(problem.graph, vdnn_flags(problem.graph, consumer)));
}

}  // namespace ooc
