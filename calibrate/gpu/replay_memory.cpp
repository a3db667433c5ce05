// Room for a plan: asked for before anything is allocated. See replay_memory.hpp.
#include "calibrate/gpu/replay_memory.hpp"

#include <optional>
#include <string>

#include "calibrate/gpu/check.hpp"

namespace ooc::gpu {
namespace {

constexpr int kFarSlot = 0;                              // of pinned buffers in the pool
constexpr std::size_t kReserve = std::size_t{64} << 20;  // as in require_room

void require_near_room(const ReplayProgram& program) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  OOC_GPU_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  const std::size_t limit = free_bytes > kReserve ? free_bytes - kReserve : 0;
  const std::size_t need = program.static_bytes + program.arena_bytes;
  if (need <= limit) return;
  throw RequestError{"the plan needs " + std::to_string(need) + " bytes of near memory (" +
                     std::to_string(program.static_bytes) + " static, " +
                     std::to_string(program.arena_bytes) + " arena), at most " +
                     std::to_string(limit) + " may be taken: " + std::to_string(free_bytes) +
                     " are free of " + std::to_string(total_bytes)};
}

std::unique_ptr<Buffer> near_buffer(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  return std::make_unique<Buffer>(Place::kNear, bytes, std::nullopt);
}

}  // namespace

ReplayMemory::ReplayMemory(const ReplayProgram& program, const Machine& machine, BufferPool& pool)
    : blocks_(program.blocks), slots_(program.slots), far_bytes_(program.far_bytes) {
  require_near_room(program);
  if (far_bytes_ > 0) {
    far_ = as_bytes(pool.get(Place::kPinned, kFarSlot, far_bytes_, machine.link.numa_node));
  }
  statics_ = near_buffer(program.static_bytes);
  arena_ = near_buffer(program.arena_bytes);
}

char* ReplayMemory::block(std::size_t number) const { return arena() + blocks_.at(number).offset; }

std::size_t ReplayMemory::block_bytes(std::size_t number) const { return blocks_.at(number).bytes; }

char* ReplayMemory::slot(std::size_t number) const { return far_ + slots_.at(number).offset; }

std::size_t ReplayMemory::slot_bytes(std::size_t number) const { return slots_.at(number).bytes; }

}  // namespace ooc::gpu
