// Vector clocks over three queues, and a map of the bytes with their last accesses. See replay/races.hpp.
#include "calibrate/gpu/replay/races.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>

#include "calibrate/gpu/replay/check.hpp"
#include "calibrate/gpu/replay/counters.hpp"

namespace ooc::gpu {
namespace {

// How many steps of each queue.
using Clock = std::array<std::size_t, kReplayQueues>;

constexpr std::size_t kNoStep = static_cast<std::size_t>(-1);

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

class Races {
 public:
  Races(const ReplayProgram& program, bool in_pages)
      : program_(program),
        in_pages_(in_pages),
        ended_(program.steps.size()),
        position_(program.steps.size()) {}

  // In an order in which whatever a step waits for comes before it.
  void check() {
    for (const std::size_t number : program_.order) {
      advance_clock(number);
      const ReplayStep& step = program_.steps[number];
      if (step.kind == ReplayKind::kCompute) {
        for (const std::size_t block : step.reads) near(number, block, false);
        for (const std::size_t block : step.writes) near(number, block, true);
        continue;
      }
      near(number, step.block, step.kind == ReplayKind::kToNear);
      far(number, step.slot, step.kind == ReplayKind::kToFar);
    }
  }

 private:
  // The last accesses of some bytes.
  struct Accesses {
    std::size_t end = 0;
    std::size_t writer = kNoStep;
    std::array<std::size_t, kReplayQueues> readers{kNoStep, kNoStep, kNoStep};
  };
  using Memory = std::map<std::size_t, Accesses>;  // by the first byte

  static std::size_t queue_of(const ReplayStep& step) {
    return static_cast<std::size_t>(step.queue);
  }

  // What has ended when a step begins: what its waits and its predecessor had behind them, and these.
  void advance_clock(std::size_t number) {
    const ReplayStep& step = program_.steps[number];
    const std::size_t own = queue_of(step);
    Clock& clock = ended_[number];
    const auto after = [&](std::size_t other) {
      for (std::size_t i = 0; i < clock.size(); ++i) {
        clock[i] = std::max(clock[i], ended_[other][i]);
      }
      std::size_t& count = clock[queue_of(program_.steps[other])];
      count = std::max(count, position_[other] + 1);
    };
    for (const std::size_t wait : step.waits) after(wait);
    if (last_[own] != kNoStep) after(last_[own]);
    position_[number] = last_[own] == kNoStep ? 0 : position_[last_[own]] + 1;
    last_[own] = number;
  }

  bool comes_after(std::size_t number, std::size_t other) const {
    return other == kNoStep || other == number ||
           ended_[number][queue_of(program_.steps[other])] > position_[other];
  }

  void near(std::size_t number, std::size_t block, bool writes) {
    const std::string what = "block " + std::to_string(block);
    for (const Range& range : ranges_of(program_.blocks[block])) {
      access(near_, range, number, writes, block, what);
    }
  }

  void far(std::size_t number, std::size_t slot, bool writes) {
    const ReplaySlot& place = program_.slots[slot];
    access(far_, {place.offset, place.offset + place.bytes}, number, writes,
           program_.steps[number].block, "slot " + std::to_string(slot));
  }

  std::vector<Range> ranges_of(const ReplayBlock& block) const {
    if (!in_pages_) return {{block.offset, block.offset + block.bytes}};
    std::vector<Range> ranges;
    std::size_t skip = block.start;
    std::size_t left = block.bytes;
    for (const PageRun& run : block.pages) {
      const std::size_t room = run.count * program_.page_bytes;
      const std::size_t jump = std::min(skip, room);
      skip -= jump;
      const std::size_t part = std::min(left, room - jump);
      const std::size_t begin = run.first * program_.page_bytes + jump;
      if (part > 0) ranges.push_back({begin, begin + part});
      left -= part;
    }
    return ranges;
  }

  // A boundary between pieces there, if anything lies across it.
  static void split(Memory& memory, std::size_t at) {
    auto piece = memory.upper_bound(at);
    if (piece == memory.begin()) return;
    --piece;
    if (piece->first == at || piece->second.end <= at) return;
    Accesses rest = piece->second;
    piece->second.end = at;
    memory.emplace(at, rest);
  }

  void access(Memory& memory, const Range& range, std::size_t number, bool writes,
              std::size_t block, const std::string& what) {
    split(memory, range.begin);
    split(memory, range.end);
    auto piece = memory.lower_bound(range.begin);
    for (; piece != memory.end() && piece->first < range.end; ++piece) {
      require(number, piece->second.writer, "write", writes, block, what);
      for (const std::size_t reader : piece->second.readers) {
        if (writes) require(number, reader, "read", writes, block, what);
      }
    }
    const auto first = memory.lower_bound(range.begin);
    const std::size_t own = queue_of(program_.steps[number]);
    if (writes) {
      memory.erase(first, piece);
      memory[range.begin] = {range.end, number, {kNoStep, kNoStep, kNoStep}};
      return;
    }
    std::size_t at = range.begin;
    for (auto it = first; it != piece; ++it) {
      if (at < it->first) add_reader(memory, {at, it->first}, own, number);
      it->second.readers[own] = number;
      at = it->second.end;
    }
    if (at < range.end) add_reader(memory, {at, range.end}, own, number);
  }

  // Of bytes that nobody has touched.
  static void add_reader(Memory& memory, const Range& range, std::size_t queue,
                         std::size_t number) {
    Accesses accesses;
    accesses.end = range.end;
    accesses.readers[queue] = number;
    memory.emplace(range.begin, accesses);
  }

  void require(std::size_t number, std::size_t other, const char* did, bool writes,
               std::size_t block, const std::string& what) const {
    if (comes_after(number, other)) return;
    throw WrongContent{number, block, program_.blocks[block].content.value_or(-1),
                       step_title(program_, number) + (writes ? " writes " : " reads ") + what +
                           " while " + step_title(program_, other) + " may still " + did +
                           " the same memory: neither waits for the other"};
  }

  const ReplayProgram& program_;
  bool in_pages_;
  std::vector<Clock> ended_;
  std::vector<std::size_t> position_;  // on its queue
  std::array<std::size_t, kReplayQueues> last_{kNoStep, kNoStep, kNoStep};
  Memory near_;
  Memory far_;
};

}  // namespace

void check_races(const ReplayProgram& program, bool in_pages) { Races(program, in_pages).check(); }

std::vector<std::uint32_t> find_writers(const ReplayProgram& program) {
  std::vector<std::uint32_t> in_block(program.blocks.size(), kNobody);
  std::vector<std::uint32_t> in_slot(program.slots.size(), kNobody);
  for (std::size_t i = 0; i < in_block.size(); ++i) {
    if (program.blocks[i].initial) in_block[i] = 0;
  }
  for (std::size_t i = 0; i < in_slot.size(); ++i) {
    if (program.slots[i].content) in_slot[i] = 0;
  }
  std::vector<std::vector<std::uint32_t>> found(program.steps.size());
  for (const std::size_t number : program.order) {
    const ReplayStep& step = program.steps[number];
    for (const std::size_t block : step.reads) found[number].push_back(in_block[block]);
    for (const std::size_t block : step.writes) {
      in_block[block] = static_cast<std::uint32_t>(number) + 1;
    }
    if (step.kind == ReplayKind::kToFar) in_slot[step.slot] = in_block[step.block];
    if (step.kind == ReplayKind::kToNear) in_block[step.block] = in_slot[step.slot];
  }
  std::vector<std::uint32_t> all;
  for (const auto& writers : found) all.insert(all.end(), writers.begin(), writers.end());
  return all;
}

}  // namespace ooc::gpu
