// Puts the parts together: order of memory, waits, places, contents, operations.
#include "simulator/replay/replay_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/base/errors.hpp"
#include "simulator/plan/plan_text.hpp"
#include "simulator/replay/contents.hpp"
#include "simulator/replay/memory_order.hpp"
#include "simulator/replay/operations.hpp"
#include "simulator/replay/place_blocks.hpp"
#include "simulator/replay/step_waits.hpp"

namespace ooc {
namespace {

struct Inputs {
  const Plan& plan;
  const TrainingGraph& graph;
  const CostTable& costs;
  const Timeline& timeline;
};

class ProgramMaker {
 public:
  ProgramMaker(const Inputs& inputs, Bytes budget, Bytes page)
      : in_(inputs),
        page_(page),
        order_(order_memory(inputs.plan, inputs.timeline, budget)),
        waits_(find_step_waits(inputs.plan, order_)),
        contents_(inputs.plan, inputs.graph, inputs.costs, order_),
        operations_(inputs.plan, inputs.graph, inputs.costs, contents_),
        slot_of_(inputs.graph.tensors.size()) {
    program_.budget = budget;
    program_.static_bytes = inputs.plan.static_bytes;
    program_.peak_near = inputs.timeline.peak_near;
  }

  ReplayProgram run() && {
    add_blocks();
    add_slots();
    for (std::size_t step = 0; step < in_.plan.steps.size(); ++step) {
      program_.steps.push_back(make_step(make_id<StepId>(step)));
    }
    program_.not_covered.assign(spinning_kinds_.begin(), spinning_kinds_.end());
    return std::move(program_);
  }

 private:
  void add_blocks() {
    const std::vector<PlacedBlock> blocks = blocks_to_place(in_.plan, order_, waits_);
    const Placement placement = place_blocks(blocks, order_.peak - in_.plan.static_bytes);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const Block& block = in_.plan.blocks[i];
      ReplayBlock& made = program_.blocks.emplace_back();
      made.offset = placement.offsets[i];
      made.bytes = block.bytes;
      made.initial = blocks[i].initial;
      if (block.kind == BlockKind::kTensor) made.content = TensorId{block.object};
    }
    program_.arena_bytes = placement.extent;
    if (page_ > Bytes(0)) try_pages();
  }

  /// The waits for pages come on top of those for bytes, so the places in the arena stay right.
  void try_pages() {
    MemoryOrder order = order_memory(in_.plan, in_.timeline, program_.budget, page_);
    if (order.peak_pages * page_ + order.peak_rests >= program_.arena_bytes) return;
    std::swap(order_, order);
    StepWaits waits = find_step_waits(in_.plan, order_);
    std::swap(waits_, waits);
    PagePool pool =
        make_page_pool(in_.plan, order_, blocks_to_place(in_.plan, order_, waits_), page_);
    if (pool.bytes() < program_.arena_bytes) {
      program_.pool = std::move(pool);
      return;
    }
    order_ = std::move(order);
    waits_ = std::move(waits);
  }

  void add_slots() {
    for (const Step& step : in_.plan.steps) {
      if (step.kind == StepKind::kCompute) continue;
      const TensorId tensor{step.object};
      if (slot_of_[tensor.at()]) continue;
      slot_of_[tensor.at()] = static_cast<std::int32_t>(program_.slots.size());
      ReplaySlot& slot = program_.slots.emplace_back();
      slot.offset = program_.far_bytes;
      slot.bytes = in_.costs.tensor_bytes[tensor.at()];
      slot.tensor = tensor;
      if (in_.graph.tensors[tensor.at()].role == TensorRole::kInput) slot.content = tensor;
      const std::int64_t units =
          (slot.bytes.count() + kReplayAlignment.count() - 1) / kReplayAlignment.count();
      program_.far_bytes += units * kReplayAlignment;
    }
  }

  [[nodiscard]] ReplayStep make_step(StepId id) {
    const Step& step = in_.plan.steps[id.at()];
    const Span& span = in_.timeline.spans[id.at()];
    ReplayStep made;
    made.kind = step.kind;
    made.recompute = step.recompute;
    made.start = span.start;
    made.duration = span.end - span.start;
    made.waits = waits_.waits[id.at()];
    made.name = step_name(in_.plan, in_.graph, id);
    if (step.kind == StepKind::kCompute) {
      add_computation(id, made);
    } else {
      made.block = contents_.copied(id).index;
      made.slot = slot_of_[static_cast<std::size_t>(step.object)].value();
      made.bytes = in_.costs.tensor_bytes[static_cast<std::size_t>(step.object)];
    }
    return made;
  }

  void add_computation(StepId id, ReplayStep& made) {
    const TaskId task{in_.plan.steps[id.at()].object};
    made.reads = blocks_of(in_.graph.reads[task], id);
    made.writes = blocks_of(in_.graph.writes[task], id);
    made.operation = operations_.text_of(id);
    if (made.operation.empty() && made.duration.count() > 0) {
      const Layer& layer = in_.graph.network->layers[in_.graph.tasks[task.at()].layer.at()];
      if (layer.kind != nullptr) spinning_kinds_.emplace(layer.kind->name);
    }
  }

  [[nodiscard]] std::vector<std::int32_t> blocks_of(std::span<const TensorId> tensors,
                                                    StepId user) const {
    std::vector<std::int32_t> blocks;
    for (const TensorId tensor : tensors) {
      if (const auto block = contents_.block_of(tensor, user)) blocks.push_back(block->index);
    }
    std::sort(blocks.begin(), blocks.end());
    return blocks;
  }

  Inputs in_;
  Bytes page_;
  MemoryOrder order_;
  StepWaits waits_;
  Contents contents_;
  Operations operations_;
  std::vector<std::optional<std::int32_t>> slot_of_;  ///< by tensor
  std::set<std::string> spinning_kinds_;
  ReplayProgram program_;
};

}  // namespace

ReplayProgram make_replay_program(const Plan& plan, const TrainingGraph& graph,
                                  const CostTable& costs, const Timeline& timeline, Bytes budget,
                                  Bytes page) {
  if (plan.devices != 1) {
    throw SpecError({.file = "",
                     .place = "replay",
                     .found = fmt::format("a plan on {} devices", plan.devices),
                     .expected = "a plan on one device",
                     .hint = ""});
  }
  return ProgramMaker({plan, graph, costs, timeline}, budget, page).run();
}

}  // namespace ooc
