// The largest batch that fits, found by trying: a search that knows nothing of networks. Where
// whatever is larger than what does not fit does not fit either (sums of sizes that grow with the
// batch), its answer is the border; where that is not so (holes between addresses, algorithms that
// change with the batch), it is a batch that fits with one above it that does not, and the
// `also_above` next ones do not fit either.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "model/base/units.hpp"

namespace ooc {

struct BatchTrial {
  bool fits = false;
  /// Where it does not fit: of the memory that is short, what would do, if that is known, and what is there.
  std::optional<Bytes> needs = {};
  Bytes has = {};
};

struct BatchSearch {
  std::function<BatchTrial(std::int64_t batch)> attempt;
  std::int64_t first = 1;          ///< nothing smaller is tried
  std::int64_t limit = kMaxBatch;  ///< nothing larger is tried
  /// To guess with: of near memory what is needed is taken to grow in proportion beyond `fixed`.
  Bytes budget = {};
  Bytes fixed = {};
  std::int64_t also_above = 0;
  std::int64_t growth = 16;  ///< from one that fits to the next that is tried, while none fails
};

struct LargestBatch {
  std::int64_t batch = 0;             ///< 0: not even the first fits
  std::optional<std::int64_t> fails;  ///< one more, tried; none where the limit fits
  int attempts = 0;
};

[[nodiscard]] LargestBatch find_largest_batch(const BatchSearch& search);

}  // namespace ooc
