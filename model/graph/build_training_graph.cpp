// Second half of building a training graph: tasks in the order in which they run, and gradients.
//
// Gradients are created in reverse execution order. For a value with several readers the first backward task creates
// the gradient, and the others add to it, without a buffer of their own; model/cost/compute_cost.cpp, gradient_sums(),
// prices the additions where times are sums of kernels. In-place layers overwrite the gradient of their output, or,
// where the framework does not, write a new one. `add` passes its gradient on: the first input that needs one gets the
// same buffer, every further one a copy. If the framework shares gradients until they are written, all inputs get the
// same buffer, and a task that writes one that others still read writes a new one (is_shared). The gradients of a
// concat's inputs are slices of its own gradient, so they share its buffer until the last of them is used. A layer
// whose output nobody reads (the last one without a loss) reads no gradient.
//
// Where it is wrong: frameworks that cannot accumulate in place need a temporary buffer for each further reader, which
// is left out, as in docs/model.md, 3.
#include "model/graph/build_training_graph.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "model/base/errors.hpp"
#include "model/graph/graph_writer.hpp"

namespace ooc {

// In place (docs/model.md, 3): where the framework does it for the layer's kind (by default relu and
// dropout), the value that would be overwritten is read by nobody else and no layer that wrote it keeps
// its output. Network inputs
// are never overwritten: they are clean in far memory and stay so. Eager frameworks (define-by-run)
// run out of place unless the file asks for it.

namespace {

/// Readers of each layer's value, views replaced by their own readers.
std::vector<int> count_readers(const Network& network, const Keeping& keeping) {
  std::vector<int> readers(network.layers.size(), 0);
  for (auto it = network.execution_order.rbegin(); it != network.execution_order.rend(); ++it) {
    const Layer& layer = network.layers[it->at()];
    const int through_here = is_view(*layer.model, keeping) ? readers[it->at()] : 1;
    for (const Producer& producer : layer.inputs) {
      if (const LayerId* id = std::get_if<LayerId>(&producer)) readers[id->at()] += through_here;
    }
  }
  return readers;
}

std::vector<bool> mark_outputs(const Network& network) {
  std::vector<bool> is_output(network.layers.size(), false);
  for (const LayerId output : network.outputs) is_output[output.at()] = true;
  return is_output;
}

/// "blk/3" of "blk/3/attention/query"; a name with fewer than two slashes is its own.
std::string_view group_of(std::string_view name) {
  const std::size_t first = name.find('/');
  const std::size_t second = first == std::string_view::npos ? first : name.find('/', first + 1);
  return name.substr(0, second);
}

class BufferAssigner {
 public:
  BufferAssigner(const Network& network, const GraphOptions& options)
      : network_(network),
        options_(options),
        readers_(count_readers(network, options.keeping)),
        is_output_(mark_outputs(network)),
        value_of_(network.layers.size()) {
    const std::size_t layers = network.layers.size();
    buffers_.of_layer.resize(layers);
    buffers_.mask.resize(layers);
    buffers_.reserve.resize(layers);
    buffers_.weight_copy.resize(layers);
    buffers_.in_place.resize(layers, false);
    buffers_.needs_gradient.resize(layers, false);
  }

  Buffers run() && {
    for (std::size_t i = 0; i < network_.inputs.size(); ++i) {
      const std::int64_t elements = network_.inputs[i].shape.elements().value();
      buffers_.of_input.push_back(
          add({.role = TensorRole::kInput,
               .input = make_id<InputId>(i),
               .bytes_per_sample = elements * bytes_per_element(network_, make_id<InputId>(i))}));
    }
    for (const LayerId id : network_.execution_order) visit(id);
    if (network_.precision) add_weight_copies();
    return std::move(buffers_);
  }

 private:
  TensorId add(const Tensor& tensor) {
    buffers_.tensors.push_back(tensor);
    return make_id<TensorId>(buffers_.tensors.size() - 1);
  }

