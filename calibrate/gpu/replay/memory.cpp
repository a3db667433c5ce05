// Room for a plan: asked for before anything is allocated. See replay_memory.hpp.
#include "calibrate/gpu/replay/memory.hpp"

#include <optional>
#include <string>

#include "calibrate/gpu/check.hpp"

namespace ooc::gpu {
namespace {

constexpr int kFarSlot = 0;                              // of pinned buffers in the pool
constexpr std::size_t kReserve = std::size_t{64} << 20;  // as in require_room

void require_near_room(std::size_t static_bytes, std::size_t pool_bytes, const std::string& what) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  OOC_GPU_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  const std::size_t limit = free_bytes > kReserve ? free_bytes - kReserve : 0;
  const std::size_t need = static_bytes + pool_bytes;
  if (need <= limit) return;
  throw RequestError{"the plan needs " + std::to_string(need) + " bytes of near memory (" +
                     std::to_string(static_bytes) + " static, " + std::to_string(pool_bytes) + ' ' +
                     what + "), at most " + std::to_string(limit) + " may be taken: " +
                     std::to_string(free_bytes) + " are free of " + std::to_string(total_bytes)};
}

// Why this device cannot map the plan's pages; empty if it can.
std::string obstacle(const ReplayProgram& program, const Machine& machine) {
  if (machine.page_bytes == 0) return "the device has no virtual memory management";
  if (program.page_bytes % machine.page_bytes == 0) return "";
  return "the plan's pages of " + std::to_string(program.page_bytes) +
         " bytes are no multiple of the device's, " + std::to_string(machine.page_bytes);
}

std::unique_ptr<Buffer> near_buffer(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  return std::make_unique<Buffer>(Place::kNear, bytes, std::nullopt);
}

}  // namespace

ReplayMemory::ReplayMemory(const ReplayProgram& program, const Machine& machine, BufferPool& pool)
    : blocks_(program.blocks), slots_(program.slots), far_bytes_(program.far_bytes) {
  const bool paged = program.pool_pages > 0;
  if (paged) without_pages_ = obstacle(program, machine);
  const bool map = paged && without_pages_.empty();
  if (map) {
    require_near_room(program.static_bytes, program.pool_pages * program.page_bytes, "in pages");
  } else {
    require_near_room(program.static_bytes, program.arena_bytes, "arena");
  }
  if (far_bytes_ > 0) {
    far_ = as_bytes(pool.get(Place::kPinned, kFarSlot, far_bytes_, machine.link.numa_node));
  }
  statics_ = near_buffer(program.static_bytes);
  if (map && try_pages(program, machine.device)) return;
  if (map) {
    require_near_room(0, program.arena_bytes,
                      "arena, because pages could not be mapped: " + without_pages_);
  }
  allocate_arena(program);
}

bool ReplayMemory::try_pages(const ReplayProgram& program, int device) {
  try {
    map_pages(program, device);
    return true;
  } catch (const CallFailure& failure) {
    without_pages_ = failure.call + ": " + failure.text;
  }
  begins_.clear();
  ranges_.clear();
  all_pages_.reset();
  pages_.reset();
  return false;
}

void ReplayMemory::map_pages(const ReplayProgram& program, int device) {
  pages_ = std::make_unique<Pages>(device, program.pool_pages, program.page_bytes);
  all_pages_ =
      std::make_unique<MappedRange>(*pages_, std::vector<PageRun>{{0, program.pool_pages}});
  for (const ReplayBlock& block : blocks_) begins_.push_back(address_in_pages(block));
  pool_ = all_pages_->get();
  pool_bytes_ = program.pool_pages * program.page_bytes;
}

// Pages that are neighbours have an address already: where the whole pool is mapped.
char* ReplayMemory::address_in_pages(const ReplayBlock& block) {
  if (block.pages.size() == 1) {
    return all_pages_->get() + block.pages.front().first * pages_->page_bytes() + block.start;
  }
  ranges_.push_back(std::make_unique<MappedRange>(*pages_, block.pages));
  return ranges_.back()->get() + block.start;
}

void ReplayMemory::allocate_arena(const ReplayProgram& program) {
  arena_ = near_buffer(program.arena_bytes);
  pool_bytes_ = program.arena_bytes;
  if (arena_ != nullptr) pool_ = as_bytes(*arena_);
  for (const ReplayBlock& block : blocks_) begins_.push_back(pool_ + block.offset);
}

char* ReplayMemory::block(std::size_t number) const { return begins_.at(number); }

std::size_t ReplayMemory::block_bytes(std::size_t number) const { return blocks_.at(number).bytes; }

char* ReplayMemory::slot(std::size_t number) const { return far_ + slots_.at(number).offset; }

std::size_t ReplayMemory::slot_bytes(std::size_t number) const { return slots_.at(number).bytes; }

}  // namespace ooc::gpu
