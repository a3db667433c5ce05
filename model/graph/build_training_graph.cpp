// The second half of building a training graph: tasks in the order they run, and the gradients.
//
// Gradients are walked in reverse execution order. The gradient of a value with several readers is
// created by the first backward task that writes it and accumulated into by the others (no extra
// buffer, no time). In-place layers overwrite the gradient of their output. `add` hands its
// gradient on: the first input that wants one gets the same buffer, every further one a copy. The
// gradients of a concat's inputs are slices of its own, so they share its buffer until the last of
// them is used. A layer whose output nobody reads (the last one without a loss) reads no gradient.
//
// Where it is wrong: frameworks that cannot accumulate in place need a temporary buffer and an
// element-wise kernel per further reader; both are left out, as in docs/model.md, 3.
#include "model/graph/build_training_graph.hpp"

#include <algorithm>

#include "model/base/errors.hpp"
#include "model/graph/buffers.hpp"

namespace ooc {
namespace {

class GraphBuilder {
 public:
  GraphBuilder(const Network& network, const GraphOptions& options)
      : network_(network),
        options_(options),
        buffers_(assign_buffers(network, options.accounting)),
        gradient_(buffers_.tensors.size()) {
    graph_.network = &network;
    graph_.optimizer = options.optimizer;
    graph_.tensors = buffers_.tensors;
    graph_.output_of_layer = buffers_.of_layer;
  }

  TrainingGraph run() && {
    for (const LayerId id : network_.execution_order) add_forward(id);
    graph_.forward_tasks = graph_.tasks.size();
    for (auto it = network_.execution_order.rbegin(); it != network_.execution_order.rend(); ++it) {
      add_backward(*it);
    }
    graph_.backward_end = graph_.tasks.size();
    for (const LayerId id : network_.execution_order) {
      if (layer(id).model->parameters > 0 && !layer(id).model->custom)
        add_task(TaskKind::kUpdate, id);
    }
    graph_.reads = Csr<TaskId, TensorId>(graph_.tasks.size(), reads_.list);
    graph_.writes = Csr<TaskId, TensorId>(graph_.tasks.size(), writes_.list);
    find_lifetimes();
    add_static_bytes();
    return std::move(graph_);
  }

 private:
  [[nodiscard]] const Layer& layer(LayerId id) const { return network_.layers[id.at()]; }

  TaskId add_task(TaskKind kind, LayerId id, std::int32_t copies = 0) {
    graph_.tasks.push_back({.kind = kind, .layer = id, .copies = copies});
    return make_id<TaskId>(graph_.tasks.size() - 1);
  }

  /// Who touches what, each pair once. A task may read thousands of tensors (the output of an lstm
  /// gathers every step), so duplicates are found by a mark on the tensor.
  struct Touches {
    std::vector<std::pair<TaskId, TensorId>> list;
    std::vector<std::optional<TaskId>> last_task;  ///< by tensor; tasks come in order

    void add(TaskId task, TensorId tensor) {
      if (tensor.at() >= last_task.size()) last_task.resize(tensor.at() + 1);
      if (last_task[tensor.at()] == task) return;
      last_task[tensor.at()] = task;
      list.emplace_back(task, tensor);
    }
  };
  void reads(TaskId task, TensorId tensor) { reads_.add(task, tensor); }
  void writes(TaskId task, TensorId tensor) { writes_.add(task, tensor); }

  void add_forward(LayerId id) {
    if (layer(id).model->is_view) return;
    const TaskId task = add_task(TaskKind::kForward, id);
    for (const Producer& producer : layer(id).inputs) reads(task, tensor_of(buffers_, producer));
    writes(task, *buffers_.of_layer[id.at()]);
    if (const auto mask = buffers_.mask[id.at()]) writes(task, *mask);
    if (const auto reserve = buffers_.reserve[id.at()]) writes(task, *reserve);
  }

