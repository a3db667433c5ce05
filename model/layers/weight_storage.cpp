// 4-bit NormalFloat and its double quantisation: Dettmers et al. (QLoRA), arXiv:2305.14314, 3: blocks of 64 weights
// with a 32-bit scale; of those, blocks of 256 in 8 bits. 8 bits: one scale a row of the matrix is left out.
#include "model/layers/weight_storage.hpp"

#include "model/base/errors.hpp"
#include "model/layers/layer_kind.hpp"

namespace ooc {
namespace {

constexpr std::int64_t kFloat32Scale = 4;
constexpr std::int64_t kScaleBlock = 64;
constexpr std::int64_t kScalesBlock = std::int64_t{64} * 256;

std::int64_t blocks_of(std::int64_t count, std::int64_t block) {
  return (count + block - 1) / block;
}

std::int64_t matrix_bytes(WeightStorage storage, std::int64_t count) {
  switch (storage) {
    case WeightStorage::kFp32:
      return 4 * count;
    case WeightStorage::kBf16:
      return 2 * count;
    case WeightStorage::kInt8:
      return count;
    case WeightStorage::kNf4:
      return blocks_of(count, 2) + kFloat32Scale * blocks_of(count, kScaleBlock);
    case WeightStorage::kNf4Double:
      return blocks_of(count, 2) + blocks_of(count, kScaleBlock) +
             kFloat32Scale * blocks_of(count, kScalesBlock);
  }
  return 0;
}

}  // namespace

std::string_view storage_name(WeightStorage storage) {
  return text_at(storage, {"fp32", "bf16", "int8", "nf4", "nf4-double"});
}

WeightStorage read_weight_storage(const SpecView& name) {
  return named_choice(name, kWeightStorages, &storage_name);
}

bool is_quantised(WeightStorage storage) {
  return storage != WeightStorage::kFp32 && storage != WeightStorage::kBf16;
}

WeightCounts weight_counts(const LayerModel& model) {
  const bool owns = model.weight_matrix && !model.is_tied;
  const std::int64_t matrix = owns ? model.weight_matrix->rows * model.weight_matrix->columns : 0;
  return {.matrix = matrix, .others = model.parameters - matrix};
}

std::int64_t stored_bytes(WeightStorage storage, const WeightCounts& counts) {
  const WeightStorage others = is_quantised(storage) ? WeightStorage::kBf16 : storage;
  return matrix_bytes(storage, counts.matrix) + matrix_bytes(others, counts.others);
}

}  // namespace ooc
