// Are recompute and superneurons right where the numbers can be redone by hand? The examples show what
// runs again, what moves, when, what it costs and what it takes; forward tasks take 10 ns, backward tasks 20 ns, updates
// and weights nothing, and sizes are in words of 4 bytes.
#include "simulator/schedules/own_options.hpp"
#include "tests/support/schedule_example.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

ScheduleOptions by(Recomputation rule) {
  ScheduleOptions options;
  options.own.change().recomputation = rule;
  return options;
}
const ScheduleOptions kCost = by(Recomputation::kCost);
const ScheduleOptions kSpeed = by(Recomputation::kSpeed);
const ScheduleOptions kMemory = by(Recomputation::kMemory);

struct RecomputeExample : ScheduleExample {
  RecomputeExample(const char* name, const std::string& layers, const std::string& shape)
      : ScheduleExample{timed_workload(layers, shape), find_schedule(name)} {}
};

std::string linear(const std::string& name, int units) {
  return R"({"name": ")" + name + R"(", "type": "linear", "units": )" + std::to_string(units) + "}";
}
std::string gelu(const std::string& name) {
  return R"({"name": ")" + name + R"(", "type": "gelu"})";
}

// One segment of three gelus between two linear layers; outputs a, b, c, d of 4 words, e and data of 1.
// Linear layers and gelus save their inputs, so a.bw_w reads data, b.bw a, c.bw b, d.bw c, e.bw_w d.
// Words that the tasks need (A is the gradient of a):
//
//     in-core    a.fw   b.fw    c.fw      d.fw        e.fw        e.bw_d     e.bw_w     d.bw      c.bw     b.bw   a.bw_w
//                 5      9       13        17          18          21         21         21        17       13     5
//                data a  +b      +c        +d          +e    data a b c d D   same   data a b c D C  a b C B  a B A  data A
//
//     dropped     5      9       13        13          10          9
//                data a  data a b  a b c  data a c d  data a d e  data a D
//
//     speed, before e.bw_w:  b again  c again  d again  e.bw_w   d.bw   c.bw ...
//                               13       17       21       21     21     17         nothing gained
//     memory, before e.bw_w: b again  c again  d again  e.bw_w   d.bw   b again  c.bw   b.bw  a.bw_w
//                               13       17       17       17     17       13      17     13     5
//                           data a b D   +c   data a c d D  same  a c D C  a b C  a b C B
//
// c stays over e.bw_w, because d.bw reads it next; b is computed twice. The segment needs 16 words at
// once and one task at most 12 (d.bw: c D C), so the cost rule chooses memory here.
RecomputeExample one_segment() {
  return {
      "recompute",
      linear("a", 4) + "," + gelu("b") + "," + gelu("c") + "," + gelu("d") + "," + linear("e", 1),
      "[1]"};
}

TEST_CASE("recompute runs as in-core where everything fits") {
  const RecomputeExample example = one_segment();
  CHECK(example.again(words(21)).empty());
  CHECK(example.run(words(21)).iteration_time == Duration(170));  // 5 x 10 + 6 x 20
  CHECK(example.plan(words(21)).steps.size() == example.workload.graph.tasks.size());
}

TEST_CASE("recompute memory computes what each task reads from the checkpoint") {
  const RecomputeExample example = one_segment();
  CHECK(example.smallest(kMemory) == words(17));
  const Names runs = {"b before e.backward_weights", "c before e.backward_weights",
                      "d before e.backward_weights", "b before c.backward"};
  CHECK(example.again(words(20), kMemory) == runs);
  const Timeline timeline = example.run(words(17), kMemory);
  CHECK(timeline.iteration_time == Duration(210));  // 170 + 4 x 10
  CHECK(timeline.peak_near == words(17));
  CHECK(timeline.busy == Duration(170));
  CHECK(timeline.stall_totals[static_cast<std::size_t>(StallCause::kRecompute)] == Duration(40));
}

TEST_CASE("recompute speed gains nothing from a single segment, and says in-core's budget") {
  const RecomputeExample example = one_segment();
  CHECK(example.smallest(kSpeed) == words(21));
  const PlanResult none = example.result(words(20), kSpeed);
  REQUIRE(std::holds_alternative<OutOfMemory>(none));
  CHECK(std::get<OutOfMemory>(none).step == "e.backward_data");  // the first that does not fit
}

TEST_CASE("recompute cost takes memory where a segment is larger than the largest task") {
  const RecomputeExample example = one_segment();
  CHECK(example.smallest(kCost) == words(17));
  CHECK(example.again(words(17), kCost) == example.again(words(17), kMemory));
}