  /// The buffer of a forward tensor's gradient; created on first use.
  TensorId gradient_for(TensorId value, LayerId owner) {
    std::optional<TensorId>& gradient = gradient_[value.at()];
    if (!gradient) {
      graph_.tensors.push_back({.role = TensorRole::kGradient,
                                .input = {},
                                .layer = graph_.tensors[value.at()].layer.value_or(owner),
                                .bytes_per_sample = graph_.tensors[value.at()].bytes_per_sample});
      gradient = make_id<TensorId>(graph_.tensors.size() - 1);
    }
    return *gradient;
  }

  [[nodiscard]] std::optional<TensorId> gradient_of_output(LayerId id) const {
    if (layer(id).model->is_loss) return std::nullopt;
    return gradient_[buffers_.of_layer[id.at()]->at()];
  }

  void add_backward(LayerId id) {
    if (layer(id).model->is_view || !buffers_.needs_gradient[id.at()]) return;
    switch (layer(id).model->gradient_form) {
      case GradientForm::kComputed:
        return layer(id).model->backward_form == BackwardForm::kSplit ? add_split(id)
                                                                      : add_fused(id);
      case GradientForm::kAliasOrCopy:
        return add_handing_on(id);
      case GradientForm::kSlices:
        return add_slices(id);
    }
  }

  void read_saved(TaskId task, LayerId id) {
    const Saves& saves = layer(id).model->saves;
    if (saves.inputs || pins_input(id)) {
      const auto& inputs = layer(id).inputs;
      for (std::size_t i = saves.unread_inputs; i < inputs.size(); ++i) {
        reads(task, tensor_of(buffers_, inputs[i]));
      }
    }
    if (saves.output) reads(task, *buffers_.of_layer[id.at()]);
    if (const auto mask = buffers_.mask[id.at()]) reads(task, *mask);
    if (const auto reserve = buffers_.reserve[id.at()]) reads(task, *reserve);
  }

  /// Eager frameworks keep the batch-norm output that an out-of-place activation read.
  [[nodiscard]] bool pins_input(LayerId id) const {
    if (options_.accounting != Accounting::kDefineByRun) return false;
    if (!layer(id).model->is_activation || buffers_.in_place[id.at()]) return false;
    const LayerId* producer = std::get_if<LayerId>(&layer(id).inputs[0]);
    return producer != nullptr && layer(*producer).kind->name == "batch_norm";
  }

  void write_input_gradients(TaskId task, LayerId id) {
    for (const Producer& producer : layer(id).inputs) {
      if (!needs_gradient(buffers_, producer)) continue;
      const TensorId value = tensor_of(buffers_, producer);
      const bool accumulates = gradient_[value.at()].has_value();
      const TensorId gradient = gradient_for(value, id);
      if (accumulates) reads(task, gradient);
      writes(task, gradient);
    }
  }

  void add_fused(LayerId id) {
    const TaskId task = add_task(TaskKind::kBackward, id);
    read_saved(task, id);
    if (const auto gradient = gradient_of_output(id)) reads(task, *gradient);
    write_input_gradients(task, id);
  }

  void add_split(LayerId id) {
    const std::optional<TensorId> gradient = gradient_of_output(id);
    const auto& inputs = layer(id).inputs;
    if (std::any_of(inputs.begin(), inputs.end(),
                    [&](const Producer& p) { return needs_gradient(buffers_, p); })) {
      const TaskId task = add_task(TaskKind::kBackwardData, id);
      if (gradient) reads(task, *gradient);
      write_input_gradients(task, id);
    }
    const TaskId task = add_task(TaskKind::kBackwardWeights, id);
    read_saved(task, id);
    if (gradient) reads(task, *gradient);
  }

