// Where nothing moves the time of a plan is the sum of what it runs; where something does, plans are tried.
#include "simulator/schedules/checkpoint_choice.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "model/base/errors.hpp"
#include "simulator/schedules/layer_blocks.hpp"
#include "simulator/schedules/own_options.hpp"

namespace ooc {
namespace {

/// `auto` tries cuts that drop at most so much in a block: from all that can be dropped, each time so much less.
constexpr double kFinerBy = 0.8;
constexpr int kFinest = 28;

SegmentEnds cut_by_layers(const MixFacts& facts) {
  const std::vector<std::uint32_t> blocks = blocks_of_tasks(facts.graph);
  const std::vector<bool> wrapped = wrapped_tasks(facts.graph);
  SegmentEnds ends(facts.forward, kNoSegment);
  for (std::size_t t = facts.forward; t-- > 0;) {
    if (!wrapped[t]) continue;
    const bool last = t + 1 == facts.forward || blocks[t + 1] != blocks[t];
    ends[t] = last ? static_cast<std::uint32_t>(t) : ends[t + 1];
  }
  return ends;
}

class Chooser {
 public:
  Chooser(const PlanningProblem& problem, BlockInputs inputs, const BlockPolicy& policy)
      : problem_(problem),
        inputs_(inputs),
        facts_(problem, MixFacts::Ways::kChosen, MixFacts::Idle::kSaved),
        segments_(facts_),
        decoder_(facts_) {
    if (problem.options.own->blocks.kind == Blocks::Kind::kAuto) {
      consider(keep_all(facts_), BlockInputs::kStay);
      if (best_) return;
    }
    for (const SegmentEnds& ends : block_cuts(problem, facts_, segments_)) {
      consider(policy(facts_, segments_, ends), inputs);
    }
  }

  PlanResult result() && {
    if (!best_) return *std::move(shortage_);
    const bool fits = place(*best_, best_inputs_);
    OOC_CHECK(fits, "what fitted fits again");
    return std::move(decoder_).build_once();
  }

 private:
  bool place(const Decisions& decisions, BlockInputs inputs) {
    const bool possible = decoder_.list(decisions);
    OOC_CHECK(possible, "what blocks are computed from stays, or is computed");
    if (inputs == BlockInputs::kStay) return decoder_.place_unmoved();
    return decoder_.place(decisions, facts_.forward - 1);
  }

  void consider(Decisions decisions, BlockInputs inputs) {
    if (!place(decisions, inputs)) return consider_shortage(inputs);
    const auto time = time_of_placed();
    if (best_ && (!time || (time_ && *time >= *time_))) return;
    time_ = time;
    best_ = std::move(decisions);
    best_inputs_ = inputs;
  }

  /// None: it gets stuck.
  std::optional<std::int64_t> time_of_placed() {
    if (inputs_ == BlockInputs::kStay) return decoder_.compute_time();
    OOC_CHECK(problem_.evaluate, "who searches by trial can try");
    const auto time = problem_.evaluate(decoder_.build()).iteration_time;
    if (!time) return std::nullopt;
    return time->count();
  }

  void consider_shortage(BlockInputs inputs) {
    auto shortage = decoder_.shortage(inputs == BlockInputs::kStay ? MixDecoder::Away::kNothing
                                                                   : MixDecoder::Away::kAll);
    OOC_CHECK(shortage, "what does not fit lacks something");
    if (shortage_ && shortage_->smallest_budget <= shortage->smallest_budget) return;
    shortage_ = std::move(shortage);
  }

  const PlanningProblem& problem_;
  BlockInputs inputs_;
  MixFacts facts_;
  MixSegments segments_;
  MixDecoder decoder_;
  std::optional<Decisions> best_;
  BlockInputs best_inputs_ = BlockInputs::kStay;
  std::optional<std::int64_t> time_;
  std::optional<OutOfMemory> shortage_;
};

}  // namespace

std::vector<SegmentEnds> block_cuts(const PlanningProblem& problem, const MixFacts& facts,
                                    const MixSegments& segments) {
  const Blocks& blocks = problem.options.own->blocks;
  switch (blocks.kind) {
    case Blocks::Kind::kLayer:
      return {cut_by_layers(facts)};
    case Blocks::Kind::kNumber:
      if (blocks.number < 1) {
        option_error("--blocks", std::to_string(blocks.number), "auto, layer or a number from 1");
      }
      return {segments.cut_into(blocks.number)};
    case Blocks::Kind::kAuto:
      break;
  }
  std::vector<std::int64_t> limits;
  auto most = static_cast<double>(segments.droppable_bytes());
  for (int i = 0; i <= kFinest; ++i, most *= kFinerBy) {
    limits.push_back(static_cast<std::int64_t>(most));
  }
  std::vector<SegmentEnds> cuts = segments.cuts(std::move(limits));
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

PlanResult plan_blocks(const PlanningProblem& problem, BlockInputs inputs,
                       const BlockPolicy& policy) {
  return Chooser(problem, inputs, policy).result();
}

}  // namespace ooc