  void visit(LayerId id) {
    const Layer& layer = network_.layers[id.at()];
    value_of_[id.at()] = id;
    buffers_.needs_gradient[id.at()] = wants_gradient(layer);
    for (const Producer& producer : layer.inputs) {
      if (needs_gradient(buffers_, producer)) buffers_.needs_gradient[id.at()] = true;
    }
    if (is_view(*layer.model, options_.keeping)) {
      buffers_.of_layer[id.at()] = tensor_of(buffers_, layer.inputs[0]);
      if (const LayerId* from = std::get_if<LayerId>(&layer.inputs[0])) {
        value_of_[id.at()] = value_of_[from->at()];
      }
      return;
    }
    if (runs_in_place(layer)) {
      buffers_.in_place[id.at()] = true;
      buffers_.of_layer[id.at()] = tensor_of(buffers_, layer.inputs[0]);
    } else {
      const std::int64_t elements = layer.model->output.elements().value();
      buffers_.of_layer[id.at()] = add({.role = TensorRole::kActivation,
                                        .layer = id,
                                        .bytes_per_sample = elements * output_element(id)});
    }
    const Kept kept = kept_of(id);
    if (kept.mask_bytes > 0) {
      buffers_.mask[id.at()] =
          add({.role = TensorRole::kMask, .layer = id, .bytes_per_sample = kept.mask_bytes});
    }
    if (kept.reserve_bytes > 0 || kept.reserve_fixed > 0) {
      buffers_.reserve[id.at()] = add({.role = TensorRole::kReserve,
                                       .layer = id,
                                       .bytes_per_sample = kept.reserve_bytes,
                                       .bytes_fixed = kept.reserve_fixed});
    }
  }

  /// Whatever stands before it.
  [[nodiscard]] bool wants_gradient(const Layer& layer) const {
    const bool is_table =
        layer.kind != nullptr && layer.kind->traits.numbers == NumberClass::kTable;
    return has_weights(layer) || layer.model->custom.has_value() ||
           (network_.input_gradient && is_table);
  }

  [[nodiscard]] Kept kept_of(LayerId id) const {
    return ooc::kept_of(*network_.layers[id.at()].model, options_.keeping,
                        buffers_.in_place[id.at()] ? RunsIn::kPlace : RunsIn::kOwnBuffer);
  }

  /// A loss keeps what it writes, in a type of its own where no precision says which.
  [[nodiscard]] std::int64_t output_element(LayerId id) const {
    const std::int64_t bytes = bytes_per_element(network_, id);
    const auto& own = options_.keeping.loss_dtype;
    return network_.layers[id.at()].model->is_loss && own ? std::max(dtype_info(*own).bytes, bytes)
                                                          : bytes;
  }

  /// One a layer, or one for all layers of a group: those of one copy of a repeat, or one for itself.
  void add_weight_copies() {
    const PrecisionInfo& precision = precision_info(*network_.precision);
    std::map<std::string_view, TensorId> of_group;
    for (const LayerId id : network_.execution_order) {
      const Layer& layer = network_.layers[id.at()];
      const std::int64_t bytes = layer.model->casts.parameters * precision.copy;
      if (bytes == 0) continue;
      auto& copy = buffers_.weight_copy[id.at()];
      if (precision.copies == WeightCopies::kPerGroup) {
        const auto [found, is_new] = of_group.try_emplace(group_of(layer.name));
        if (!is_new) {
          copy = found->second;
          buffers_.tensors[copy->at()].bytes_fixed += bytes;
          continue;
        }
        found->second = make_id<TensorId>(buffers_.tensors.size());
      }
      copy = add({.role = TensorRole::kWeightCopy,
                  .layer = id,
                  .bytes_per_sample = 0,
                  .bytes_fixed = bytes});
    }
  }

  /// Why this layer cannot overwrite its input; empty when it can.
  [[nodiscard]] std::string obstacle(const Layer& layer) const {
    if (layer.inputs.size() != 1) return "a layer with one input";
    if (buffers_.tensors[tensor_of(buffers_, layer.inputs[0]).at()].role == TensorRole::kInput) {
      return "an input that is a layer, not the network's input";
    }
    const LayerId from = std::get<LayerId>(layer.inputs[0]);
    const LayerId value = value_of_[from.at()];
    const std::string& writer = network_.layers[value.at()].name;
    if (kept_of(value).output) {
      return "a producer that does not need its output again (\"" + writer + "\" saves it)";
    }
    if (readers_[value.at()] != 1) return "to be the only reader of \"" + writer + "\"";
    if (is_output_[value.at()] || is_output_[from.at()]) {
      return "an input that is no output of the network (\"" + network_.layers[from.at()].name +
             "\" is)";
    }
    return {};
  }

