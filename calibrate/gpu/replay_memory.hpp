// The memory a plan runs in: one near allocation for what stays (weights, their gradients, optimiser
// state), one arena for the blocks, whose addresses the plan has decided, and one pinned far pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "calibrate/gpu/job.hpp"
#include "calibrate/gpu/machine.hpp"
#include "calibrate/gpu/replay_program.hpp"
#include "calibrate/gpu/resources.hpp"

namespace ooc::gpu {

// Numbers of blocks and slots are those of the program, which has been checked.
class ReplayMemory {
 public:
  // Throws RequestError with both numbers, before anything is allocated, if it does not fit. The far pool is kept
  // in `pool` from run to run: to pin gigabytes takes seconds.
  ReplayMemory(const ReplayProgram& program, const Machine& machine, BufferPool& pool);

  std::size_t block_count() const { return blocks_.size(); }
  char* block(std::size_t number) const;  // aligned as the offset is, up to 256 bytes
  std::size_t block_bytes(std::size_t number) const;

  char* slot(std::size_t number) const;
  std::size_t slot_bytes(std::size_t number) const;

  // What stays for the whole run; null if the plan has none.
  char* statics() const { return statics_ == nullptr ? nullptr : as_bytes(*statics_); }
  std::size_t static_bytes() const { return statics_ == nullptr ? 0 : statics_->bytes(); }
  char* arena() const { return arena_ == nullptr ? nullptr : as_bytes(*arena_); }
  std::size_t arena_bytes() const { return arena_ == nullptr ? 0 : arena_->bytes(); }

  std::size_t near_bytes() const { return static_bytes() + arena_bytes(); }
  std::size_t far_bytes() const { return far_bytes_; }

 private:
  static char* as_bytes(const Buffer& buffer) { return static_cast<char*>(buffer.get()); }

  std::vector<ReplayBlock> blocks_;
  std::vector<ReplaySlot> slots_;
  std::unique_ptr<Buffer> statics_;
  std::unique_ptr<Buffer> arena_;
  char* far_ = nullptr;
  std::size_t far_bytes_ = 0;
};

}  // namespace ooc::gpu
