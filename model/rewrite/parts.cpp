// Part k of n holds the bytes from floor(k B / n) to floor((k + 1) B / n): nothing is lost, whatever the batch. Times of
// slices likewise. Slice j of k touches of each tensor the parts that lie in the j-th k-th of it, wholly or in part.
#include "model/rewrite/parts.hpp"

#include <algorithm>

#include "model/base/errors.hpp"
#include "model/graph/graph_writer.hpp"

namespace ooc {
namespace {

std::int64_t share(std::int64_t whole, std::int64_t part, std::int64_t parts) {
  const auto up_to = [&](std::int64_t k) {
    return static_cast<std::int64_t>(Int128{whole} * k / parts);
  };
  return up_to(part + 1) - up_to(part);
}

/// At most, of a slice.
Bytes need_in(const TrainingGraph& graph, const CostTable& costs, const Parts& parts, TaskId task,
              AlternativeId way, std::int64_t slices) {
  Bytes sum = costs[way].workspace;
  for_each_touched(graph, task, [&](TensorId tensor) {
    const std::int64_t count = parts.count(tensor);
    const Bytes whole = costs.tensor_bytes[tensor.at()];
    const bool straddles = count % slices != 0 && slices % count != 0;
    const std::int64_t touched = std::min(count, (count + slices - 1) / slices + straddles);
    if (touched == count) {
      sum += whole;
    } else {
      sum += Bytes((whole.count() + count - 1) / count * touched);
    }
  });
  return sum;
}

std::int64_t most_parts(const TrainingGraph& graph, const Parts& parts, TaskId task) {
  std::int64_t most = 1;
  for_each_touched(graph, task, [&](TensorId tensor) {
    most = std::max<std::int64_t>(most, parts.count(tensor));
  });
  return most;
}

/// each(number of slices, its need): 1, 2, 4, ... and as many as there are parts; until it says stop.
template <class Each>
void try_slices(const TrainingGraph& graph, const CostTable& costs, const Parts& parts, TaskId task,
                AlternativeId way, Each each) {
  const std::int64_t most = most_parts(graph, parts, task);
  for (std::int64_t slices = 1;; slices = std::min(2 * slices, most)) {
    const Bytes need = need_in(graph, costs, parts, task, way, slices);
    if (each(SliceNeed{static_cast<std::int32_t>(slices), need}) || slices == most) return;
  }
}

}  // namespace

Parts cut_tensors(const std::vector<Bytes>& tensor_bytes, const std::vector<Bytes>& largest) {
  OOC_CHECK(largest.size() == tensor_bytes.size(), "every tensor has a limit");
  Parts parts;
  parts.first.reserve(tensor_bytes.size() + 1);
  std::int64_t next = 0;
  for (std::size_t i = 0; i < tensor_bytes.size(); ++i) {
    const std::int64_t most = largest[i].count();
    OOC_CHECK(most > 0, "a part holds something");
    parts.first.push_back(static_cast<std::int32_t>(next));
    next += std::max<std::int64_t>(1, (tensor_bytes[i].count() + most - 1) / most);
    OOC_CHECK(next <= (std::int64_t{1} << 30), "parts are counted by an index");
  }
  parts.first.push_back(static_cast<std::int32_t>(next));
  return parts;
}

Parts cut_tensors(const std::vector<Bytes>& tensor_bytes, Bytes largest) {
  return cut_tensors(tensor_bytes, std::vector<Bytes>(tensor_bytes.size(), largest));
}

SliceNeed least_need(const TrainingGraph& graph, const CostTable& costs, const Parts& parts,
                     TaskId task, AlternativeId way) {
  SliceNeed least;
  try_slices(graph, costs, parts, task, way, [&](SliceNeed need) {
    if (need.slices == 1 || need.bytes < least.bytes) least = need;
    return false;
  });
  return least;
}

void slice_tasks(Parts& parts, const TrainingGraph& graph, const CostTable& costs,
                 const std::vector<AlternativeId>& ways, Bytes available) {
  parts.slices.assign(graph.tasks.size(), 1);
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const TaskId task = make_id<TaskId>(i);
    // Workspace, and a part of each tensor, are needed however thin the slices: what is more than that
    // counts, where it alone is more than a quarter.
    const std::int64_t least = least_need(graph, costs, parts, task, ways[i]).bytes.count();
    const std::int64_t quarter = available.count() / 4;
    const std::int64_t enough =
        least <= quarter ? quarter : least + (available.count() - least) / 4;
    SliceNeed chosen;
    bool found = false;
    try_slices(graph, costs, parts, task, ways[i], [&](SliceNeed need) {
      if (need.slices == 1) {
        found = need.bytes <= available;
      } else if (!found && (chosen.slices == 1 || need.bytes < chosen.bytes)) {
        chosen = need;
        found = need.bytes.count() <= enough;
      }
      return found;
    });
    OOC_CHECK(chosen.slices == 1 || chosen.bytes <= available, "some number of slices fits");
    parts.slices[i] = chosen.slices;
  }
}

