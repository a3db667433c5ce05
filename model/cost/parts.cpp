// Part k of n holds the bytes from floor(k B / n) to floor((k + 1) B / n): nothing is lost, whatever the
// batch.
#include "model/cost/parts.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

std::int64_t share(std::int64_t whole, std::int64_t part, std::int64_t parts) {
  const auto up_to = [&](std::int64_t k) {
    return static_cast<std::int64_t>(Int128{whole} * k / parts);
  };
  return up_to(part + 1) - up_to(part);
}

Csr<TaskId, TensorId> cut_rows(const Csr<TaskId, TensorId>& rows, const Parts& parts) {
  std::vector<std::pair<TaskId, TensorId>> pairs;
  for (std::size_t task = 0; task < rows.rows(); ++task) {
    for (const TensorId tensor : rows[make_id<TaskId>(task)]) {
      for (std::int32_t k = parts.first[tensor.at()]; k < parts.first[tensor.at() + 1]; ++k) {
        pairs.emplace_back(make_id<TaskId>(task), TensorId{k});
      }
    }
  }
  return Csr<TaskId, TensorId>(rows.rows(), pairs);
}

/// each(tensor, part of it, parts of it), part after part.
template <class Each>
void for_each_part(const Parts& parts, Each each) {
  for (std::size_t i = 0; i + 1 < parts.first.size(); ++i) {
    const std::int32_t count = parts.first[i + 1] - parts.first[i];
    for (std::int32_t k = 0; k < count; ++k) each(i, k, count);
  }
}

}  // namespace

Parts cut_tensors(const std::vector<Bytes>& tensor_bytes, Bytes largest) {
  OOC_CHECK(largest.count() > 0, "a part holds something");
  Parts parts;
  parts.first.reserve(tensor_bytes.size() + 1);
  std::int64_t next = 0;
  for (const Bytes bytes : tensor_bytes) {
    parts.first.push_back(static_cast<std::int32_t>(next));
    next += std::max<std::int64_t>(1, (bytes.count() + largest.count() - 1) / largest.count());
    OOC_CHECK(next <= (std::int64_t{1} << 30), "parts are counted by an index");
  }
  parts.first.push_back(static_cast<std::int32_t>(next));
  return parts;
}

TrainingGraph cut_graph(const TrainingGraph& graph, const Parts& parts) {
  TrainingGraph cut = graph;
  cut.tensors.clear();
  cut.lifetimes.clear();
  for_each_part(parts, [&](std::size_t tensor, std::int32_t part, std::int32_t count) {
    Tensor piece = graph.tensors[tensor];
    piece.bytes_per_sample = share(piece.bytes_per_sample, part, count);
    piece.cut = count > 1 ? part + 1 : 0;
    cut.tensors.push_back(piece);
    cut.lifetimes.push_back(graph.lifetimes[tensor]);
  });
  cut.reads = cut_rows(graph.reads, parts);
  cut.writes = cut_rows(graph.writes, parts);
  for (auto& output : cut.output_of_layer) {
    if (output) output = TensorId{parts.first[output->at()]};
  }
  return cut;
}

CostTable cut_costs(const CostTable& costs, const Parts& parts) {
  CostTable cut{.batch = costs.batch,
                .alternatives = costs.alternatives,
                .first_alternative = costs.first_alternative,
                .tensor_bytes = {},
                .static_bytes = costs.static_bytes,
                .transfers = {}};
  for_each_part(parts, [&](std::size_t tensor, std::int32_t part, std::int32_t count) {
    cut.tensor_bytes.emplace_back(share(costs.tensor_bytes[tensor].count(), part, count));
  });
  return cut;
}

}  // namespace ooc