  [[nodiscard]] bool runs_in_place(const Layer& layer) const {
    const bool copies_input =
        layer.model->saves.clamps && options_.keeping.clamps == KeptOfClamps::kInput;
    if (copies_input) return false;
    switch (layer.model->in_place) {
      case InPlace::kNever:
        return false;
      case InPlace::kWhereAlways:
        return options_.keeping.in_place == InPlaceRule::kAlways && obstacle(layer).empty();
      case InPlace::kWhenPossible:
        return options_.accounting != Accounting::kDefineByRun &&
               options_.keeping.in_place != InPlaceRule::kNever && obstacle(layer).empty();
      case InPlace::kRequired: {
        const std::string why_not = obstacle(layer);
        if (why_not.empty()) return true;
        throw SpecError({network_.name, "layer \"" + layer.name + "\"", "\"in_place\": true",
                         why_not, "leave in_place out: it is used where it is possible"});
      }
    }
    return false;
  }

  const Network& network_;
  GraphOptions options_;
  std::vector<int> readers_;
  std::vector<bool> is_output_;
  std::vector<LayerId> value_of_;  ///< by layer: the one that wrote its value last, through views
  Buffers buffers_;
};

}  // namespace

Buffers assign_buffers(const Network& network, const GraphOptions& options) {
  return BufferAssigner(network, options).run();
}

bool is_view(const LayerModel& layer, const Keeping& keeping) {
  const bool pool = layer.saves.input_for_shape && keeping.pools == KeptOfPools::kInputAndIndices;
  return layer.is_view && !pool;
}

Kept kept_of(const LayerModel& layer, const Keeping& keeping, RunsIn where) {
  constexpr std::int64_t kPlaceBytes = 8;
  constexpr std::int64_t kStatisticBytes = 4;
  const Saves& saves = layer.saves;
  Kept kept{.inputs = saves.inputs,
            .output = saves.output,
            .mask_bytes = saves.mask_bytes * keeping.mask_bytes,
            .reserve_bytes = saves.reserve_bytes,
            .reserve_fixed = 0};
  if (keeping.four_bit_inputs && layer.casts.four_bits > 0) kept.inputs = true;
  const bool either_side = layer.is_activation && saves.output;
  if (either_side && keeping.activations == KeptActivation::kBoth) kept.inputs = true;
  const bool clamped_input = saves.clamps && keeping.clamps == KeptOfClamps::kInput;
  const bool own_input = (saves.input_serves && keeping.activations == KeptActivation::kInput) ||
                         (saves.input_out_of_place && keeping.clamps == KeptOfClamps::kInput);
  if (clamped_input || (own_input && where == RunsIn::kOwnBuffer)) {
    kept.inputs = true;
    kept.output = false;
  }
  if (keeping.pools == KeptOfPools::kInputAndIndices) {
    if (saves.places > 0) kept.output = false;
    kept.inputs = kept.inputs || saves.input_for_shape;
    kept.reserve_bytes += saves.places * kPlaceBytes;
  }
  if (keeping.norms == KeptOfNorms::kInputAndStatistics) {
    kept.reserve_bytes += saves.statistics_per_sample * kStatisticBytes;
    kept.reserve_fixed += saves.statistics_fixed * kStatisticBytes;
  }
  if (!keeping.fuses) kept.reserve_bytes += saves.fusible_bytes;
  if (keeping.softmax == KeptOfSoftmax::kInputAndOutput) {
    kept.inputs = kept.inputs || saves.input_of_softmax;
    kept.reserve_bytes += saves.scores_bytes;
  }
  return kept;
}

TensorId tensor_of(const Buffers& buffers, const Producer& producer) {
  if (const InputId* input = std::get_if<InputId>(&producer)) return buffers.of_input[input->at()];
  return buffers.of_layer[std::get<LayerId>(producer).at()].value();
}

bool needs_gradient(const Buffers& buffers, const Producer& producer) {
  const LayerId* layer = std::get_if<LayerId>(&producer);
  return layer != nullptr && buffers.needs_gradient[layer->at()];
}
namespace {

class GraphBuilder {
 public:
  GraphBuilder(const Network& network, const GraphOptions& options)
      : network_(network),
        options_(options),
        buffers_(assign_buffers(network, options)),
        gradient_(buffers_.tensors.size()),
        sharing_(buffers_.tensors.size()),
        to_come_(buffers_.tensors.size(), 0) {
    graph_.network = &network;
    graph_.optimizer = options.optimizer.value_or(network.optimizer.value_or(Optimizer::kSgd));
    graph_.tensors = buffers_.tensors;
    graph_.output_of_layer = buffers_.of_layer;
  }

