// A plan to run on the device, as the lines of one group say it (docs/gpu-protocol.md, Replay): blocks in a
// pool of pages or in an arena, slots in a far pool, steps on queues. It is read and checked as a whole before anything runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/gpu/line.hpp"
#include "calibrate/gpu/page_mapping.hpp"

namespace ooc::gpu {

enum class ReplayQueue { kCompute, kToFar, kToNear };
inline constexpr std::size_t kReplayQueues = 3;

enum class ReplayKind { kCompute, kToFar, kToNear };  // recompute is compute: it runs the same

struct ReplayBlock {
  std::size_t offset = 0;  // in the arena
  std::size_t bytes = 0;
  std::optional<std::int64_t> content;  // the tensor; none: workspace
  bool initial = false;
  std::size_t start = 0;  // in the first of its pages
  std::vector<PageRun> pages;
};

struct ReplaySlot {
  std::size_t offset = 0;  // in the far pool
  std::size_t bytes = 0;
  std::optional<std::int64_t> content;  // it is there from the beginning
};

struct ReplayStep {
  ReplayQueue queue = ReplayQueue::kCompute;
  ReplayKind kind = ReplayKind::kCompute;
  std::vector<std::size_t> waits;   // steps of other queues
  double ns = 0;                    // kCompute
  std::vector<std::size_t> reads;   // blocks
  std::vector<std::size_t> writes;  // blocks
  std::size_t block = 0;            // copies
  std::size_t slot = 0;
  std::size_t bytes = 0;
  std::string name;
  Line line;  // as it came, where it has an `op`
};

struct ReplayRun {
  bool real = false;
  std::size_t iterations = 20;
  std::size_t warmup = 2;
  bool verify = true;
  double max_ns = 30e9;
};

struct ReplayProgram {
  std::size_t budget_bytes = 0;
  std::size_t static_bytes = 0;
  std::size_t arena_bytes = 0;
  std::size_t page_bytes = 0;
  std::size_t pool_pages = 0;  // 0: blocks lie in the arena only
  std::size_t far_bytes = 0;
  std::vector<ReplayBlock> blocks;
  std::vector<ReplaySlot> slots;
  std::vector<ReplayStep> steps;
  std::vector<std::size_t>
      order;  // of queueing: a step comes after those of its queue and its waits
  ReplayRun run;
};

// An order in which every step comes after the earlier ones of its queue and after those it waits for, else
// by number. Throws RequestError that names the steps that wait for each other.
std::vector<std::size_t> replay_order(const std::vector<ReplayStep>& steps);

}  // namespace ooc::gpu
