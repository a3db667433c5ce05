// Greedy packing in many orders. All in units of the alignment, so that every offset is aligned.
#include "simulator/replay/place_blocks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

namespace ooc {
namespace {

using Order = std::vector<std::size_t>;

/// Which of the holes that take a block. Neither is better in general.
enum class Fit { kLowest, kTightest };

/// Looking at a pair of blocks is a step of work; all orders together may take so many.
constexpr std::size_t kWork = 400'000'000;

class Packer {
 public:
  Packer(const std::vector<PlacedBlock>& blocks, Bytes page)
      : blocks_(blocks),
        page_(page.count() / kReplayAlignment.count()),
        units_(blocks.size()),
        meets_(blocks.size() * blocks.size()) {
    for (std::size_t a = 0; a < blocks.size(); ++a) {
      units_[a] =
          (blocks[a].bytes.count() + kReplayAlignment.count() - 1) / kReplayAlignment.count();
      for (std::size_t b = 0; b < a; ++b) {
        const bool meet = !comes_after(a, b) && !comes_after(b, a);
        meets_[a * blocks.size() + b] = meet;
        meets_[b * blocks.size() + a] = meet;
      }
    }
  }

  [[nodiscard]] std::int64_t units(std::size_t block) const { return units_[block]; }
  [[nodiscard]] std::int64_t extent() const { return extent_; }
  [[nodiscard]] const std::vector<std::int64_t>& offsets() const { return offsets_; }

  /// Places all blocks; their offsets and the extent are then to be had.
  void pack(const Order& order, Fit fit) {
    by_offset_.clear();
    offsets_.assign(blocks_.size(), 0);
    extent_ = 0;
    for (const std::size_t block : order) {
      if (units_[block] == 0) continue;
      const std::int64_t offset = hole_for(block, fit);
      offsets_[block] = offset;
      extent_ = std::max(extent_, offset + units_[block]);
      const auto place =
          std::upper_bound(by_offset_.begin(), by_offset_.end(), offset,
                           [](std::int64_t at, const auto& placed) { return at < placed.offset; });
      by_offset_.insert(place, {offset, block});
    }
  }

 private:
  struct Placed {
    std::int64_t offset = 0;
    std::size_t block = 0;
  };

  [[nodiscard]] bool comes_after(std::size_t later, std::size_t earlier) const {
    return !blocks_[later].initial && reached(blocks_[later].ended, blocks_[earlier].free_when);
  }

  /// The first place from `top` on where the block may begin.
  [[nodiscard]] std::int64_t first_place(std::size_t block, std::int64_t top) const {
    if (!blocks_[block].at_boundary) return top;
    const std::int64_t boundary = (top + page_ - 1) / page_ * page_;
    return std::max(top, boundary - units_[block]);
  }

  /// Among the blocks that it may meet, or on top of them.
  [[nodiscard]] std::int64_t hole_for(std::size_t block, Fit fit) const {
    const std::size_t row = block * blocks_.size();
    std::int64_t top = 0;
    std::int64_t best = 0;
    std::int64_t best_size = std::numeric_limits<std::int64_t>::max();
    for (const Placed& placed : by_offset_) {
      if (!meets_[row + placed.block]) continue;
      const std::int64_t hole = placed.offset - top;
      const std::int64_t place = hole >= units_[block] ? first_place(block, top) : top;
      if (placed.offset - place >= units_[block] && hole < best_size) {
        if (fit == Fit::kLowest) return place;
        best = place;
        best_size = hole;
      }
      top = std::max(top, placed.offset + units_[placed.block]);
    }
    return best_size == std::numeric_limits<std::int64_t>::max() ? first_place(block, top) : best;
  }

  const std::vector<PlacedBlock>& blocks_;
  std::int64_t page_;  ///< in units
  std::vector<std::int64_t> units_;
  std::vector<bool> meets_;  ///< both may be resident at once; row by row
  std::vector<Placed> by_offset_;
  std::vector<std::int64_t> offsets_;
  std::int64_t extent_ = 0;
};

/// Sorted by falling key; equal ones stay as they are.
template <class Key>
Order sorted_by(Order order, Key key) {
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  return order;
}

class Search {
 public:
  Search(const std::vector<PlacedBlock>& blocks, Bytes at_least, Bytes page)
      : blocks_(blocks),
        packer_(blocks, page),
        tries_(kWork / std::max<std::size_t>(blocks.size() * blocks.size(), 1)),
        goal_((at_least.count() + kReplayAlignment.count() - 1) / kReplayAlignment.count()) {
    tries_ = std::min(tries_, kMostTries);
  }

