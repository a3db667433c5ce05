// One pass over the tasks, in which the added ones are put where they belong; tensors of the network keep their ids. A
// kernel reads four bytes an element and writes two, or the other way round, and converts each once: one FLOP an element.
//
// Where it is wrong: rounding to float16 changes what is trained, which no time shows; tensors whose
// values need more range than float16 has would need scaling, a pass more.
#include "model/rewrite/compression.hpp"

#include <array>
#include <utility>

#include "model/base/errors.hpp"
#include "model/graph/graph_writer.hpp"

namespace ooc {
namespace {

constexpr std::int64_t kElement = 4;  // float32

class Compressor {
 public:
  Compressor(const TrainingGraph& graph, const std::vector<TensorId>& chosen)
      : from_(graph),
        writer_(graph),
        place_of_(graph.tensors.size()),
        behind_(graph.tasks.size()),
        before_(graph.tasks.size()) {
    OOC_CHECK(graph.round_tasks == 0, "one round");
    writer_.graph.tensors = graph.tensors;
    for (const TensorId source : chosen) {
      const Lifetime& life = graph.lifetimes[source.at()];
      OOC_CHECK(life.last_forward_use && life.first_backward_use, "used in both passes");
      const std::size_t place = result_.tensors.size();
      place_of_[source.at()] = place;
      behind_[life.last_forward_use->at()].push_back(place);
      before_[life.first_backward_use->at()].push_back(place);
      Tensor tensor = graph.tensors[source.at()];
      tensor.form = TensorForm::kRestored;
      Tensor half = tensor;
      half.form = TensorForm::kCompressed;
      half.bytes_per_sample /= 2;
      const TensorId compressed = writer_.add(half);
      result_.tensors.push_back({source, compressed, writer_.add(tensor)});
    }
  }

  Compression run() && {
    for (std::size_t i = 0; i < from_.tasks.size(); ++i) {
      for (const std::size_t place : before_[i]) add_kernel(TaskKind::kDecompress, place);
      copy_task(make_id<TaskId>(i));
      for (const std::size_t place : behind_[i]) add_kernel(TaskKind::kCompress, place);
    }
    result_.graph = std::move(writer_).finish();
    return std::move(result_);
  }

 private:
  void add_kernel(TaskKind kind, std::size_t place) {
    const CompressedTensor& tensor = result_.tensors[place];
    const bool compresses = kind == TaskKind::kCompress;
    const LayerId layer = writer_.graph.tensors[tensor.source.at()].layer.value();
    const TaskId task = writer_.add(Task{.kind = kind, .layer = layer});
    writer_.reads.emplace_back(task, compresses ? tensor.source : tensor.compressed);
    writer_.writes.emplace_back(task, compresses ? tensor.compressed : tensor.restored);
    result_.task_of.push_back(std::nullopt);
  }

  void copy_task(TaskId from) {
    const bool backward = from.at() >= from_.forward_tasks;
    writer_.copy(from_, from, [&](TensorId tensor) {
      const auto& place = place_of_[tensor.at()];
      return backward && place ? result_.tensors[*place].restored : tensor;
    });
    result_.task_of.push_back(from);
  }

  const TrainingGraph& from_;
  GraphWriter writer_;
  Compression result_;
  std::vector<std::optional<std::size_t>> place_of_;  ///< by tensor: in result_.tensors
  std::vector<std::vector<std::size_t>> behind_;      ///< by task: compressed then
  std::vector<std::vector<std::size_t>> before_;      ///< by task: restored for it
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
    if (const auto& task = compression.task_of[i]) {
      all.add_task(costs.alternatives_of(*task));
      continue;
    }
    const TaskId task = make_id<TaskId>(i);
    const Bytes moved = all.tensor_bytes[compression.graph.reads[task].front().at()] +
                        all.tensor_bytes[compression.graph.writes[task].front().at()];
    all.add_task(std::array{elementwise(moved.count() / (kElement + kElement / 2), moved.count())});
  }
  return all;
}

}  // namespace ooc