// Two segments, {b, c} and {e}; outputs a to e and data of 4 words, f of 1. Words:
//
//     in-core     a.fw b.fw c.fw d.fw e.fw f.fw f.bw_d f.bw_w e.bw d.bw_d d.bw_w c.bw b.bw a.bw_w
//                  8    12   16   20   24   25    28     28    28    24     24    20   16    8
//     b c dropped  8    12   16   16   16   17    20     20     20     16  +b 20 +c 24 24     20   16   8
//         e.fw data a d e, f.bw data a d e E, e.bw data a d E D, d.bw_d data a D C; again b: data a D C b,
//         c: data a b c D C, which stays for d.bw_w; c.bw data a b C B
//
// Computing {b, c} again costs 20 ns for 8 words, {e} 10 ns for 4: equal, so {b, c} goes first. With
// either rule b is still near when c.bw reads it, right after d.bw_w.
RecomputeExample two_segments() {
  return {"recompute",
          linear("a", 4) + "," + gelu("b") + "," + gelu("c") + "," + linear("d", 4) + "," +
              gelu("e") + "," + linear("f", 1),
          "[4]"};
}

TEST_CASE("recompute drops no more segments than it must, and each is computed again once") {
  const RecomputeExample example = two_segments();
  CHECK(example.run(words(28)).iteration_time == Duration(220));  // 6 x 10 + 8 x 20
  for (const ScheduleOptions& options : {kCost, kSpeed, kMemory}) {
    CHECK(example.smallest(options) == words(24));
    CHECK(example.again(words(27), options) ==
          Names{"b before d.backward_weights", "c before d.backward_weights"});
    CHECK(example.run(words(24), options).iteration_time == Duration(240));
    CHECK(example.run(words(24), options).peak_near == words(24));
  }
}

std::string conv(const std::string& name, const std::string& input) {
  return R"({"name": ")" + name +
         R"(", "type": "conv", "filters": 1, "kernel": [1, 1], "bias": false, "inputs": [")" +
         input + R"("]})";
}
std::string plain(const std::string& name, const std::string& type, const std::string& inputs) {
  return R"({"name": ")" + name + R"(", "type": ")" + type + R"(", "inputs": [)" + inputs + "]}";
}

// Two residual blocks as in ResNet: conv, batch norm, relu in place, and a sum with the block's input.
// n0 and r1 (the sums, after their relus) are read by the sum of the next block, so they are
// checkpoints; b1 and n1 share a buffer, which is computed again from c1, as b2 and n2 from c2. r2, read
// by c3 alone, could be too (from d2 and r1, by m2, s2 and r2): not needed, the peak is earlier.
const std::string kResidual =
    conv("c0", "data") + "," + plain("n0", "relu", "\"c0\"") + "," + conv("c1", "n0") + "," +
    plain("b1", "batch_norm", "\"c1\"") + "," + plain("n1", "relu", "\"b1\"") + "," +
    conv("d1", "n1") + "," + plain("m1", "batch_norm", "\"d1\"") + "," +
    plain("s1", "add", "\"m1\", \"n0\"") + "," + plain("r1", "relu", "\"s1\"") + "," +
    conv("c2", "r1") + "," + plain("b2", "batch_norm", "\"c2\"") + "," +
    plain("n2", "relu", "\"b2\"") + "," + conv("d2", "n2") + "," +
    plain("m2", "batch_norm", "\"d2\"") + "," + plain("s2", "add", "\"m2\", \"r1\"") + "," +
    plain("r2", "relu", "\"s2\"") + "," + conv("c3", "r2");

// Where the rules differ: two segments, {b, c, d} of 4 words each between a and e, and {f} of 4 between e and
// g of 1; data has 1. In-core needs 29 words at g.bw_w: data a b c d e f and F. {b, c, d} is dropped:
//
//     speed    before e.bw_w: b, c and d again from a, all three stay: data a b c d E D is 25 words while e.bw_d
//              and d read or write them, 250 + 3 x 10 ns
//     memory   before e.bw_w: b, c and d again, b and c leave: data a c d E D is 21 words; before c.bw: b
//              again, 250 + 4 x 10 ns
//
// 250 ns: 7 forward tasks of 10, 9 backward tasks of 20. The segment, 12 words and its checkpoint of 4, needs more
// than the largest task (d.bw: c D C), so the cost rule takes memory.
TEST_CASE("recompute speed keeps what it computed again, memory computes it for every use") {
  const RecomputeExample example = {"recompute",
                                    linear("a", 4) + "," + gelu("b") + "," + gelu("c") + "," +
                                        gelu("d") + "," + linear("e", 4) + "," + gelu("f") + "," +
                                        linear("g", 1),
                                    "[1]"};
  CHECK(example.run(words(29)).iteration_time == Duration(250));
  CHECK(example.smallest(kSpeed) == words(25));
  CHECK(example.run(words(25), kSpeed).iteration_time == Duration(280));
  CHECK(example.again(words(25), kSpeed).size() == 3);
  CHECK(example.smallest(kMemory) == words(21));
  CHECK(example.run(words(21), kMemory).iteration_time == Duration(290));
  CHECK(example.again(words(21), kMemory).size() == 4);
  CHECK(example.smallest(kCost) == words(21));
}

