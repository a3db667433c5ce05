// One pass over the tasks, in which the added ones are put where they belong; tensors of the network
// keep their ids. A kernel reads four bytes an element and writes two, or the other way round, and
// converts each once: one FLOP an element.
//
// Where it is wrong: rounding to float16 changes what is trained, which no time shows; tensors whose
// values need more range than float16 has would need scaling, a pass more.
#include "model/rewrite/compression.hpp"

#include <utility>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

constexpr std::int64_t kElement = 4;  // float32

class Compressor {
 public:
  Compressor(const TrainingGraph& graph, const std::vector<TensorId>& chosen)
      : from_(graph),
        place_of_(graph.tensors.size()),
        behind_(graph.tasks.size()),
        before_(graph.tasks.size()) {
    OOC_CHECK(graph.round_tasks == 0 && graph.device_tasks.empty(), "one round on one device");
    TrainingGraph& to = result_.graph;
    to = graph;
    to.tasks.clear();
    to.lifetimes.clear();
    for (const TensorId source : chosen) {
      const Lifetime& life = graph.lifetimes[source.at()];
      OOC_CHECK(life.last_forward_use && life.first_backward_use, "used in both passes");
      const std::size_t place = result_.tensors.size();
      place_of_[source.at()] = place;
      behind_[life.last_forward_use->at()].push_back(place);
      before_[life.first_backward_use->at()].push_back(place);
      Tensor tensor = graph.tensors[source.at()];
      const TensorId compressed = make_id<TensorId>(to.tensors.size());
      tensor.form = TensorForm::kCompressed;
      tensor.bytes_per_sample /= 2;
      to.tensors.push_back(tensor);
      const TensorId restored = make_id<TensorId>(to.tensors.size());
      tensor = graph.tensors[source.at()];
      tensor.form = TensorForm::kRestored;
      to.tensors.push_back(tensor);
      result_.tensors.push_back({source, compressed, restored});
    }
    to.lifetimes.resize(to.tensors.size());
  }

  Compression run() && {
    TrainingGraph& to = result_.graph;
    for (std::size_t i = 0; i < from_.tasks.size(); ++i) {
      if (i == from_.forward_tasks) to.forward_tasks = to.tasks.size();
      if (i == from_.backward_end) to.backward_end = to.tasks.size();
      for (const std::size_t place : before_[i]) add_kernel(TaskKind::kDecompress, place);
      copy_task(make_id<TaskId>(i));
      for (const std::size_t place : behind_[i]) add_kernel(TaskKind::kCompress, place);
    }
    if (from_.backward_end == from_.tasks.size()) to.backward_end = to.tasks.size();
    to.reads = Csr<TaskId, TensorId>(to.tasks.size(), reads_);
    to.writes = Csr<TaskId, TensorId>(to.tasks.size(), writes_);
    find_lifetimes();
    return std::move(result_);
  }

 private:
  TaskId add_task(const Task& task, std::optional<TaskId> of_network) {
    result_.graph.tasks.push_back(task);
    result_.task_of.push_back(of_network);
    return make_id<TaskId>(result_.graph.tasks.size() - 1);
  }

  void add_kernel(TaskKind kind, std::size_t place) {
    const CompressedTensor& tensor = result_.tensors[place];
    const bool compresses = kind == TaskKind::kCompress;
    const LayerId layer = result_.graph.tensors[tensor.source.at()].layer.value();
    const TaskId task = add_task({.kind = kind, .layer = layer}, std::nullopt);
    reads_.emplace_back(task, compresses ? tensor.source : tensor.compressed);
    writes_.emplace_back(task, compresses ? tensor.compressed : tensor.restored);
  }

  void copy_task(TaskId from) {
    const bool backward = from.at() >= from_.forward_tasks;
    const TaskId to = add_task(from_.tasks[from.at()], from);
    const auto found = [&](TensorId tensor) {
      const auto& place = place_of_[tensor.at()];
      return backward && place ? result_.tensors[*place].restored : tensor;
    };
    for (const TensorId tensor : from_.reads[from]) reads_.emplace_back(to, found(tensor));
    for (const TensorId tensor : from_.writes[from]) {
      OOC_CHECK(found(tensor) == tensor, "backward does not write what forward wrote");
      writes_.emplace_back(to, tensor);
    }
  }

  void find_lifetimes() {
    TrainingGraph& to = result_.graph;
    for (std::size_t i = 0; i < to.tasks.size(); ++i) {
      const TaskId task = make_id<TaskId>(i);
      for (const auto row : {to.reads[task], to.writes[task]}) {
        for (const TensorId tensor : row) touch(to.lifetimes[tensor.at()], task);
      }
      for (const TensorId tensor : to.writes[task]) {
        Lifetime& life = to.lifetimes[tensor.at()];
        if (!life.first_writer) life.first_writer = task;
        life.last_writer = task;
      }
    }
  }

  void touch(Lifetime& life, TaskId task) const {
    life.last_use = task;
    if (task.at() < result_.graph.forward_tasks) {
      life.last_forward_use = task;
    } else if (!life.first_backward_use) {
      life.first_backward_use = task;
    }
  }

  const TrainingGraph& from_;
  Compression result_;
  std::vector<std::optional<std::size_t>> place_of_;  ///< by tensor: in result_.tensors
  std::vector<std::vector<std::size_t>> behind_;      ///< by task: compressed then
  std::vector<std::vector<std::size_t>> before_;      ///< by task: restored for it
  std::vector<std::pair<TaskId, TensorId>> reads_;
  std::vector<std::pair<TaskId, TensorId>> writes_;
};

}  // namespace

Compression compress_tensors(const TrainingGraph& graph, const std::vector<TensorId>& chosen) {
  return Compressor(graph, chosen).run();
}

CostTable compressed_costs(const Compression& compression, const CostTable& costs,
                           const ElementwiseCost& elementwise) {
  CostTable all;
  all.batch = costs.batch;
  all.static_bytes = costs.static_bytes;
  all.tensor_bytes = costs.tensor_bytes;
  for (const CompressedTensor& tensor : compression.tensors) {
    const Bytes bytes = costs.tensor_bytes[tensor.source.at()];
    all.tensor_bytes.push_back(Bytes(bytes.count() / 2));
    all.tensor_bytes.push_back(bytes);
  }
  for (std::size_t i = 0; i < compression.graph.tasks.size(); ++i) {
    all.first_alternative.push_back(static_cast<std::int32_t>(all.alternatives.size()));
    if (const auto& task = compression.task_of[i]) {
      const auto ways = costs.alternatives_of(*task);
      all.alternatives.insert(all.alternatives.end(), ways.begin(), ways.end());
      continue;
    }
    const TaskId task = make_id<TaskId>(i);
    const Bytes moved = all.tensor_bytes[compression.graph.reads[task].front().at()] +
                        all.tensor_bytes[compression.graph.writes[task].front().at()];
    all.alternatives.push_back(
        elementwise(moved.count() / (kElement + kElement / 2), moved.count()));
  }
  all.first_alternative.push_back(static_cast<std::int32_t>(all.alternatives.size()));
  return all;
}

}  // namespace ooc
