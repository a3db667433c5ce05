// The number of segments is found by bisection between none, which does not fit, and the most, which
// does. Dropping one more need not take less memory at every position (what it is computed from
// stays longer), so the number found is one that fits while one less does not, not always the least.
#include "simulator/schedules/recompute_choice.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/base/errors.hpp"
#include "model/network/network.hpp"
#include "simulator/schedules/own_options.hpp"

namespace ooc {
namespace {

SegmentUse use_of(const PlanningProblem& problem, const Segments& segments,
                  const RecomputeSegment& segment) {
  switch (problem.options.own->recomputation) {
    case Recomputation::kSpeed:
      return SegmentUse::kOnce;
    case Recomputation::kMemory:
      return SegmentUse::kForEachUse;
    case Recomputation::kCost:
      return segment.kept_at_once <= segments.largest_working_set ? SegmentUse::kOnce
                                                                  : SegmentUse::kForEachUse;
  }
  return SegmentUse::kOnce;
}

}  // namespace

std::vector<std::size_t> cheapest_first(const Segments& segments,
                                        const std::vector<SegmentUse>& most) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < most.size(); ++i) {
    if (most[i] != SegmentUse::kKept) order.push_back(i);
  }
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const RecomputeSegment& left = segments.list[a];
    const RecomputeSegment& right = segments.list[b];
    return Int128{left.time.count()} * right.freed.count() <
           Int128{right.time.count()} * left.freed.count();
  });
  return order;
}

std::vector<SegmentUse> drop_first(const std::vector<std::size_t>& order, std::size_t count,
                                   const std::vector<SegmentUse>& most) {
  std::vector<SegmentUse> uses(most.size(), SegmentUse::kKept);
  for (std::size_t i = 0; i < count; ++i) uses[order[i]] = most[order[i]];
  return uses;
}

std::vector<std::vector<SegmentUse>> sets_to_drop(const PlanningProblem& problem,
                                                  const Segments& segments) {
  std::vector<SegmentUse> all;
  std::vector<SegmentUse> modest;
  for (const RecomputeSegment& segment : segments.list) {
    all.push_back(use_of(problem, segments, segment));
    const bool within = segment.kept_at_once <= segments.largest_working_set;
    modest.push_back(within ? all.back() : SegmentUse::kKept);
  }
  if (modest == all) return {std::move(all)};
  return {std::move(all), std::move(modest)};
}

bool fits(const PlanningProblem& problem, const Footprint& footprint) {
  const Bytes available = problem.budget - problem.costs.static_bytes;
  const std::vector<Bytes> sums = footprint.bytes();
  return available.count() >= 0 &&
         std::ranges::all_of(sums, [&](Bytes sum) { return sum <= available; });
}

RunList drop_fewest(const PlanningProblem& problem, const Segments& segments,
                    const std::vector<SegmentUse>& most) {
  const std::vector<std::size_t> order = cheapest_first(segments, most);
  const auto drop = [&](std::size_t count) {
    return list_runs(problem, segments, drop_first(order, count, most));
  };
  const std::size_t fewest = nearest_that_fits(
      std::size_t{0}, order.size(),
      [&](std::size_t count) { return fits(problem, footprint_of(problem, drop(count))); });
  return drop(fewest);  // made again: two lists at once take twice the memory
}

OutOfMemory lesser_shortage(OutOfMemory first, OutOfMemory second) {
  if (second.smallest_budget < first.smallest_budget) return second;
  return first;
}

// Where nothing moves the time of a plan is the sum of what it runs; where something does, plans are tried.