TrainingGraph cut_graph(const TrainingGraph& graph, const Parts& parts) {
  GraphWriter writer(graph);
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const std::int32_t count = parts.count(make_id<TensorId>(i));
    for (std::int32_t part = 0; part < count; ++part) {
      Tensor piece = graph.tensors[i];
      piece.bytes_per_sample = share(piece.bytes_per_sample, part, count);
      piece.bytes_fixed = share(piece.bytes_fixed, part, count);
      piece.cut = count > 1 ? part + 1 : 0;
      writer.add(piece);
    }
  }
  for (TaskId of; of.at() < graph.tasks.size(); ++of.index) {
    const std::int64_t slices = parts.slices_of(of);
    for (std::int64_t slice = 0; slice < slices; ++slice) {
      const TaskId task = writer.add(graph.tasks[of.at()]);
      const auto touch = [&](auto& pairs, TensorId tensor) {
        const std::int64_t count = parts.count(tensor);
        const std::int64_t end = ((slice + 1) * count + slices - 1) / slices;
        for (std::int64_t part = slice * count / slices; part < end; ++part) {
          pairs.emplace_back(task,
                             TensorId{static_cast<std::int32_t>(parts.first[tensor.at()] + part)});
        }
      };
      for (const TensorId tensor : graph.reads[of]) touch(writer.reads, tensor);
      for (const TensorId tensor : graph.writes[of]) touch(writer.writes, tensor);
    }
  }
  for (auto& output : writer.graph.output_of_layer) {
    if (output) output = TensorId{parts.first[output->at()]};
  }
  return std::move(writer).finish();
}

CostTable cut_costs(const CostTable& costs, const Parts& parts) {
  CostTable cut;
  cut.batch = costs.batch;
  cut.static_bytes = costs.static_bytes;
  for (std::size_t i = 0; i + 1 < parts.first.size(); ++i) {
    const std::int32_t count = parts.first[i + 1] - parts.first[i];
    for (std::int32_t part = 0; part < count; ++part) {
      cut.tensor_bytes.emplace_back(share(costs.tensor_bytes[i].count(), part, count));
    }
  }
  for (std::size_t i = 0; i + 1 < costs.first_alternative.size(); ++i) {
    const TaskId task = make_id<TaskId>(i);
    const std::int32_t slices = parts.slices_of(task);
    for (std::int32_t slice = 0; slice < slices; ++slice) {
      const auto added = cut.alternatives.size();
      cut.add_task(costs.alternatives_of(task));
      for (std::size_t way = added; way < cut.alternatives.size(); ++way) {
        TaskAlternative& of_slice = cut.alternatives[way];
        of_slice.time = Duration(share(of_slice.time.count(), slice, slices));
        of_slice.seconds /= slices;
      }
    }
  }
  return cut;
}

}  // namespace ooc
