// vDNN's walk over the layers. Forward: the flagged input X of a layer is copied out while that
// layer itself computes; the next layer waits for both, then X is dropped. An X with several
// readers goes with the last of them. Backward: at each layer at most one copy in is started, found
// by the search window: from the layer before downwards, the first layer with a flagged X that is
// still far; a convolution on the way whose X is near or not flagged ends the search (there is work
// enough before anything behind it is needed). What a layer reads and nobody has fetched comes in a
// section of its own before it.
//
// Flags: a tensor that a backward task reads and that some layer of the given kinds reads. Not the
// inputs of the network's last layer that is neither activation nor loss: its backward comes at
// once.
//
// Source: Rhu et al., vDNN, MICRO 2016, III.B and the findPrefetchLayer listing; Synced, "How to
// Train a Very Large and Deep Model on One GPU?" (2017). Deviations: those papers see one X per
// layer in a chain; here a layer may read several flagged tensors (one is prefetched per section,
// the rest when needed) and a layer without backward tasks has no section to hide a copy behind.
// Weights' gradients are static.
#include "simulator/schedules/vdnn_common.hpp"

#include <numeric>
#include <optional>

namespace ooc {
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
    sections.push_back({.first_task = i, .end_task = i + 1, .to_far = {}, .to_near = {}});
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
      sections.push_back({.first_task = i, .end_task = i + 1, .to_far = {}, .to_near = {}});
    }
  }
  return sections;
}

void append_updates(const TrainingGraph& graph, std::vector<Section>& sections) {
  if (graph.backward_end == graph.tasks.size()) return;
  sections.push_back({.first_task = graph.backward_end,
                      .end_task = graph.tasks.size(),
                      .to_far = {},
                      .to_near = {}});
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

std::vector<bool> vdnn_flags(const TrainingGraph& graph,
                             bool (*consumer)(const LayerModel& model)) {
  std::vector<bool> flagged(graph.tensors.size());
  std::optional<TaskId> last_feature;
  for (std::size_t i = 0; i < graph.forward_tasks; ++i) {
    const TaskId task = make_id<TaskId>(i);
    const LayerModel& model = model_of(graph, task);
    if (!model.is_activation && !model.is_loss) last_feature = task;
    if (!consumer(model)) continue;
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
  sections.push_back({.first_task = forward, .end_task = forward, .to_far = {}, .to_near = {}});
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
      sections.push_back(
          {.first_task = first, .end_task = first, .to_far = {}, .to_near = std::move(missing)});
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

PlanResult plan_vdnn(const PlanningProblem& problem, bool (*consumer)(const LayerModel& model)) {
  return plan_sections(problem, vdnn_sections(problem.graph, vdnn_flags(problem.graph, consumer)));
}

}  // namespace ooc