  Placement run() && {
    for (const Order& order : first_orders()) {
      try_order(order, Fit::kLowest);
      try_order(order, Fit::kTightest);
    }
    for (; tries_ > 0 && best_.extent > goal_; --tries_) try_order(changed(), Fit::kLowest);
    Placement result;
    result.extent = Bytes(best_.extent * kReplayAlignment.count());
    for (const std::int64_t offset : best_.offsets) {
      result.offsets.emplace_back(offset * kReplayAlignment.count());
    }
    return result;
  }

 private:
  struct Packed {
    Order order;
    std::vector<std::int64_t> offsets;
    std::int64_t extent = std::numeric_limits<std::int64_t>::max();
  };
  static constexpr std::size_t kMostTries = 1500;

  /// Training is nested: what is made first is needed last. Packing by lifetime suits that, packing
  /// by size everything else, and the order of time wins where hardly anything is moved.
  [[nodiscard]] std::vector<Order> first_orders() const {
    const auto lifetime = [&](std::size_t b) { return blocks_[b].freed - blocks_[b].taken; };
    const auto size = [&](std::size_t b) { return packer_.units(b); };
    const auto area = [&](std::size_t b) { return Int128{size(b)} * Int128{lifetime(b)}; };
    Order order(blocks_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return blocks_[a].taken < blocks_[b].taken;
    });
    const Order by_size = sorted_by(order, size);
    const Order by_lifetime = sorted_by(order, lifetime);
    return {sorted_by(by_size, lifetime), sorted_by(by_lifetime, size), sorted_by(by_size, area),
            order};
  }

  /// The best order, but two blocks change places, or one comes earlier: any, or one that reaches the
  /// extent.
  [[nodiscard]] Order changed() {
    Order order = best_.order;
    if (random_below(2) == 0) {
      std::swap(order[random_below(order.size())], order[random_below(order.size())]);
      return order;
    }
    const std::size_t from = random_below(4) == 0 ? place_of_top() : random_below(order.size());
    const auto old_place = order.begin() + static_cast<std::ptrdiff_t>(from);
    const auto new_place = order.begin() + static_cast<std::ptrdiff_t>(random_below(from + 1));
    std::rotate(new_place, old_place, old_place + 1);
    return order;
  }

  /// In the best order.
  [[nodiscard]] std::size_t place_of_top() const {
    const auto top = std::find_if(best_.order.begin(), best_.order.end(), [&](std::size_t block) {
      return best_.offsets[block] + packer_.units(block) == best_.extent;
    });
    return static_cast<std::size_t>(top - best_.order.begin());
  }

  void try_order(const Order& order, Fit fit) {
    if (best_.extent <= goal_) return;
    packer_.pack(order, fit);
    if (packer_.extent() > best_.extent) return;
    best_ = {order, packer_.offsets(), packer_.extent()};
  }

  /// The same numbers everywhere (Knuth's 64-bit linear congruential generator).
  std::size_t random_below(std::size_t end) {
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>((random_ >> 33U) % end);
  }

  const std::vector<PlacedBlock>& blocks_;
  Packer packer_;
  std::size_t tries_;
  std::int64_t goal_;
  Packed best_;
  std::uint64_t random_ = 1;
};

}  // namespace

std::vector<PlacedBlock> blocks_to_place(const Plan& plan, const MemoryOrder& order,
                                         const StepWaits& waits) {
  std::vector<PlacedBlock> blocks(plan.blocks.size());
  const std::vector<QueueCounts> free_when = counts_until_free(plan);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].bytes = plan.blocks[i].bytes;
    blocks[i].free_when = free_when[i];
    blocks[i].freed = order.starts.size();
  }
  for (const BlockId block : plan.initial_blocks) blocks[block.at()].initial = true;
  for (std::size_t place = 0; place < order.starts.size(); ++place) {
    const StepId step = order.starts[place];
    for (const BlockId block : plan.acquires[step]) {
      blocks[block.at()].ended = waits.ended[step.at()];
      blocks[block.at()].taken = place + 1;
    }
    // The last one that starts is as a rule the last that ends: enough to sort by.
    for (const BlockId block : plan.releases[step]) blocks[block.at()].freed = place + 1;
  }
  return blocks;
}

Placement place_blocks(const std::vector<PlacedBlock>& blocks, Bytes at_least, Bytes page) {
  if (blocks.empty()) return {};
  return Search(blocks, at_least, page).run();
}

}  // namespace ooc
