// Attention in its four forms: products, passes over the scores, what is kept and what is workspace.
#include "tests/support/test.hpp"
#include "tests/unit/layers_support.hpp"

using namespace ooc;
using Counts = std::vector<std::int64_t>;

namespace {

// 3 queries, 4 keys; width 6 = 2 heads of 3, values 8 = 2 heads of 4.
const std::vector<TensorShape> kThree{{{3, 6}}, {{4, 6}}, {{4, 8}}};
// 2 queries, 4 keys, width 3, values 5.
const std::vector<TensorShape> kAdditive{{{2, 3}}, {{4, 3}}, {{4, 5}}};

}  // namespace

TEST_CASE("plain dot-product attention keeps the weights of every pair") {
  const LayerModel model = read_layer(R"({"type": "attention", "heads": 2})", kThree);
  CHECK(model.output == TensorShape{{3, 8}});
  CHECK(model.parameters == 0);
  CHECK_FALSE(model.parts);
  // 12 pairs x (6 + 8) = 168 MACs; 2 heads x 12 = 24 weights; operands 18 + 24 + 32 + 24 = 98.
  CHECK(model.forward_macs == 168);
  CHECK(counts(model.work.forward) == Counts{480, 776, 0});         // 336 + 6 x 24; 98 + 4 x 24
  CHECK(counts(model.work.backward_data) == Counts{792, 1456, 0});  // 672 + 5 x 24; 2 x 98 + 7 x 24
  CHECK(model.work.forward.workspace_per_sample == 0);
  CHECK(model.work.backward_data.workspace_per_sample == 96);
  CHECK(model.saves.inputs);
  CHECK(model.saves.unread_inputs == 0);
  CHECK_FALSE(model.saves.output);
  CHECK(model.saves.reserve_bytes == 96);
}

TEST_CASE("flash attention keeps one number a row and computes the scores again") {
  const LayerModel model =
      read_layer(R"({"type": "attention", "heads": 2, "flash": true})", kThree);
  CHECK(model.forward_macs == 168);
  CHECK(model.saves.reserve_bytes == 24);  // 4 bytes x 2 heads x 3 queries
  CHECK(model.saves.output);
  CHECK(counts(model.work.forward) == Counts{480, 416, 0});  // 4 x 98 + 24
  // Products 4 x 168, Q K' again 2 x 12 x 6, 6 per score, rows of dO O 2 x 3 x 8:
  // 672 + 144 + 144 + 48 = 1,008. Bytes 2 x 392 + 3 x 24.
  CHECK(counts(model.work.backward_data) == Counts{1008, 856, 0});
  CHECK(model.work.backward_data.workspace_per_sample == 24);
  // Rows are 4 bytes in half precision too.
  const LayerModel half =
      read_layer(R"({"type": "attention", "heads": 2, "flash": true})", kThree, Dtype::kFloat16);
  CHECK(half.saves.reserve_bytes == 24);
  CHECK(counts(half.work.forward) == Counts{480, 220, 0});
}

TEST_CASE(
    "one input holds query, key and value; a causal mask saves work in flash attention only") {
  const std::vector<TensorShape> packed{{{4, 18}}};
  // 16 pairs, or 1 + 2 + 3 + 4 = 10 below the diagonal; 12 MACs each.
  const auto macs = [&](const std::string& options) {
    return read_layer(R"({"type": "attention", "heads": 2)" + options + "}", packed).forward_macs;
  };
  CHECK(macs("") == 192);
  CHECK(macs(R"(, "causal": true)") == 192);
  CHECK(macs(R"(, "flash": true)") == 192);
  CHECK(macs(R"(, "flash": true, "causal": true)") == 120);
  const LayerModel model =
      read_layer(R"({"type": "attention", "heads": 2, "flash": true, "causal": true})", packed);
  CHECK(model.output == TensorShape{{4, 6}});
  CHECK(counts(model.work.forward) == Counts{360, 416, 0});  // 240 + 6 x 20; 4 x 96 + 32
  CHECK(model.work.backward_data.flops_per_sample == 768);   // 480 + 120 + 120 + 48
}

TEST_CASE("two inputs are a query and a memory") {
  const LayerModel model = read_layer(R"({"type": "attention", "heads": 1})", {{{3, 6}}, {{4, 6}}});
  CHECK(model.output == TensorShape{{3, 6}});
  CHECK(model.forward_macs == 144);
}