namespace {

/// `auto` tries cuts that drop at most so much in a block: from all that can be dropped, each time so much less.
constexpr double kFinerBy = 0.8;
constexpr int kFinest = 28;

/// By forward task: true from the first to the last of the asked layers of its block.
std::vector<bool> asked_layers(const TrainingGraph& graph, const Blocks& asked) {
  std::vector<bool> within(graph.forward_tasks, asked.first.empty());
  if (asked.first.empty()) return within;
  const auto name_of = [&](std::size_t task) -> std::string_view {
    return graph.network->layers[graph.tasks[task].layer.at()].name;
  };
  const auto is = [&](std::size_t task, std::string_view wanted) {
    const std::string_view name = name_of(task);
    const std::string_view block = block_name(name);
    return !block.empty() && name.substr(std::min(block.size() + 1, name.size())) == wanted;
  };
  bool found = false;
  for (std::size_t t = 0; t < graph.forward_tasks; ++t) {
    if (!is(t, asked.first)) continue;
    const std::string_view block = block_name(name_of(t));
    std::size_t end = t;
    while (end < graph.forward_tasks && block_name(name_of(end)) == block && !is(end, asked.last)) {
      ++end;
    }
    if (end == graph.forward_tasks || !is(end, asked.last)) break;
    std::fill(within.begin() + std::ptrdiff_t(t), within.begin() + std::ptrdiff_t(end) + 1, true);
    found = true;
  }
  if (!found) {
    bad_value("--blocks", in_quotes("layer:" + asked.first + ".." + asked.last),
              "two layers of a block, the first before the last");
  }
  return within;
}

/// By forward task whether its layer is in a numbered block, as users wrap blocks. Embedding, final norm, head and loss
/// are in none. If no name has a number, all are.
std::vector<bool> wrapped_tasks(const TrainingGraph& graph) {
  std::vector<bool> wrapped;
  for (std::size_t i = 0; i < graph.forward_tasks; ++i) {
    const Layer& layer = graph.network->layers[graph.tasks[i].layer.at()];
    wrapped.push_back(!block_name(layer.name).empty());
  }
  if (!contains(wrapped, true)) wrapped.assign(wrapped.size(), true);
  return wrapped;
}

SegmentEnds cut_by_layers(const MixFacts& facts, const Blocks& asked) {
  const std::vector<std::uint32_t> blocks = blocks_of_tasks(facts.graph);
  const std::vector<bool> wrapped = wrapped_tasks(facts.graph);
  const std::vector<bool> within = asked_layers(facts.graph, asked);
  if (asked.together > asked.of) {
    bad_value("--blocks", std::to_string(asked.together) + " of " + std::to_string(asked.of),
              "no more blocks than there are");
  }
  std::vector<std::int64_t> segment(facts.forward + 1, -1);
  std::int64_t block = -1;
  for (std::size_t t = 0; t < facts.forward; ++t) {
    if (!wrapped[t]) continue;
    if (t == 0 || blocks[t] != blocks[t - 1]) ++block;
    if (within[t] && block % asked.of < asked.together) segment[t] = block / asked.of;
  }
  SegmentEnds ends(facts.forward, kNoSegment);
  for (std::size_t t = facts.forward; t-- > 0;) {
    if (segment[t] < 0) continue;
    ends[t] = segment[t + 1] == segment[t] ? ends[t + 1] : static_cast<std::uint32_t>(t);
  }
  return ends;
}

/// The cuts that --blocks allows, whatever the budget.
std::vector<SegmentEnds> block_cuts(const PlanningProblem& problem, const MixFacts& facts,
                                    const MixSegments& segments) {
  const Blocks& blocks = problem.options.own->blocks;
  switch (blocks.kind) {
    case Blocks::Kind::kLayer:
      return {cut_by_layers(facts, blocks)};
    case Blocks::Kind::kNumber:
      if (blocks.number < 1) {
        bad_value("--blocks", std::to_string(blocks.number), "auto, layer or a number from 1");
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

class Chooser {
 public:
  Chooser(const PlanningProblem& problem, BlockInputs inputs, const BlockPolicy& policy)
      : problem_(problem),
        inputs_(inputs),
        facts_(problem, MixFacts::Algorithms::kChosen, MixFacts::Idle::kSaved),
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

PlanResult plan_blocks(const PlanningProblem& problem, BlockInputs inputs,
                       const BlockPolicy& policy) {
  return Chooser(problem, inputs, policy).result();
}

// In the order of the tasks.

std::vector<std::uint32_t> blocks_of_tasks(const TrainingGraph& graph) {
  std::vector<std::uint32_t> blocks;
  std::string_view previous;
  std::uint32_t block = 0;
  for (std::size_t i = 0; i < graph.forward_tasks; ++i) {
    const Layer& layer = graph.network->layers[graph.tasks[i].layer.at()];
    const std::string_view name = block_name(layer.name);
    if (i > 0 && (name.empty() || name != previous)) ++block;
    previous = name;
    blocks.push_back(block);
  }
  return blocks;
}

}  // namespace ooc