  TrainingGraph run() && {
    for (const LayerId id : network_.execution_order) add_forward(id);
    hold_cached_copies();
    graph_.forward_tasks = graph_.tasks.size();
    for (const LayerId id : network_.execution_order) {
      if (runs_backward(id)) ++to_come_[buffers_.of_layer[id.at()]->at()];
    }
    for (auto it = network_.execution_order.rbegin(); it != network_.execution_order.rend(); ++it) {
      add_backward(*it);
    }
    graph_.backward_end = graph_.tasks.size();
    add_updates();
    graph_.reads = Csr<TaskId, TensorId>(graph_.tasks.size(), reads_.list);
    graph_.writes = Csr<TaskId, TensorId>(graph_.tasks.size(), writes_.list);
    find_lifetimes(graph_);
    add_static_bytes();
    return std::move(graph_);
  }

 private:
  [[nodiscard]] const Layer& layer(LayerId id) const { return network_.layers[id.at()]; }

  TaskId add_task(TaskKind kind, LayerId id, std::int32_t copies = 0) {
    graph_.tasks.push_back({.kind = kind, .layer = id, .copies = copies});
    return last_task();
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
    if (is_view(*layer(id).model, options_.keeping)) return;
    const TaskId task = add_task(TaskKind::kForward, id);
    for (const Producer& producer : layer(id).inputs) reads(task, tensor_of(buffers_, producer));
    writes(task, *buffers_.of_layer[id.at()]);
    if (const auto mask = buffers_.mask[id.at()]) writes(task, *mask);
    if (const auto reserve = buffers_.reserve[id.at()]) writes(task, *reserve);
    if (const auto copy = buffers_.weight_copy[id.at()]) use_copy(task, *copy);
  }

  /// The first task that needs a copy of weights makes it; all read it.
  void use_copy(TaskId task, TensorId copy) {
    bool& made = made_[copy];
    (made ? reads_ : writes_).add(task, copy);
    made = true;
  }

  /// autocast caches copies of weights that learn; the cache goes when the forward pass leaves it.
  void hold_cached_copies() {
    if (!network_.precision || !precision_info(*network_.precision).autocasts()) return;
    for (const LayerId id : network_.execution_order) {
      const auto copy = buffers_.weight_copy[id.at()];
      if (copy && !layer(id).model->is_frozen) use_copy(last_task(), *copy);
    }
  }
  [[nodiscard]] TaskId last_task() const { return make_id<TaskId>(graph_.tasks.size() - 1); }

  /// Backward reads the copy of the weights, where it is kept; else makes one of the whole group.
  void read_weights(TaskId task, LayerId id) {
    const auto copy = buffers_.weight_copy[id.at()];
    if (!copy) return;
    if (!remakes_copies()) return reads(task, *copy);
    auto [found, is_new] = remade_.try_emplace(*copy);
    if (is_new) {
      Tensor again = graph_.tensors[copy->at()];
      again.form = TensorForm::kRestored;
      graph_.tensors.push_back(again);
      found->second = make_id<TensorId>(graph_.tensors.size() - 1);
    }
    use_copy(task, found->second);
  }
  [[nodiscard]] bool remakes_copies() const {
    return network_.precision &&
           precision_info(*network_.precision).copies == WeightCopies::kPerGroup;
  }

  TensorId new_gradient(TensorId value, LayerId owner) {
    graph_.tensors.push_back({.role = TensorRole::kGradient,
                              .layer = graph_.tensors[value.at()].layer.value_or(owner),
                              .bytes_per_sample = graph_.tensors[value.at()].bytes_per_sample});
    gradient_[value.at()] = make_id<TensorId>(graph_.tensors.size() - 1);
    sharing_[value.at()].reset();
    return *gradient_[value.at()];
  }

  /// The buffer of a forward tensor's gradient; created on first use.
  TensorId gradient_for(TensorId value, LayerId owner) {
    const std::optional<TensorId>& gradient = gradient_[value.at()];
    return gradient ? *gradient : new_gradient(value, owner);
  }