TEST_CASE("additive attention unrolls over the queries and keeps tanh and weights of each") {
  const LayerModel model =
      read_layer(R"({"type": "attention", "kind": "additive", "heads": 1})", kAdditive);
  CHECK(model.output == TensorShape{{2, 5}});
  REQUIRE(model.parts);
  REQUIRE(model.parts->size() == 3);
  CHECK((*model.parts)[0].name == "0");
  CHECK((*model.parts)[1].name == "1");
  CHECK((*model.parts)[1].inputs.size() == 3);
  const LayerModel& step = (*model.parts)[0].model;
  CHECK(step.parameters == 3);
  CHECK((*model.parts)[1].model.parameters == 0);
  CHECK(step.forward_macs == 32);  // 4 keys x (3 + 5)
  // Scores 4 x (8 x 3 + 5) = 116, context 2 x 20. Elements: q 3, keys 12, values 20 read, tanh's 12
  // written and read, scores of 4 keys written, read, weights written, read: 16; c 5: 80. v once.
  CHECK(counts(step.work.forward) == Counts{156, 320, 12});
  // 4 x (7 x 3 + 4 + 4 x 5). Tanh read twice, its gradient written and read twice: 5 x 12; of 4 keys
  // 7 x 4; values 20, dc 5; written dq 3, dkeys 12, dvalues 20: 148 elements. v and dv.
  CHECK(counts(step.work.backward_data) == Counts{180, 592, 24});
  CHECK(step.work.forward.workspace_per_sample == 0);
  CHECK(step.work.backward_data.workspace_per_sample == 64);
  CHECK(step.saves.reserve_bytes == 64);  // 4 keys x (3 + 1) elements
  CHECK(step.saves.inputs);
  CHECK(step.saves.unread_inputs == 2);  // of the inputs only the values
}

TEST_CASE("the memory-efficient form keeps nothing and computes the scores twice") {
  const LayerModel model = read_layer(
      R"({"type": "attention", "kind": "additive", "heads": 1, "memory_efficient": true})",
      kAdditive);
  const LayerModel& step = (*model.parts)[1].model;
  // As the plain form without tanh's 2 x 12: 80 - 24 = 56 elements.
  CHECK(counts(step.work.forward) == Counts{156, 224, 12});
  // 180 + 116 FLOPs. Read q 3 and keys 12, of 4 keys 6 x 4, values 20, dc 5; written 35: 99 elements.
  CHECK(counts(step.work.backward_data) == Counts{296, 396, 24});
  CHECK(step.work.forward.workspace_per_sample == 16);        // the weights of 4 keys
  CHECK(step.work.backward_data.workspace_per_sample == 32);  // and their gradients
  CHECK(step.saves.reserve_bytes == 0);
  CHECK(step.saves.unread_inputs == 0);
}

TEST_CASE("what attention cannot be is refused at its key") {
  const auto error = [](const std::string& options, const std::vector<TensorShape>& inputs) {
    return layer_error(R"({"type": "attention")" + options + "}", inputs);
  };
  CHECK(has(error("", kThree), "no \"heads\""));
  CHECK(has(error(R"(, "heads": 4)", kThree), "/heads: found 4, expected a divisor"));
  CHECK(has(error(R"(, "heads": 2, "causal": true)", kThree), "/causal: found true with 3"));
  CHECK(has(error(R"(, "heads": 1, "memory_efficient": true)", kThree), "memory_efficient"));
  CHECK(has(error(R"(, "heads": 1, "kind": "additive", "flash": true)", kAdditive),
            "/flash: found true"));
  CHECK(has(error(R"(, "heads": 1, "kind": "additive", "causal": true)", kAdditive),
            "/causal: found true"));
  CHECK(has(error(R"(, "heads": 1, "kind": "multiplicative")", kThree), "/kind"));
  CHECK(has(error(R"(, "heads": 1, "kind": "additive")", {{{4, 18}}}), "query and memory"));
  CHECK(has(error(R"(, "heads": 1)", {{{4, 17}}}), "\"left\" (4x17)"));
  CHECK(has(error(R"(, "heads": 1)", {{{3, 6}}, {{4, 5}}}), "\"right\" (4x5)"));
  CHECK(has(error(R"(, "heads": 1)", {{{3, 6}}, {{4, 6}}, {{5, 6}}}), "\"third\" (5x6)"));
  CHECK(has(error(R"(, "heads": 1)", {{{6}}}), "\"left\" (6)"));
}
