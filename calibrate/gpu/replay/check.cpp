// The pattern iteration. See replay_check.hpp.
#include "calibrate/gpu/replay/check.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/kernels.hpp"
#include "calibrate/gpu/pattern.hpp"
#include "calibrate/gpu/replay/counters.hpp"
#include "calibrate/gpu/replay/races.hpp"

namespace ooc::gpu {
namespace {

// Seeds of tensors and of what is no tensor, apart from each other and from those of other runs. A tensor that is
// written once more (in place, or a sum that grows) has another pattern from then on, so `writer` is
// part of it: 0 for what is there from the beginning, else the step's number and one.
class Seeds {
 public:
  explicit Seeds(std::uint64_t run) : run_(run << 52) {}
  std::uint64_t tensor(std::int64_t content, std::uint32_t writer) const {
    return run_ + (static_cast<std::uint64_t>(content) << 20) + writer;
  }
  std::uint64_t none() const { return tensor((std::int64_t{1} << 32) - 1, 0); }
  std::uint64_t of(const ReplayBlock& block, std::uint32_t writer) const {
    return block.content ? tensor(*block.content, writer) : none();
  }

 private:
  std::uint64_t run_;
};

class ContentCheck {
 public:
  ContentCheck(const ReplayProgram& program, const ReplayMemory& memory, std::uint64_t seed,
               double spin_overhead_ns)
      : program_(program),
        memory_(memory),
        seeds_(seed),
        spin_overhead_ns_(spin_overhead_ns),
        writers_(find_writers(program)) {
    first_counter_.reserve(program.steps.size());
    std::size_t counters = 0;
    for (const ReplayStep& step : program.steps) {
      first_counter_.push_back(counters);
      counters += step.reads.size();
    }
    counters_.emplace(counters);
  }

  void prepare(const Stream& stream) {
    counters_->clear(stream);
    for (std::size_t i = 0; i < program_.slots.size(); ++i) {
      const std::optional<std::int64_t>& content = program_.slots[i].content;
      if (content) fill_slot(i, seeds_.tensor(*content, 0));
    }
    for (std::size_t i = 0; i < program_.blocks.size(); ++i) {
      if (program_.blocks[i].initial) fill(i, seeds_.of(program_.blocks[i], 0), stream.get());
    }
    stream.wait();
  }

  void work(std::size_t number, cudaStream_t stream) const {
    const ReplayStep& step = program_.steps[number];
    if (step.kind != ReplayKind::kCompute) {
      if (step.kind == ReplayKind::kToNear) fill(step.block, seeds_.none(), stream);
      return queue_step_copy(step, memory_, stream);
    }
    for (std::size_t i = 0; i < step.reads.size(); ++i) {
      const ReplayBlock& block = program_.blocks[step.reads[i]];
      if (!block.content) continue;
      const std::size_t read = first_counter_[number] + i;
      OOC_GPU_CHECK(launch_check(stream, memory_.block(step.reads[i]), block.bytes / 8 * 8, 0,
                                 seeds_.of(block, writers_[read]), counters_->at(read)));
    }
    queue_step_spin(step, spin_overhead_ns_, stream);
    for (const std::size_t block : step.writes) {
      fill(block, seeds_.of(program_.blocks[block], static_cast<std::uint32_t>(number) + 1),
           stream);
    }
  }

  // The compared bytes. The first step that found wrong words is named: those after it may only have inherited
  // its data. All comparing steps are on one queue, so first in the lines is first in time.
  std::uint64_t result(const Stream& stream) {
    const std::vector<unsigned long long> wrong = counters_->read(stream);
    std::uint64_t bytes = 0;
    for (std::size_t step = 0; step < program_.steps.size(); ++step) {
      const std::vector<std::size_t>& reads = program_.steps[step].reads;
      for (std::size_t i = 0; i < reads.size(); ++i) {
        const unsigned long long words = wrong[first_counter_[step] + i];
        if (words != 0) fail(step, reads[i], words);
        if (program_.blocks[reads[i]].content) bytes += program_.blocks[reads[i]].bytes / 8 * 8;
      }
    }
    return bytes;
  }

 private:
  void fill(std::size_t block, std::uint64_t seed, cudaStream_t stream) const {
    OOC_GPU_CHECK(
        launch_fill(stream, memory_.block(block), memory_.block_bytes(block) / 8 * 8, 0, seed));
  }

  void fill_slot(std::size_t slot, std::uint64_t seed) const {
    auto* words = reinterpret_cast<std::uint64_t*>(memory_.slot(slot));
    for (std::size_t i = 0; i < memory_.slot_bytes(slot) / 8; ++i) words[i] = pattern_word(i, seed);
  }

  [[noreturn]] void fail(std::size_t step, std::size_t number, unsigned long long words) const {
    const ReplayBlock& block = program_.blocks[number];
    const std::int64_t content = block.content.value_or(-1);
    throw WrongContent{step, number, content,
                       step_title(program_, step) + " read wrong data: " + std::to_string(words) +
                           " of the " + std::to_string(block.bytes / 8) + " words of block " +
                           std::to_string(number) + " are not those of tensor " +
                           std::to_string(content)};
  }

  const ReplayProgram& program_;
  const ReplayMemory& memory_;
  Seeds seeds_;
  double spin_overhead_ns_;
  std::vector<std::uint32_t> writers_;      // of each read
  std::vector<std::size_t> first_counter_;  // of each step's reads
  std::optional<ReplayCounters> counters_;
};

}  // namespace

std::uint64_t check_content(const ReplayProgram& program, const ReplayMemory& memory,
                            const ReplayExecutor& executor, std::uint64_t seed,
                            double spin_overhead_ns) {
  ContentCheck check(program, memory, seed, spin_overhead_ns);
  const Stream& stream = executor.stream(ReplayQueue::kCompute);
  check.prepare(stream);
  executor.run([&check](std::size_t step, cudaStream_t on) { check.work(step, on); });
  const std::uint64_t bytes = check.result(stream);
  check_races(program, memory.pool_pages() > 0);
  return bytes;
}

void queue_step_copy(const ReplayStep& step, const ReplayMemory& memory, cudaStream_t stream) {
  void* near = memory.block(step.block);
  void* far = memory.slot(step.slot);
  if (step.kind == ReplayKind::kToNear) {
    OOC_GPU_CHECK(cudaMemcpyAsync(near, far, step.bytes, cudaMemcpyHostToDevice, stream));
  } else {
    OOC_GPU_CHECK(cudaMemcpyAsync(far, near, step.bytes, cudaMemcpyDeviceToHost, stream));
  }
}

// A step of no time launches nothing: an empty kernel would take longer.
void queue_step_spin(const ReplayStep& step, double spin_overhead_ns, cudaStream_t stream) {
  if (step.ns <= 0) return;
  OOC_GPU_CHECK(launch_spin(stream, std::max(0.0, step.ns - spin_overhead_ns)));
}

}  // namespace ooc::gpu