  /// The buffer that a task which adds to a gradient, or overwrites it, writes: that gradient itself, or, while
  /// another value's gradient lies in it, a new one.
  TensorId written_gradient(TensorId value, LayerId owner) {
    return is_shared(value) ? new_gradient(value, owner) : gradient_for(value, owner);
  }

  /// Whether another value whose backward is still to come has its gradient in the same bytes, because an
  /// `add` handed it on to both.
  [[nodiscard]] bool is_shared(TensorId value) const {
    const std::optional<std::size_t>& group = sharing_[value.at()];
    if (!group) return false;
    const std::vector<TensorId>& members = sharers_[*group];
    return std::ranges::any_of(members, [&](TensorId other) {
      return other != value && sharing_[other.at()] == group && to_come_[other.at()] > 0;
    });
  }

  /// `to` gets the gradient of `from` itself.
  void hand_on(TensorId from, TensorId to, bool shares) {
    gradient_[to.at()] = gradient_[from.at()];
    if (!shares) return;
    if (!sharing_[from.at()]) {
      sharing_[from.at()] = sharers_.size();
      sharers_.emplace_back();
    }
    sharing_[to.at()] = sharing_[from.at()];
    sharers_[*sharing_[to.at()]].push_back(to);
  }

  [[nodiscard]] std::optional<TensorId> gradient_of_output(LayerId id) const {
    if (layer(id).model->is_loss) return std::nullopt;
    return gradient_[buffers_.of_layer[id.at()]->at()];
  }

  [[nodiscard]] bool runs_backward(LayerId id) const {
    return !is_view(*layer(id).model, options_.keeping) && buffers_.needs_gradient[id.at()];
  }

  void add_backward(LayerId id) {
    if (!runs_backward(id)) return;
    add_backward_tasks(id);
    --to_come_[buffers_.of_layer[id.at()]->at()];
  }

  void add_backward_tasks(LayerId id) {
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
    const Kept kept = kept_of(*layer(id).model, options_.keeping,
                              buffers_.in_place[id.at()] ? RunsIn::kPlace : RunsIn::kOwnBuffer);
    if (kept.inputs || pins_input(id)) {
      const auto& inputs = layer(id).inputs;
      const Saves& saves = layer(id).model->saves;
      for (std::size_t i = saves.unread_inputs; i + saves.unread_last < inputs.size(); ++i) {
        const bool copied = i < 32 && (saves.copied_inputs >> i & 1U) != 0;
        if (!copied) reads(task, tensor_of(buffers_, kept_for(inputs[i])));
      }
    }
    if (kept.output) reads(task, *buffers_.of_layer[id.at()]);
    if (const auto mask = buffers_.mask[id.at()]) reads(task, *mask);
    if (const auto reserve = buffers_.reserve[id.at()]) reads(task, *reserve);
  }

  /// The value whose memory holds this one, where slices are views.
  [[nodiscard]] Producer kept_for(Producer producer) const {
    if (options_.keeping.slices == KeptOfSlices::kSlice) return producer;
    Producer whole = producer;
    while (const LayerId* from = std::get_if<LayerId>(&producer)) {
      const Layer& writer = layer(*from);
      const bool is_slice = writer.kind != nullptr && writer.kind->name == "slice";
      if (!is_slice && !is_view(*writer.model, options_.keeping)) break;
      producer = writer.inputs[0];
      if (is_slice) whole = producer;
    }
    return whole;
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
      if (gradient_[value.at()]) reads(task, *gradient_[value.at()]);
      const bool is_new = buffers_.in_place[id.at()] &&
                          options_.keeping.in_place_gradients == InPlaceGradients::kNever;
      writes(task, is_new ? new_gradient(value, id) : written_gradient(value, id));
    }
  }

  void add_fused(LayerId id) {
    const TaskId task = add_task(TaskKind::kBackward, id);
    read_saved(task, id);
    read_weights(task, id);
    if (const auto gradient = gradient_of_output(id)) reads(task, *gradient);
    write_input_gradients(task, id);
  }

  void add_split(LayerId id) {
    const std::optional<TensorId> gradient = gradient_of_output(id);
    const auto& inputs = layer(id).inputs;
    if (std::ranges::any_of(inputs,
                            [&](const Producer& p) { return needs_gradient(buffers_, p); })) {
      const TaskId task = add_task(TaskKind::kBackwardData, id);
      read_weights(task, id);
      if (layer(id).model->is_frozen) read_saved(task, id);
      if (gradient) reads(task, *gradient);
      write_input_gradients(task, id);
    }
    if (layer(id).model->is_frozen) return;
    const TaskId task = add_task(TaskKind::kBackwardWeights, id);
    read_saved(task, id);
    if (gradient) reads(task, *gradient);
  }

