// Near memory, seen by the event loop: a budget per device. IdealMemory is a counter of bytes; the
// plan's derived sums make taking and giving back one addition each. AddressedMemory places every
// block at an address (first fit or best fit, multiples of 512 B, neighbouring holes join), so that
// fragmentation blocks a run as it would a real allocator. Static bytes lie below the arena.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/plan/plan.hpp"

namespace ooc {

struct Hole {
  std::int64_t address = 0;
  std::int64_t bytes = 0;
};

/// One device's addresses.
struct Arena {
  std::vector<Hole> holes;  ///< by address; no two touch
  std::int64_t free = 0;
};

struct MemoryBuffers {
  std::vector<std::int64_t> used;           ///< by device, without static bytes
  std::vector<std::int32_t> releases_left;  ///< by block: releasers that have not ended
  std::vector<Arena> arenas;                ///< by device
  std::vector<std::int64_t> addresses;      ///< by block
};

inline constexpr std::int64_t kBlockAlignment = 512;

/// What both kinds of memory share with the event loop:
///   take / release: the blocks of a step, all or nothing; free, largest_hole: of a device, for reports;
///   has_freed: whether the end of a step has freed memory of a device.
template <bool kOneDevice>
class IdealMemory {
 public:
  /// Steps that fit together may start in any order alike.
  static constexpr bool kOrderMatters = false;

  IdealMemory(const Plan& plan, Bytes budget, MemoryBuffers& buffers);

  /// Places the initial blocks. False if they do not fit.
  bool place_initial();
  [[nodiscard]] std::int64_t free(std::size_t device) const { return limit_ - used(device); }
  [[nodiscard]] std::int64_t largest_hole(std::size_t device) const { return free(device); }
  [[nodiscard]] std::int64_t peak() const { return peak_; }

  bool take(std::size_t device, const QueuedStep& step) {
    return take_bytes(device, step.acquired.count());
  }
  bool take_bytes(std::size_t device, std::int64_t bytes) {
    const std::int64_t wanted = used(device) + bytes;
    if (wanted > limit_) return false;
    used(device) = wanted;
    peak_ = std::max(peak_, wanted);
    return true;
  }
  void release(std::size_t device, const QueuedStep& step) {
    used(device) -= step.released.count();
    if (step.shared_releases) release_shared(device, step.step);
  }
  [[nodiscard]] bool has_freed(std::size_t device, const QueuedStep& step) const;

 private:
  /// The one counter is a member, not an element of a vector: the loop keeps it in a register.
  std::int64_t& used(std::size_t device) { return kOneDevice ? used_ : buffers_->used[device]; }
  [[nodiscard]] std::int64_t used(std::size_t device) const {
    return kOneDevice ? used_ : buffers_->used[device];
  }
  void release_shared(std::size_t device, StepId step) {
    for (const BlockId id : plan_->shared_releases[step]) {
      if (--buffers_->releases_left[id.at()] > 0) continue;
      const Block& block = plan_->blocks[id.at()];
      used(kOneDevice ? device : static_cast<std::size_t>(block.device)) -= block.bytes.count();
    }
  }

  const Plan* plan_;
  MemoryBuffers* buffers_;
  std::int64_t used_ = 0;
  std::int64_t limit_;
  std::int64_t peak_ = 0;
};

extern template class IdealMemory<true>;
extern template class IdealMemory<false>;

enum class Fit { kFirst, kBest };

class AddressedMemory {
 public:
  static constexpr bool kOrderMatters = true;

  AddressedMemory(const Plan& plan, Bytes budget, Fit fit, MemoryBuffers& buffers);

  bool place_initial();
  [[nodiscard]] std::int64_t free(std::size_t device) const { return buffers_.arenas[device].free; }
  [[nodiscard]] std::int64_t largest_hole(std::size_t device) const;
  [[nodiscard]] std::int64_t peak() const { return peak_; }

  bool take(std::size_t device, const QueuedStep& step);
  void release(std::size_t device, const QueuedStep& step);
  [[nodiscard]] bool has_freed(std::size_t device, const QueuedStep& step) const;

 private:
  bool place(BlockId block);
  void remove(BlockId block);

  const Plan& plan_;
  MemoryBuffers& buffers_;
  Fit fit_;
  std::int64_t capacity_;
  std::int64_t peak_ = 0;
};

}  // namespace ooc
