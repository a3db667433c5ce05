// Are the policies that frameworks ship right where the numbers can be redone by hand? Forward tasks take 10 ns, backward
// tasks 20 ns, updates and weights nothing, and sizes are in words of 4 bytes.
#include "model/base/errors.hpp"
#include "model/network/network.hpp"
#include "simulator/schedules/own_options.hpp"
#include "simulator/schedules/recompute_choice.hpp"
#include "tests/support/schedule_example.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

ScheduleOptions blocks_of(std::int64_t number) {
  ScheduleOptions options;
  options.own.change().blocks = {.kind = Blocks::Kind::kNumber, .number = number};
  return options;
}

ScheduleOptions layers_moved(std::int64_t number) {
  ScheduleOptions options;
  options.own.change().layers_moved = number;
  return options;
}

ScheduleOptions only(ScheduleOptions options, const char* layers) {
  options.own.change().only = layers;
  return options;
}

std::string layer(const std::string& name, const std::string& type) {
  return R"({"name": ")" + name + R"(", "type": ")" + type + "\"" +
         (type == "linear" ? R"(, "units": 4})" : "}");
}

std::string text_of_chain(const Names& layers) {
  std::string text = layer(layers.front(), "linear");
  for (std::size_t i = 1; i < layers.size(); ++i) text += "," + layer(layers[i], "gelu");
  return text;
}

const Names kPairs{"x1_a", "x1_b", "x2_a", "x2_b", "x3_a", "x3_b"};

// A linear layer a and gelus b to f, all of 4 words as is the data; they save their inputs. Capitals are gradients, +
// means again. Words that tasks need:
//
//     in-core      a 8  b 12  c 16  d 20  e 24  f 28 | f.bw 28  e.bw 28  d.bw 24  c.bw 20  b.bw 16  a.bw_w 8
//     two blocks   a 8  b 12  c 12  d 16  e 16  f 16 | f.bw 16  c+ 16  d+ 20  e.bw 24  d.bw 20  c.bw 16
//                  a+ 12  b.bw 16  a.bw_w 8
//
// f: data a b c d e f; e.bw: data a b c d E D. The two blocks are {a b} and {c d e f}: 4 words cross, b, and either drops
// at most 8 (e, which backward reads at once, cannot be dropped); e.bw: data b c d E D.
struct Chain : ScheduleExample {
  explicit Chain(const char* name, const Names& layers = {"a", "b", "c", "d", "e", "f"})
      : ScheduleExample{timed_workload(text_of_chain(layers), "[4]"), find_schedule(name)} {}

  /// "c e.backward": what runs again, and the task that it runs for.
  [[nodiscard]] Names again(Bytes budget, const ScheduleOptions& options = {}) const {
    return ScheduleExample::again(budget, options, " ");
  }
};

TEST_CASE("checkpoint: of two blocks each is computed again once") {
  const Chain example("checkpoint");
  CHECK(example.smallest(blocks_of(2)) == words(24));
  CHECK(example.again(words(24), blocks_of(2)) ==
        Names{"c e.backward", "d e.backward", "a b.backward"});
  const Timeline timeline = example.run(words(24), blocks_of(2));
  CHECK(timeline.iteration_time == Duration(210));  // 6 x 10 + 6 x 20 + 3 x 10
  CHECK(timeline.peak_near == words(24));
  // A policy that is asked for is followed, however much memory there is.
  CHECK(example.time(words(100), blocks_of(2)) == Duration(210));
  CHECK(example.returns(words(24), blocks_of(2)).empty());
}

TEST_CASE("checkpoint auto drops nothing where everything fits, and takes the quickest that fits") {
  // {a} {b c} {d e f} drops b and d: e.bw needs data a c d E D, 24 words, and two run again.
  const Chain example("checkpoint");
  CHECK(example.smallest() == words(24));
  CHECK(example.time(words(28)) == Duration(180));
  CHECK(example.again(words(28)).empty());
  CHECK(example.again(words(27)) == Names{"d e.backward", "b c.backward"});
  CHECK(example.time(words(24)) == Duration(200));
}

TEST_CASE("checkpoint drops copies of weights with their block, though autocast caches them") {
  ScheduleOptions options;
  options.own.change().blocks = {.kind = Blocks::Kind::kLayer};
  const std::string text = tiny::network(
      layer("x1_a", "linear") + "," + layer("x1_b", "linear") + "," + layer("x2_a", "linear"),
      "[4]");
  const ScheduleExample example{workload_of_text(text, 1, {}, {.precision = Precision::kAmpBf16}),
                                find_schedule("checkpoint")};
  const Plan plan = example.plan(words(1000), options);
  // Of x1_b, which wants a gradient of its data, a second copy is made.
  CHECK(std::ranges::count_if(plan.blocks, [&](const Block& block) {
          return block.kind == BlockKind::kTensor &&
                 tensor_name(example.workload.graph, TensorId{block.object}) == "x1_b.cast";
        }) == 2);
}

TEST_CASE("checkpoint takes blocks by the layers' names") {
  // {x1_a x1_b} {x2_a x2_b} {x3_a x3_b}: x1_a and x2_a are dropped.
  const Chain example("checkpoint", kPairs);
  ScheduleOptions options;
  options.own.change().blocks = {.kind = Blocks::Kind::kLayer};
  CHECK(example.smallest(options) == words(20));
  CHECK(example.again(words(20), options) == Names{"x2_a x2_b.backward", "x1_a x1_b.backward"});
  // Names that count nothing: each layer is a block, and nothing is used within one only.
  CHECK(Chain("checkpoint").smallest(options) == words(28));
  // {x1_a x1_b} {x2_a x2_b} between layers that nobody wraps: what these alone read is no block's input. That of the first
  // block returns from when backward of the second begins.
  const Chain between("checkpoint-offload", {"stem", "x1_a", "x1_b", "x2_a", "x2_b", "head"});
  CHECK(between.returns(words(100), options) ==
        Names{"x1_b after head.forward", "stem after head.backward"});
}

