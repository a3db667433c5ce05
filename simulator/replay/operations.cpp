// One step's keys. Whatever does not fit the table (a gradient without a place, a buffer that the graph does
// not let the task touch) leaves the step without operation.
#include "simulator/replay/operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace ooc {

class Operations::Writer {
 public:
  Writer(const Operations& all, StepId step)
      : all_(all),
        step_(step),
        task_id_{all.plan_.steps[step.at()].object},
        task_(all.graph_.tasks[task_id_.at()]),
        layer_(all.graph_.network->layers[task_.layer.at()]),
        gradients_(all.gradients_[task_.layer.at()]),
        statics_(all.statics_.of_layer[task_.layer.at()]) {}

  std::string run() && {
    if (task_.kind == TaskKind::kUpdate) {
      update();
    } else if (layer_.model->operation == nullptr) {
      return {};
    } else {
      head();
      buffers();
      workspace();
    }
    return possible_ ? std::move(text_) : std::string();
  }

 private:
  void key(std::string_view name, std::int64_t value) {
    fmt::format_to(std::back_inserter(text_), " {}={}", name, value);
  }

  [[nodiscard]] std::string_view pass_name() const {
    switch (task_.kind) {
      case TaskKind::kForward:
        return "forward";
      case TaskKind::kBackward:
        return "backward";
      case TaskKind::kBackwardData:
        return "backward_data";
      default:
        return "backward_weights";
    }
  }

  void head() {
    text_ = fmt::format("op={} pass={} batch={}", layer_.model->operation->name, pass_name(),
                        all_.costs_.batch);
    for (const auto& [name, value] : layer_.model->operation->keys) key(name, value);
  }

  void update() {
    const StaticPlace& place = statics_;
    text_ = fmt::format("op=update optimizer={} parameters={} w={} dw={}",
                        optimizer_name(all_.graph_.optimizer), layer_.model->parameters,
                        place.weights, place.gradients);
    if (all_.graph_.optimizer != Optimizer::kSgd) key("state", place.state);
  }

  void buffers() {
    switch (task_.kind) {
      case TaskKind::kForward:
        inputs();
        value("y", all_.graph_.output_of_layer[task_.layer.at()]);
        mask();
        weights();
        if (layer_.model->backward_form == BackwardForm::kFused) weight_gradients();
        break;
      case TaskKind::kBackward:
        output_gradient();
        if (layer_.model->saves.inputs) inputs();
        if (layer_.model->saves.output) value("y", all_.graph_.output_of_layer[task_.layer.at()]);
        mask();
        input_gradients();
        weights();
        weight_gradients();
        break;
      case TaskKind::kBackwardData:
        output_gradient();
        weights();
        input_gradients();
        break;
      default:
        inputs();
        output_gradient();
        weight_gradients();
        break;
    }
  }

  /// "x", or "x2" where there are several inputs.
  [[nodiscard]] std::string indexed(std::string_view name, std::size_t input) const {
    return layer_.inputs.size() == 1 ? std::string(name) : fmt::format("{}{}", name, input);
  }

  void inputs() {
    for (std::size_t i = 0; i < layer_.inputs.size(); ++i) {
      value(indexed("x", i), value_of(all_.graph_, layer_.inputs[i]));
    }
  }

  void mask() {
    if (layer_.model->saves.mask_bytes == 0) return;
    for (const auto& row : {all_.graph_.reads[task_id_], all_.graph_.writes[task_id_]}) {
      for (const TensorId tensor : row) {
        if (all_.graph_.tensors[tensor.at()].role == TensorRole::kMask) {
          return value("mask", tensor);
        }
      }
    }
    possible_ = false;
  }

  void weights() {
    if (layer_.model->parameters > 0) key("w", statics_.weights);
  }
  void weight_gradients() {
    if (layer_.model->parameters > 0) key("dw", statics_.gradients);
  }

  void output_gradient() {
    if (layer_.model->is_loss) return;
    if (!gradients_.output) {
      possible_ = false;
      return;
    }
    gradient("dy", *gradients_.output, all_.graph_.output_of_layer[task_.layer.at()]);
  }

  void input_gradients() {
    std::string added;
    bool any = false;
    for (std::size_t i = 0; i < gradients_.inputs.size(); ++i) {
      const InputGradient& it = gradients_.inputs[i];
      if (!it.written) continue;
      if (!it.place) {
        possible_ = false;
        return;
      }
      const std::string name = indexed("dx", i);
      gradient(name, *it.place, value_of(all_.graph_, layer_.inputs[i]));
      if (it.added) added += (added.empty() ? "" : ",") + name;
      any = true;
    }
    if (!added.empty()) fmt::format_to(std::back_inserter(text_), " add_to={}", added);
    // A backward task that neither hands anything down nor learns does nothing that could be done.
    if (!any && layer_.model->parameters == 0) possible_ = false;
  }

  void workspace() {
    const auto block = all_.contents_.workspace_of(step_);
    if (!block) return;
    key("workspace", block->index);
    key("workspace_bytes", all_.plan_.blocks[block->at()].bytes.count());
  }

  void value(std::string_view name, std::optional<TensorId> tensor) {
    const auto block = tensor ? block_of(*tensor) : std::nullopt;
    if (block) key(name, block->index);
  }

  void gradient(std::string_view name, const GradientPlace& place, std::optional<TensorId> of) {
    const auto block = block_of(place.tensor);
    if (!place.known || !of) possible_ = false;
    if (!block || !possible_) return;
    key(name, block->index);
    const std::int64_t bytes = all_.graph_.tensors[of->at()].bytes_per_sample;
    if (place.pitch != bytes) {
      fmt::format_to(std::back_inserter(text_), "+{}/{}", place.offset, place.pitch);
    }
  }

  /// None, and the step is not possible, if the graph does not give this tensor to the task.
  std::optional<BlockId> block_of(TensorId tensor) {
    const auto holds = [&](const auto& row) {
      return std::find(row.begin(), row.end(), tensor) != row.end();
    };
    std::optional<BlockId> block;
    if (holds(all_.graph_.reads[task_id_]) || holds(all_.graph_.writes[task_id_])) {
      block = all_.contents_.block_of(tensor, step_);
    }
    if (!block) possible_ = false;
    return block;
  }

  const Operations& all_;
  StepId step_;
  TaskId task_id_;
  const Task& task_;
  const Layer& layer_;
  const LayerGradients& gradients_;
  const StaticPlace& statics_;
  std::string text_;
  bool possible_ = true;
};

Operations::Operations(const Plan& plan, const TrainingGraph& graph, const CostTable& costs,
                       const Contents& contents)
    : plan_(plan), graph_(graph), costs_(costs), contents_(contents) {
  gradients_ = find_gradient_places(graph);
  statics_ = place_static_memory(graph);
  const bool plain = graph.network->dtype == Dtype::kFloat32 && !graph.network->precision &&
                     graph.optimizer != Optimizer::kAdam8 &&
                     graph.optimizer != Optimizer::kAdafactor;
  usable_ = plain && statics_.bytes <= plan.static_bytes.count();
}

std::string Operations::text_of(StepId step) const {
  if (!usable_ || plan_.steps[step.at()].kind != StepKind::kCompute) return {};
  return Writer(*this, step).run();
}

}  // namespace ooc