TEST_CASE("recompute keeps what a residual sum reads, and repeats in-place layers as one") {
  const RecomputeExample example("recompute", kResidual, "[1, 4, 4]");
  CHECK(example.again(example.smallest(kSpeed), kSpeed) ==
        Names{"b2 before d2.backward_weights", "n2 before d2.backward_weights",
              "b1 before d1.backward_weights", "n1 before d1.backward_weights"});
}

std::string dropout(const std::string& name) {
  return R"({"name": ")" + name + R"(", "type": "dropout", "rate": 0.5})";
}

TEST_CASE("recompute draws a dropout's mask again, unless the dropout overwrites a checkpoint") {
  // g and its dropout p share a buffer, so they and p's mask are one piece. q runs in place in b: its
  // mask cannot be made again without b.
  const RecomputeExample example("recompute",
                                 linear("a", 8) + "," + gelu("g") + "," + dropout("p") + "," +
                                     linear("b", 8) + "," + dropout("q") + "," + linear("c", 8) +
                                     "," + gelu("h") + "," + linear("d", 1),
                                 "[8]");
  CHECK(example.again(example.smallest()) == Names{"h before d.backward_weights",
                                                   "g before b.backward_weights",
                                                   "p before b.backward_weights"});
}

std::string wide_conv(const std::string& name) {
  return R"({"name": ")" + name + R"(", "type": "conv", "filters": 8, "kernel": [1, 1]})";
}

TEST_CASE("recompute drops nothing where what it would be computed from is larger") {
  // The pool saves nothing and shrinks c0's 64 words to 16; c1 saves those. c0 itself is read by nobody
  // in backward: keeping its 64 words for the pool would cost more than it frees. Behind it c1, g, c2
  // and h take 128 words each, c3 16. data and p, 64 + 16, stay throughout.
  const RecomputeExample example("recompute",
                                 conv("c0", "data") +
                                     R"(,{"name": "p", "type": "avg_pool", "kernel": [2, 2]},)" +
                                     wide_conv("c1") + "," + gelu("g") + "," + wide_conv("c2") +
                                     "," + gelu("h") + "," + conv("c3", "h"),
                                 "[1, 8, 8]");
  // With g alone dropped: c3.bw_d 80 + c1 + c2 + h + gradient of h, h.bw with c2's instead of h, and g
  // again before c2.bw_w, beside c1 and the gradients of c2 and g.
  CHECK(example.smallest() == words(80 + 4 * 128));
  CHECK(example.again(example.smallest()) == Names{"g before c2.backward_weights"});
}

// Seven layers: linear a c e g, gelu b d f; outputs of 4 words, data and g of 1. Segments {b}, {d}, {f}.
// Words that the tasks need if all three are dropped (+: again; X is the gradient of x):
//
//     task     a b c  d  e  f  g  g_d f+ g_w f  e_d d+ e_w d  c_d b+ c_w b  a_w
//     near     5 9 13 13 17 17 18 17  21 21  21 17  21 21  17 13  17 17  13 5
//     away     5 8 8  8  8  8  5  4   12 12  12 8   16 16  12 8   16 16  12 5
//
// near: all checkpoints are; away: they leave between the passes (data until a_w, a until b+, c until d+,
// e until f+). In-core needs 29 (g_w: data, a to f and F). A segment needs 12 words at once (d: c d, then
// E beside d in e_w), as many as the largest task (f: e F E), so each is computed again once.
//
// The paper's rules alone, where trials do not tell plans apart.
RecomputeExample seven_layers() {
  RecomputeExample example{"superneurons",
                           linear("a", 4) + "," + gelu("b") + "," + linear("c", 4) + "," +
                               gelu("d") + "," + linear("e", 4) + "," + gelu("f") + "," +
                               linear("g", 1),
                           "[1]"};
  example.all_equal = true;
  return example;
}

TEST_CASE("superneurons moves nothing while recomputation suffices") {
  const RecomputeExample example = seven_layers();
  CHECK(example.again(words(29)).empty());
  CHECK(example.again(words(28)) == Names{"b before c.backward_weights"});  // 25 words
  CHECK(example.again(words(21)).size() == 2);
  CHECK(example.returns(words(21)).empty());
}