TEST_CASE("--blocks layer: two at a time, one of two, part of each") {
  const auto again = [](const Names& layers, const Blocks& blocks) {
    ScheduleOptions options;
    options.own.change().blocks = blocks;
    return Chain("checkpoint", layers).again(words(100), options);
  };
  constexpr Blocks::Kind kLayer = Blocks::Kind::kLayer;
  CHECK(again(kPairs, {.kind = kLayer, .together = 2, .of = 2}) ==
        Names{"x1_a x2_b.backward", "x1_b x2_b.backward", "x2_a x2_b.backward"});
  CHECK(again(kPairs, {.kind = kLayer, .of = 2}) == Names{"x1_a x1_b.backward"});
  const Names three{"x1_a", "x1_b", "x1_c", "x2_a", "x2_b", "x2_c"};
  CHECK(again(three, {.kind = kLayer, .first = "b", .last = "c"}) == Names{"x1_b x1_c.backward"});
  CHECK_THROWS_AS((void)again(three, {.kind = kLayer, .first = "c", .last = "b"}), SpecError);
  CHECK_THROWS_AS((void)again(three, {.kind = kLayer, .together = 3, .of = 2}), SpecError);
}

TEST_CASE("checkpoint-selective keeps what is multiplied") {
  // In one block: b, c and d; a is a product.
  const Chain example("checkpoint-selective");
  CHECK(example.again(words(28), blocks_of(1)) ==
        Names{"b e.backward", "c e.backward", "d e.backward"});
  CHECK(Chain("checkpoint").again(words(28), blocks_of(1)).size() == 4);
}

TEST_CASE("checkpoint-offload: block inputs leave, and return once backward has begun") {
  // All block inputs away while idle: e.bw needs c d E D. data and b return in time for a+ and c+; b is needed again by c.bw.
  const Chain example("checkpoint-offload");
  CHECK(example.smallest(blocks_of(2)) == words(16));
  // In 20 words there is room for b from f.bw on, which reads e and E; for data from e.bw (c d E D and b) on there
  // is none, from d.bw (c D C and b) on there is.
  CHECK(example.returns(words(20), blocks_of(2)) ==
        Names{"b after f.forward", "data after e.backward"});
  CHECK(example.time(words(20), blocks_of(2)) == Duration(210));  // the link is free
  // Everything near is a cut like any other: 28 words.
  CHECK(example.returns(words(28)).empty());
  CHECK(example.time(words(28)) == Duration(180));
}

TEST_CASE("offload-layers: the first blocks' tensors return one block ahead") {
  const Chain example("offload-layers");
  CHECK(example.smallest() == words(16));  // b.bw: data a B A
  CHECK(example.smallest(layers_moved(99)) == words(16));
  CHECK(example.smallest(layers_moved(0)) == words(28));
  // Block 0 is a, and the data. f: b c d e f.
  CHECK(example.smallest(layers_moved(1)) == words(20));
  CHECK(example.returns(words(20), layers_moved(1)) ==
        Names{"a after c.backward", "data after c.backward"});
  CHECK(example.returns(words(27)) == example.returns(words(27), layers_moved(1)));
  CHECK(example.returns(words(28)).empty());
}

TEST_CASE("--only: what named layers save moves, and nothing else does") {
  // b saves a, by name or among all gelus; a saves the data.
  const Chain layers("offload-layers");
  CHECK(layers.returns(words(28), only(layers_moved(99), "b")) == Names{"a after c.backward"});
  CHECK(layers.returns(words(28), only(layers_moved(99), "lin*r")) ==
        Names{"data after c.backward"});
  CHECK(layers.returns(words(28), only(layers_moved(99), "gelu,a")).size() ==
        layers.returns(words(28), layers_moved(99)).size());
  // As two blocks of checkpoint, but e's input d moves and is not computed again; b and the data stay.
  const Chain blocks("checkpoint-offload");
  CHECK(blocks.returns(words(24), only(blocks_of(2), "e")) == Names{"d after f.forward"});
  CHECK(blocks.again(words(24), only(blocks_of(2), "e")) == Names{"c d.backward", "a b.backward"});
  CHECK_THROWS_AS((void)blocks.result(words(28), only(blocks_of(2), "e,g")), SpecError);
}

TEST_CASE("options that no policy can follow are refused") {
  CHECK_THROWS_AS((void)Chain("checkpoint").result(words(28), blocks_of(0)), SpecError);
  CHECK_THROWS_AS((void)Chain("offload-layers").result(words(28), layers_moved(-1)), SpecError);
}

TEST_CASE("a block is what names count") {
  CHECK(block_name("blocks/3/ff1") == "blocks/3");
  CHECK(block_name("layer1_rest/0/conv1") == "layer1_rest/0");
  CHECK(block_name("memory/0/lstm/12/gates") == "memory/0");
  CHECK(block_name("layer1_0_bn2") == "layer1_0");
  CHECK(block_name("h.11.attn.proj") == "h.11");
  CHECK(block_name("mixed5b_1x1_bn") == "mixed5b");
  CHECK(block_name("conv1").empty());
  CHECK(block_name("fc").empty());
  CHECK(block_name("readout_fc").empty());
  const Chain example("checkpoint", kPairs);
  CHECK(blocks_of_tasks(example.workload.graph) == std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2});
}

}  // namespace
}  // namespace ooc::test