  void add_handing_on(LayerId id) {
    const std::optional<TensorId> gradient = gradient_of_output(id);
    if (!gradient) return;
    const bool shares = options_.keeping.gradients == GradientSharing::kUntilWritten ||
                        layer(id).model->shares_gradient;
    bool handed_on = false;
    std::int32_t copies = 0;
    std::vector<TensorId> written;
    for (const Producer& producer : layer(id).inputs) {
      if (!needs_gradient(buffers_, producer)) continue;
      const TensorId value = tensor_of(buffers_, producer);
      const std::optional<TensorId> before = gradient_[value.at()];
      const bool fits = bytes_of(value) == bytes_of(*gradient);
      if (!before && fits && (!handed_on || shares)) {
        hand_on(*buffers_.of_layer[id.at()], value, shares);
        handed_on = true;
        continue;
      }
      if (!before) ++copies;
      const TensorId target = written_gradient(value, id);
      if (target != *gradient) written.push_back(target);
      if (before) accumulated_.push_back(*before);
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
        // Slices do not overlap: they share with whom the whole is shared, else with nobody.
        if (sharing_[buffers_.of_layer[id.at()]->at()]) {
          hand_on(*buffers_.of_layer[id.at()], value, true);
        } else {
          gradient_[value.at()] = gradient;
        }
      } else if (gradient_[value.at()] != gradient) {
        accumulated_.push_back(*gradient_[value.at()]);
        written.push_back(written_gradient(value, id));
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

  [[nodiscard]] std::int64_t bytes_of(TensorId tensor) const {
    return graph_.tensors[tensor.at()].bytes_per_sample;
  }

  /// In the order of the layers; weights that several layers share last: their gradient is complete last.
  void add_updates() {
    std::vector<bool> is_shared(network_.layers.size(), false);
    for (const WeightUnit& unit : network_.units) is_shared[unit.owner.at()] = !unit.tied.empty();
    for (const bool shared : {false, true}) {
      for (const LayerId id : network_.execution_order) {
        const LayerModel& model = *layer(id).model;
        if (model.parameters == 0 || model.is_frozen || model.custom ||
            is_shared[id.at()] != shared)
          continue;
        add_task(TaskKind::kUpdate, id);
      }
    }
  }

  void add_static_bytes() {
    const ParameterBytes each = parameter_bytes(network_, options_.types);
    graph_.per_parameter = each;
    for (const Layer& layer : network_.layers) {
      graph_.weight_bytes += weight_bytes(each, *layer.model);
      graph_.optimizer_bytes += state_bytes(graph_.optimizer, each, *layer.model);
      if (layer.model->is_frozen) continue;
      const ParameterBytes own = bytes_of_layer(each, *layer.model);
      graph_.gradient_bytes += layer.model->parameters * own.gradient;
      graph_.optimizer_bytes += layer.model->parameters * own.master;
    }
  }

  const Network& network_;
  GraphOptions options_;
  Buffers buffers_;
  TrainingGraph graph_;
  std::vector<std::optional<TensorId>> gradient_;    ///< by forward tensor
  std::vector<std::optional<std::size_t>> sharing_;  ///< by forward tensor: index into sharers_
  std::vector<std::vector<TensorId>> sharers_;  ///< forward tensors whose gradients are one buffer
  std::vector<int> to_come_;           ///< by forward tensor: layers that write it and run backward
  std::vector<TensorId> accumulated_;  ///< what the task at hand adds to
  std::map<TensorId, bool> made_;      ///< copies of weights
  std::map<TensorId, TensorId> remade_;  ///< by the forward pass's, the backward pass's
  Touches reads_;
  Touches writes_;
};

}  // namespace

TrainingGraph build_training_graph(const Network& network, const GraphOptions& options) {
  const bool copies = options.types.master.value_or(std::nullopt).has_value();
  if (copies && network.precision && precision_info(*network.precision).weight == 4) {
    cannot_combine("--master-dtype",
                   "--precision " + std::string(precision_info(*network.precision).name),
                   "leave it out", "its weights are in float32, which need no copy");
  }
  return GraphBuilder(network, options).run();
}

}  // namespace ooc
