// Is lms right where it compresses and the numbers can be redone by hand? Forward tasks take 10 ns, backward
// tasks 20 ns, a kernel that compresses or restores 3 ns; updates and weights nothing. Sizes are in words
// of 4 bytes.
#include "model/base/errors.hpp"
#include "simulator/plan/plan_text.hpp"
#include "simulator/schedules/lms_compress.hpp"
#include "simulator/schedules/own_options.hpp"
#include "tests/support/plan_laws.hpp"
#include "tests/support/random_networks.hpp"
#include "tests/support/schedule_example.hpp"
#include "tests/support/test.hpp"
#include "tests/support/tiny_specs.hpp"

namespace ooc::test {
namespace {

constexpr std::int64_t kWord = 4;
Bytes words(std::int64_t count) { return Bytes(count * kWord); }

ScheduleOptions compress_with(LmsAction action) {
  ScheduleOptions options;
  options.lms_action = action;
  return options;
}

// Four linear layers a b c d on an input of one word (data); outputs of 4, 4, 4 and 1 words. Linear layers
// save their inputs. Words that the tasks need (lms_compress.cpp; +: compressed, ': restored):
//
//     none     a 5  b 9         c 13         d 14 | d_d 17  d_w 17  c_d 17         c_w 17  b_d 13         b_w 13
//     a        a 5  b 9  a+ 11  c 11         d 12 | d_d 15  d_w 15  c_d 15         c_w 15  b_d 11  a' 15  b_w 13
//     a b      a 5  b 9  a+ 11  c 11  b+ 13  d 10 | d_d 13  d_w 13  c_d 13  b' 17  c_w 15  b_d 11  a' 15  b_w 13
//
// With a's half moved too: c 9, d 10, d_d to c_w 13, b_d 9, a' 15. If data moves as well, 1 less
// from b on to b_w (a_w needs it: 5).
struct CompressExample {
  Workload workload = timed_workload(
      layer("a", 4) + "," + layer("b", 4) + "," + layer("c", 4) + "," + layer("d", 1), "[1]");

  static std::string layer(const std::string& name, int units) {
    return R"({"name": ")" + name + R"(", "type": "linear", "units": )" + std::to_string(units) +
           "}";
  }

