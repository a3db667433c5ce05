// A plan from its memory to its results. See replay.hpp.
#include "calibrate/gpu/replay/replay.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/kernels.hpp"
#include "calibrate/gpu/platform.hpp"
#include "calibrate/gpu/replay/check.hpp"
#include "calibrate/gpu/replay/results.hpp"

namespace ooc::gpu {
namespace {

constexpr std::size_t kLeastIterations = 3;  // made even after max_ms

using Operations = std::vector<std::unique_ptr<Operation>>;  // per step; null: it spins

// Zeros would draw less power than real numbers, and patterns are no numbers. Slots that hold a tensor from
// the beginning get their numbers from the blocks'.
void fill_with_numbers(const ReplayProgram& program, const ReplayMemory& memory,
                       const Stream& stream) {
  for (const auto& [begin, bytes] : {std::pair{memory.statics(), memory.static_bytes()},
                                     std::pair{memory.pool(), memory.pool_bytes()}}) {
    if (bytes < 4) continue;
    OOC_GPU_CHECK(launch_uniform(stream.get(), Element::kFloat32, begin, bytes / 4));
  }
  for (std::size_t i = 0; i < program.slots.size() && memory.pool_bytes() > 0; ++i) {
    if (!program.slots[i].content) continue;
    for (std::size_t done = 0; done < memory.slot_bytes(i);) {
      const std::size_t part = std::min(memory.slot_bytes(i) - done, memory.pool_bytes());
      OOC_GPU_CHECK(cudaMemcpyAsync(memory.slot(i) + done, memory.pool(), part,
                                    cudaMemcpyDeviceToHost, stream.get()));
      done += part;
    }
  }
  stream.wait();
}

Operations make_operations(const ReplayRequest& request, const ReplayMemory& memory,
                           const ReplayResults& results) {
  const std::vector<ReplayStep>& steps = request.program.steps;
  Operations operations(steps.size());
  if (!request.program.run.real) return operations;
  std::set<std::string> told;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind != ReplayKind::kCompute || steps[i].line.find("op") == nullptr) continue;
    try {
      MadeOperation made = request.make(steps[i].line, memory);
      if (made.operation == nullptr && told.insert(made.missing).second) {
        results.note("step " + std::to_string(i) + " and its like spin: " + made.missing);
      }
      operations[i] = std::move(made.operation);
    } catch (const RequestError& error) {
      throw RequestError{"step " + std::to_string(i) + ": " + error.text};
    }
  }
  return operations;
}

// Steps that cannot be as short as they should.
void note_short_steps(const ReplayProgram& program, const Operations& operations, double overhead,
                      const ReplayResults& results) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const ReplayStep& step = program.steps[i];
    const bool spins = step.kind == ReplayKind::kCompute && operations[i] == nullptr;
    if (spins && step.ns > 0 && step.ns < overhead) ++count;
  }
  if (count == 0) return;
  results.note(std::to_string(count) +
               " steps are shorter than an empty spinning kernel and last as long as that");
}

void repeat(const ReplayProgram& program, const ReplayExecutor& executor, const StepWork& work,
            ReplayResults& results) {
  const double start = host_now_ns();
  for (std::size_t i = 0; i < program.run.warmup; ++i) {
    if (host_now_ns() - start > program.run.max_ns) break;
    executor.run(work);
  }
  while (results.iterations() < program.run.iterations) {
    if (results.iterations() >= kLeastIterations && host_now_ns() - start > program.run.max_ns) {
      results.note("stopped by max_ms after " + std::to_string(results.iterations()) +
                   " iterations");
      return;
    }
    results.add(executor.run(work));
  }
}

}  // namespace

void replay(const ReplayRequest& request, const Machine& machine, BufferPool& pool,
            Output& output) {
  const ReplayProgram& program = request.program;
  ReplayResults results(request.id, output);
  const ReplayMemory memory(program, machine, pool);
  if (!memory.without_pages().empty()) {
    results.note("one arena in place of pages, " + std::to_string(memory.pool_bytes()) +
                 " bytes for " + std::to_string(program.pool_pages * program.page_bytes) + ": " +
                 memory.without_pages());
  }
  const double overhead = spin_overhead_ns();
  const Operations operations = make_operations(request, memory, results);
  const ReplayExecutor executor(
      program);  // after what it uses: it waits for the device when it goes
  const Stream& stream = executor.stream(ReplayQueue::kCompute);

  std::uint64_t checked = 0;
  if (program.run.verify) {
    checked = check_content(program, memory, executor, request.seed, overhead);
  }
  if (program.run.real) {
    fill_with_numbers(program, memory, stream);
    for (const auto& operation : operations) {
      if (operation != nullptr) operation->initialise(stream.get());
    }
    stream.wait();
  }
  const StepWork work = [&](std::size_t number, cudaStream_t on) {
    const ReplayStep& step = program.steps[number];
    if (step.kind != ReplayKind::kCompute) return queue_step_copy(step, memory, on);
    if (operations[number] != nullptr) return operations[number]->run(on);
    queue_step_spin(step, overhead, on);
  };
  if (program.run.verify && program.run.real) {
    checked += check_intact(program, memory, executor, work);
  }
  note_short_steps(program, operations, overhead, results);
  repeat(program, executor, work, results);
  results.send_spans();

  output.send(LineBuilder("done")
                  .add("id", request.id)
                  .add("iterations", static_cast<std::int64_t>(results.iterations()))
                  .add("verified", std::int64_t{program.run.verify})
                  .add("checked_bytes", static_cast<std::int64_t>(checked))
                  .add("near_bytes", static_cast<std::int64_t>(memory.near_bytes()))
                  .add("pool_pages", static_cast<std::int64_t>(memory.pool_pages()))
                  .add("page_bytes",
                       static_cast<std::int64_t>(memory.pool_pages() > 0 ? program.page_bytes : 0))
                  .add("far_bytes", static_cast<std::int64_t>(memory.far_bytes()))
                  .add_ns("spin_overhead_ns", overhead));
}

}  // namespace ooc::gpu