  void add_handing_on(LayerId id) {
    const std::optional<TensorId> gradient = gradient_of_output(id);
    if (!gradient) return;
    bool handed_on = false;
    std::int32_t copies = 0;
    std::vector<TensorId> written;
    for (const Producer& producer : layer(id).inputs) {
      if (!needs_gradient(buffers_, producer)) continue;
      const TensorId value = tensor_of(buffers_, producer);
      const bool exists = gradient_[value.at()].has_value();
      if (!exists && !handed_on) {
        gradient_[value.at()] = gradient;
        handed_on = true;
        continue;
      }
      if (!exists) ++copies;
      const TensorId target = gradient_for(value, id);
      if (target != *gradient) written.push_back(target);
      if (exists) accumulated_.push_back(target);
    }
    finish_handing_on(id, *gradient, written, copies);
  }

  void finish_handing_on(LayerId id, TensorId gradient, const std::vector<TensorId>& written,
                         std::int32_t copies) {
    if (!written.empty()) {
      const TaskId task = add_task(TaskKind::kBackward, id, copies);
      reads(task, gradient);
      for (const TensorId target : accumulated_) {
        if (target != gradient) reads(task, target);
      }
      for (const TensorId target : written) writes(task, target);
    }
    accumulated_.clear();
  }

  void add_slices(LayerId id) {
    const std::optional<TensorId> gradient = gradient_of_output(id);
    if (!gradient) return;
    std::vector<TensorId> written;
    for (const Producer& producer : layer(id).inputs) {
      if (!needs_gradient(buffers_, producer)) continue;
      const TensorId value = tensor_of(buffers_, producer);
      if (!gradient_[value.at()]) {
        gradient_[value.at()] = gradient;
      } else if (gradient_[value.at()] != gradient) {
        written.push_back(*gradient_[value.at()]);
        accumulated_.push_back(written.back());
      }
    }
    if (options_.accounting != Accounting::kDefineByRun) {
      return finish_handing_on(id, *gradient, written, 0);
    }
    // Eager frameworks keep both sides of a concat until its backward has run.
    const TaskId task = add_task(TaskKind::kBackward, id);
    reads(task, *gradient);
    for (const Producer& producer : layer(id).inputs) reads(task, tensor_of(buffers_, producer));
    reads(task, *buffers_.of_layer[id.at()]);
    for (const TensorId target : written) {
      reads(task, target);
      writes(task, target);
    }
    accumulated_.clear();
  }

  void find_lifetimes() {
    graph_.lifetimes.resize(graph_.tensors.size());
    for (std::size_t i = 0; i < graph_.tasks.size(); ++i) {
      const TaskId task = make_id<TaskId>(i);
      for (const TensorId tensor : graph_.reads[task]) touch(task, tensor);
      for (const TensorId tensor : graph_.writes[task]) {
        touch(task, tensor);
        Lifetime& life = graph_.lifetimes[tensor.at()];
        if (!life.first_writer) life.first_writer = task;
        life.last_writer = task;
      }
    }
  }

  void touch(TaskId task, TensorId tensor) {
    Lifetime& life = graph_.lifetimes[tensor.at()];
    life.last_use = task;
    if (task.at() < graph_.forward_tasks) {
      life.last_forward_use = task;
    } else if (!life.first_backward_use) {
      life.first_backward_use = task;
    }
  }

  void add_static_bytes() {
    const std::int64_t parameters = total_parameters(network_);
    graph_.weight_bytes = parameters * dtype_info(network_.dtype).bytes;
    graph_.gradient_bytes = graph_.weight_bytes;
    // Optimiser state is kept in fp32 whatever the dtype of the weights.
    const std::int64_t per_parameter = options_.optimizer == Optimizer::kAdam       ? 8
                                       : options_.optimizer == Optimizer::kMomentum ? 4
                                                                                    : 0;
    graph_.optimizer_bytes = parameters * per_parameter;
  }

  const Network& network_;
  GraphOptions options_;
  Buffers buffers_;
  TrainingGraph graph_;
  std::vector<std::optional<TensorId>> gradient_;  ///< by forward tensor
  std::vector<TensorId> accumulated_;              ///< targets the task at hand adds to
  Touches reads_;
  Touches writes_;
};

}  // namespace

TrainingGraph build_training_graph(const Network& network, const GraphOptions& options) {
  return GraphBuilder(network, options).run();
}

}  // namespace ooc