  [[nodiscard]] PlannedIteration result(Bytes budget, const ScheduleOptions& options) const {
    const auto costs_of = [&](const Compression& compression) {
      CostTable costs =
          compressed_costs(compression, workload.costs, [](std::int64_t, std::int64_t) {
            return TaskAlternative{.time = Duration(3), .workspace = {}};
          });
      const BytesPerSecond rate(400'000'000);  // a word takes 10 ns
      set_link(costs, {.to_far = rate, .to_near = rate});
      return costs;
    };
    return plan_with_compression({.problem = {.graph = workload.graph,
                                              .costs = workload.costs,
                                              .budget = budget,
                                              .options = options},
                                  .costs_of = costs_of});
  }
  [[nodiscard]] Bytes smallest(const ScheduleOptions& options) const {
    return smallest_of(result(Bytes(0), options).plan);
  }
};

struct Ran {
  Names names;  ///< of one queue's steps
  Timeline timeline;
};

Ran compress_run(const PlannedIteration& made, Bytes budget, StepKind kind) {
  REQUIRE(std::holds_alternative<Plan>(made.plan));
  REQUIRE(made.iteration != nullptr);
  const Plan& plan = std::get<Plan>(made.plan);
  Ran ran{{}, require_run(plan, *made.iteration->graph, made.iteration->costs, budget)};
  for (const StepId step : plan.queue(kind)) {
    ran.names.push_back(step_name(plan, *made.iteration->graph, step));
  }
  return ran;
}

TEST_CASE("lms compress: where everything fits the plan is the network's own") {
  const PlannedIteration made =
      CompressExample().result(words(17), compress_with(LmsAction::kCompress));
  CHECK(made.iteration == nullptr);
  CHECK(std::get<Plan>(made.plan).steps.size() == CompressExample().workload.graph.tasks.size());
}

TEST_CASE("lms compress halves the tensor with the longest slack, by two kernels") {
  const CompressExample example;
  CHECK(example.smallest(compress_with(LmsAction::kCompress)) ==
        words(15));  // not 17, which two would need
  for (const std::int64_t budget : {15, 16}) {
    const Ran ran = compress_run(example.result(words(budget), compress_with(LmsAction::kCompress)),
                                 words(budget), StepKind::kCompute);
    CHECK(ran.names == Names{"a.forward", "b.forward", "a.compress", "c.forward", "d.forward",
                             "d.backward_data", "d.backward_weights", "c.backward_data",
                             "c.backward_weights", "b.backward_data", "a.decompress",
                             "b.backward_weights", "a.backward_weights", "a.update", "b.update",
                             "c.update", "d.update"});
    CHECK(ran.timeline.peak_near == words(15));
    CHECK(ran.timeline.iteration_time == Duration(186));  // 4 x 10 + 7 x 20 + 2 x 3
    CHECK(ran.timeline.busy == Duration(180));
    CHECK(ran.timeline.stall_totals[static_cast<std::size_t>(StallCause::kRecompute)] ==
          Duration(6));
  }
}

TEST_CASE("lms compress chooses no input, which may hold indices, and takes a number as it is") {
  const CompressExample example;
  ScheduleOptions options = compress_with(LmsAction::kCompress);
  options.own.change().max_swaps = 2;  // a and b, though data has the longest slack
  CHECK(example.smallest(options) == words(17));
  options.own.change().max_swaps = 0;
  CHECK(example.smallest(options) == words(17));
  options.own.change().max_swaps = 1;
  CHECK(example.smallest(options) == words(15));
}

TEST_CASE("lms both moves the half of what it compresses, and all of what it cannot") {
  const CompressExample example;
  // Slack: data 7 - 0, a 6 - 1, b 5 - 2, c 4 - 3: data alone makes 16, data and a 14 (a': 15 less data).
  CHECK(example.smallest(compress_with(LmsAction::kBoth)) == words(14));
  const PlannedIteration one = example.result(words(16), compress_with(LmsAction::kBoth));
  CHECK(compress_run(one, words(16), StepKind::kToFar).names.empty());  // an input is dropped
  CHECK(compress_run(one, words(16), StepKind::kToNear).names == Names{"to_near data"});

  const PlannedIteration two = example.result(words(14), compress_with(LmsAction::kBoth));
  CHECK(compress_run(two, words(14), StepKind::kToFar).names == Names{"to_far a.compressed"});
  CHECK(compress_run(two, words(14), StepKind::kToNear).names ==
        Names{"to_near a.compressed", "to_near data"});
  // a 0-10, b 10-20, a+ 20-23, c 23-33, d 33-43, d_d 43-63, d_w 63-83, c_d 83-103, c_w 103-123, b_d 123-143.
  // The half (2 words, 20 ns) leaves 23-43. It would return from the turn on (d, 43), but there are 12
  // words with d_d to c_w: room for 2, so 43-63. a' 143-146. data waits until the restored a has been
  // used, after b_w (146-166): 166-176. a_w 176-196.
  const Ran ran = compress_run(two, words(14), StepKind::kCompute);
  CHECK(ran.timeline.iteration_time == Duration(196));
  CHECK(ran.timeline.stall_totals[static_cast<std::size_t>(StallCause::kSwapIn)] == Duration(10));
  CHECK(ran.timeline.stall_totals[static_cast<std::size_t>(StallCause::kRecompute)] == Duration(6));
  CHECK(ran.timeline.peak_near == words(14));
}

TEST_CASE("lms both: a mask that moves returns behind the values that one task restores") {
  // Attention keeps its weights, which are compressed, and dropout's mask, which is bytes.
  CompressExample example;
  example.workload = workload_of_text(
      tiny::network(CompressExample::layer("a", 6) +
                        R"(, {"name": "att", "type": "attention", "heads": 1, "dropout": 0.5}, )" +
                        CompressExample::layer("b", 1),
                    "[2, 1]"),
      1);
  ScheduleOptions options = compress_with(LmsAction::kBoth);
  options.own.change().max_swaps = 9;
  const Ran ran =
      compress_run(example.result(words(1000), options), words(1000), StepKind::kToNear);
  const auto place = [&](const std::string& name) {
    const auto is_it = [&](const std::string& step) { return has(step, name); };
    return std::find_if(ran.names.begin(), ran.names.end(), is_it) - ran.names.begin();
  };
  CHECK(place("att.mask") < static_cast<std::ptrdiff_t>(ran.names.size()));
  CHECK(place("att.reserve") < place("att.mask"));
}

TEST_CASE("lms restores what was compressed once: for each reader is refused") {
  ScheduleOptions options = compress_with(LmsAction::kBoth);
  options.own.change().restore_per_reader = true;
  CHECK_THROWS_WITH_AS((void)CompressExample().result(words(1000), options),
                       doctest::Contains("--restore-per-reader"), SpecError);
}

TEST_CASE("lms compresses float32 only") {
  CompressExample example;
  example.workload.network->dtype = Dtype::kFloat16;
  CHECK_THROWS_WITH_AS((void)example.result(words(99), compress_with(LmsAction::kCompress)),
                       doctest::Contains("float32"), SpecError);
}

}  // namespace
}  // namespace ooc::test
