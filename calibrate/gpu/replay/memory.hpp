// The memory a plan runs in: one near allocation for what stays (weights, their gradients, optimiser
// state), a pool for the blocks, and one pinned far pool. The pool is one of pages, each block with
// addresses of its own that are mapped to its pages once; or, where the plan has no pages or the device cannot map
// them, an arena: one allocation with the offsets of the plan.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/gpu/job.hpp"
#include "calibrate/gpu/machine.hpp"
#include "calibrate/gpu/page_mapping.hpp"
#include "calibrate/gpu/replay/program.hpp"
#include "calibrate/gpu/resources.hpp"

namespace ooc::gpu {

// Numbers of blocks and slots are those of the program, which has been checked.
class ReplayMemory {
 public:
  // Throws RequestError with both numbers, before anything is allocated, if it does not fit. The far pool is kept
  // in `pool` from run to run: to pin gigabytes takes seconds.
  ReplayMemory(const ReplayProgram& program, const Machine& machine, BufferPool& pool);

  std::size_t block_count() const { return blocks_.size(); }
  char* block(std::size_t number) const;  // aligned as its place is, up to 256 bytes
  std::size_t block_bytes(std::size_t number) const;

  char* slot(std::size_t number) const;
  std::size_t slot_bytes(std::size_t number) const;

  // What stays for the whole run; null if the plan has none.
  char* statics() const { return statics_ == nullptr ? nullptr : as_bytes(*statics_); }
  std::size_t static_bytes() const { return statics_ == nullptr ? 0 : statics_->bytes(); }
  // All memory of the blocks as one range, to be filled.
  char* pool() const { return pool_; }
  std::size_t pool_bytes() const { return pool_bytes_; }
  // 0: an arena.
  std::size_t pool_pages() const { return pages_ == nullptr ? 0 : pages_->count(); }
  // Why a plan with pages got an arena; empty if it did not.
  const std::string& without_pages() const { return without_pages_; }

  std::size_t near_bytes() const { return static_bytes() + pool_bytes_; }
  std::size_t far_bytes() const { return far_bytes_; }

 private:
  static char* as_bytes(const Buffer& buffer) { return static_cast<char*>(buffer.get()); }
  bool try_pages(const ReplayProgram& program, int device);
  void map_pages(const ReplayProgram& program, int device);
  void allocate_arena(const ReplayProgram& program);
  char* address_in_pages(const ReplayBlock& block);

  std::vector<ReplayBlock> blocks_;
  std::vector<ReplaySlot> slots_;
  std::unique_ptr<Buffer> statics_;
  std::unique_ptr<Buffer> arena_;
  std::unique_ptr<Pages> pages_;  // before what is mapped to them
  std::unique_ptr<MappedRange> all_pages_;
  std::vector<std::unique_ptr<MappedRange>> ranges_;
  std::vector<char*> begins_;  // of blocks
  std::string without_pages_;
  char* pool_ = nullptr;
  std::size_t pool_bytes_ = 0;
  char* far_ = nullptr;
  std::size_t far_bytes_ = 0;
};

}  // namespace ooc::gpu
