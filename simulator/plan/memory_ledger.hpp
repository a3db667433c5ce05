// Ledger of architecture.md, section 4: bytes that must be in GPU memory at each compute position.
// Positions are tasks in execution order. A segment tree with range add and "last position above a
// limit", so that planning n tasks costs O(n log n).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/base/units.hpp"

namespace ooc {

class MemoryLedger {
 public:
  explicit MemoryLedger(const std::vector<Bytes>& initial);
  /// Sets new initial bytes by position, and reuses the vectors.
  void reset(const std::vector<Bytes>& initial);

  /// Adds `bytes` to positions [first, end).
  void book(std::size_t first, std::size_t end, Bytes bytes);
  [[nodiscard]] Bytes max(std::size_t first, std::size_t end) const;
  [[nodiscard]] Bytes at(std::size_t position) const { return max(position, position + 1); }
  /// Returns the last position in [first, end) with more bytes than `limit`; unset: none.
  [[nodiscard]] std::optional<std::size_t> last_above(std::size_t first, std::size_t end,
                                                      Bytes limit) const;
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
  std::size_t leaves_ = 1;
  std::vector<std::int64_t> max_;  ///< by node: largest bytes of its subtree, its own add_ included
  std::vector<std::int64_t> add_;  ///< by node: bytes added to its whole subtree
};

}  // namespace ooc