TEST_CASE("superneurons: the checkpoint unused for longest leaves, and returns one ahead") {
  RecomputeExample example = seven_layers();
  // 17 words: g lacks 1: data leaves, dropped. f+ (20 without it) lacks 3: a leaves. a would return with
  // d+, the first use of c; d+ and e_w need 16 without it, so after e_w. data with b+, that of a, after
  // c_d: 16 words in b+ and c_w leave room for 1.
  CHECK(example.returns(words(17)) ==
        Names{"a after e.backward_weights", "data after c.backward_data"});
  CHECK(example.again(words(17)).size() == 3);
  // 16 words: e already lacks 1. No room for data before b_w.
  CHECK(example.returns(words(16)) ==
        Names{"a after e.backward_weights", "data after c.backward_weights"});
}

TEST_CASE("superneurons keeps, and moves, what has no room to be computed again") {
  // In 15 words d+, e_w, b+ and c_w do not fit: d and b are not dropped. Then, all away: e_w 12 (d E D), d 12
  // (c D C), c_w 12 (b C B), b 12 (a B A), f+ and g_w 12 (e f F), f 12. All but e leave: data and a for d (17),
  // b for e (16), c for f (16), d for f+ (16). d returns one ahead, with f+, which uses e, but there is
  // room only after f; c after e_w, which uses d; b after d, a after c_w, data, smaller, with a's use.
  const RecomputeExample example = seven_layers();
  CHECK(example.smallest() == words(12));
  for (const std::int64_t budget : {12, 15}) {
    CHECK(example.again(words(budget)) == Names{"f before g.backward_weights"});
  }
  CHECK(example.returns(words(15)) == Names{"d after f.backward", "c after e.backward_weights",
                                            "b after d.backward", "a after c.backward_weights",
                                            "data after c.backward_weights"});
}

TEST_CASE("superneurons: copies hide behind compute, or recomputation waits for them") {
  RecomputeExample example = seven_layers();
  example.set_rate(BytesPerSecond(400'000'000));  // a word takes 10 ns
  // Compute: 7 x 10, 10 x 20, 3 x 10 again. a leaves 10..50, comes back 190..230, after e_w; b+ is at 230.
  CHECK(example.run(words(17)).iteration_time == Duration(300));
  // 20 ns: a leaves 10..90, f+ starts at 90; it comes back 190..270, 40 ns after c_d; data 270..290.
  example.set_rate(BytesPerSecond(200'000'000));
  const Timeline timeline = example.run(words(17));
  CHECK(timeline.iteration_time == Duration(340));
  CHECK(timeline.busy == Duration(270));
  CHECK(timeline.stall_totals[static_cast<std::size_t>(StallCause::kRecompute)] == Duration(30));
  CHECK(timeline.stall_totals[static_cast<std::size_t>(StallCause::kSwapIn)] == Duration(40));
}

TEST_CASE("superneurons moves what its rules would compute again where that is quicker") {
  RecomputeExample example = seven_layers();
  example.set_rate(BytesPerSecond(400'000'000));  // a word takes 10 ns
  // In 28 words one word too many: b is computed again, 10 ns more than the 270 that all tasks take.
  CHECK(example.again(words(28)).size() == 1);
  CHECK(example.time(words(28)) == Duration(280));
  // With nothing dropped data leaves instead, an input: no copy out, and a long time to come back.
  example.all_equal = false;
  CHECK(example.again(words(28)).empty());
  CHECK(example.returns(words(28)).size() == 1);
  CHECK(example.time(words(28)) == Duration(270));
  // In 17 words three segments are dropped, 300 ns; on a link that is never waited for nothing is.
  example.set_rate(BytesPerSecond(400'000'000'000));
  CHECK(example.again(words(17)).empty());
  CHECK(example.time(words(17)) < Duration(280));
  // On a slow one it is as the rules say.
  example.set_rate(BytesPerSecond(4'000'000));
  CHECK(example.again(words(21)).size() == 2);
  CHECK(example.returns(words(21)).empty());
}

TEST_CASE("a long chain of cheap layers runs at most eight of them again for each use") {
  // 200 gelus whose inputs are saved, in little more than a segment: without a bound on segments each use would
  // run 100 of them again.
  std::string layers = R"({"name": "fc", "type": "linear", "units": 8, "bias": false})";
  for (int i = 0; i < 200; ++i)
    layers += R"(, {"name": "g)" + std::to_string(i) + R"(", "type": "gelu"})";
  const RecomputeExample example("recompute", layers, "[8]");
  const Bytes budget = smallest_of(example.result(words(1), kMemory));
  const std::size_t steps = example.plan(budget, kMemory).steps.size();
  CHECK(steps > 600);      // something runs again: 201 layers forth and back
  CHECK(steps < 200 * 7);  // 1 + 1 + (0 + ... + 8) / 8 each
}

}  // namespace
}  // namespace ooc::test
