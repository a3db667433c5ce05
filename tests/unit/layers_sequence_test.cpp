// lstm, gru, embedding and matmul: what they unroll into, parameters and work of every task.
#include "tests/support/test.hpp"
#include "tests/unit/layers_support.hpp"

namespace ooc::test {
namespace {

using Counts = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

// Two steps of three features.
const std::vector<TensorShape> kSequence{{{2, 3}}};

Names part_names(const LayerModel& model) {
  Names names;
  for (const LayerPart& part : *model.parts) names.push_back(part.name);
  return names;
}

/// "in" for an input of the layer, else the number of the part.
Names sources(const LayerModel& model, std::size_t part) {
  Names names;
  for (const auto& input : (*model.parts)[part].inputs) {
    const PartId* id = std::get_if<PartId>(&input);
    names.push_back(id == nullptr ? "in" : std::to_string(id->index));
  }
  return names;
}

std::int64_t sum_of_parameters(const LayerModel& model) {
  std::int64_t sum = 0;
  for (const LayerPart& part : *model.parts) sum += part.model.parameters;
  return sum;
}

TEST_CASE("an lstm unrolls into three layers a step and gathers the hidden states") {
  const LayerModel lstm = read_layer(R"({"type": "lstm", "units": 2})", kSequence);
  CHECK(lstm.output == TensorShape{{2, 2}});
  REQUIRE(lstm.parts);
  CHECK(part_names(lstm) ==
        Names{"0/0/gates", "0/0/cell", "0/0/hidden", "0/1/gates", "0/1/cell", "0/1/hidden", ""});
  CHECK(sources(lstm, 0) == Names{"in"});
  CHECK(sources(lstm, 1) == Names{"0"});        // no cell state before the first step
  CHECK(sources(lstm, 2) == Names{"0", "1"});   // o, c
  CHECK(sources(lstm, 3) == Names{"in", "2"});  // x, h of step 0
  CHECK(sources(lstm, 4) == Names{"3", "1"});   // gates, c of step 0
  CHECK(sources(lstm, 6) == Names{"2", "5"});   // h of both steps
  CHECK((*lstm.parts)[6].model.output == lstm.output);
  CHECK((*lstm.parts)[6].model.gradient_form == GradientForm::kSlices);
  CHECK(counts((*lstm.parts)[6].model.work.forward) == Counts{0, 32, 0});  // 2 x 4 elements
}

TEST_CASE("the gates of an lstm are one product a step, its parameters stand at the first") {
  const LayerModel lstm = read_layer(R"({"type": "lstm", "units": 2})", kSequence);
  const LayerModel& first = (*lstm.parts)[0].model;
  const LayerModel& last = (*lstm.parts)[3].model;
  // Weights 4 x 2 x (3 + 2) = 40, two bias vectors 4 x 2 x 2 = 16.
  CHECK(first.parameters == 56);
  CHECK(last.parameters == 0);
  CHECK(first.forward_macs == 40);
  CHECK(last.forward_macs == 40);
  CHECK(first.output == TensorShape{{8}});
  // 2 x 40 + 17 x 2 FLOPs; x 3, h' 2, gates 8 elements; 56 parameters.
  CHECK(counts(first.work.forward) == Counts{114, 52, 224});
  CHECK(counts(first.work.backward_data) == Counts{80, 52, 160});
  // Backward the last step comes first and writes dW, the first one reads and writes it.
  CHECK(counts(last.work.backward_weights) == Counts{80, 52, 224});
  CHECK(counts(first.work.backward_weights) == Counts{80, 52, 448});
  CHECK(counts(first.paleo_work.forward) == Counts{80, 52, 160});
  CHECK(first.backward_form == BackwardForm::kSplit);
  CHECK(first.saves.inputs);
  CHECK_FALSE(first.saves.output);
}

TEST_CASE("cell and hidden state of an lstm are element-wise and save what they read") {
  const LayerModel lstm = read_layer(R"({"type": "lstm", "units": 2})", kSequence);
  const LayerModel& cell = (*lstm.parts)[1].model;
  CHECK(cell.output == TensorShape{{2}});
  CHECK(counts(cell.work.forward) == Counts{6, 40, 0});         // i, f, g, c' and c of 2 units
  CHECK(counts(cell.work.backward_data) == Counts{26, 72, 0});  // and dc, di, df, dg, dc'
  CHECK(cell.saves.inputs);
  const LayerModel& hidden = (*lstm.parts)[2].model;
  CHECK(counts(hidden.work.forward) == Counts{12, 24, 0});        // o, c, h
  CHECK(counts(hidden.work.backward_data) == Counts{26, 40, 0});  // o, c, dh, do, dc
  CHECK(hidden.saves.inputs);
  CHECK_FALSE(hidden.saves.output);
}

TEST_CASE("a gru has three products and two layers a step") {
  const LayerModel gru = read_layer(R"({"type": "gru", "units": 2})", kSequence);
  CHECK(part_names(gru) == Names{"0/0/gates", "0/0/hidden", "0/1/gates", "0/1/hidden", ""});
  CHECK(sources(gru, 3) == Names{"2", "1"});  // gates, h of step 0
  const LayerModel& gates = (*gru.parts)[0].model;
  CHECK(gates.parameters == 42);  // 3 x 2 x (3 + 2) + 3 x 2 x 2
  CHECK(gates.forward_macs == 30);
  CHECK(gates.output == TensorShape{{8}});                   // r, z and two summands of n
  CHECK(counts(gates.work.forward) == Counts{76, 52, 168});  // 2 x 30 + 8 x 2
  const LayerModel& hidden = (*gru.parts)[1].model;
  CHECK(counts(hidden.work.forward) == Counts{22, 48, 0});
  CHECK(counts(hidden.work.backward_data) == Counts{46, 88, 0});
}

TEST_CASE("parameters of recurrent layers are PyTorch's, or with one bias vector TensorFlow's") {
  // torch.nn.LSTM(3, 2, num_layers=2): 56 + 4 x 2 x (2 + 2 + 2) = 104.
  CHECK(sum_of_parameters(read_layer(R"({"type": "lstm", "units": 2, "layers": 2})", kSequence)) ==
        104);
  // Both directions: 2 x 56, and a second layer reads 2 x 2 features: 2 x 4 x 2 x (4 + 2 + 2) = 128.
  CHECK(sum_of_parameters(read_layer(
            R"({"type": "lstm", "units": 2, "layers": 2, "bidirectional": true})", kSequence)) ==
        240);
  CHECK(sum_of_parameters(
            read_layer(R"({"type": "lstm", "units": 2, "bias_vectors": 1})", kSequence)) == 48);
  CHECK(sum_of_parameters(
            read_layer(R"({"type": "gru", "units": 2, "bias_vectors": 0})", kSequence)) == 30);
}

TEST_CASE("the backward direction runs from the last step to the first") {
  const LayerModel gru =
      read_layer(R"({"type": "gru", "units": 2, "bidirectional": true, "layers": 2})", kSequence);
  CHECK(gru.output == TensorShape{{2, 4}});
  const Names names = part_names(gru);
  CHECK(Names(names.begin(), names.begin() + 8) ==
        Names{"0/forward/0/gates", "0/forward/0/hidden", "0/forward/1/gates", "0/forward/1/hidden",
              "0/backward/1/gates", "0/backward/1/hidden", "0/backward/0/gates",
              "0/backward/0/hidden"});
  CHECK((*gru.parts)[4].model.parameters == 42);
  CHECK((*gru.parts)[6].model.parameters == 0);
  CHECK(sources(gru, 6) == Names{"in", "5"});
  // Layer 1, step 0: the hidden states of step 0 of both directions (parts 1 and 7).
  CHECK(sources(gru, 8) == Names{"1", "7"});
  CHECK((*gru.parts)[8].model.forward_macs == 36);  // 3 x 2 x (4 + 2)
  CHECK(sources(gru, 16).size() == 4);
}

TEST_CASE("half precision halves the bytes of a step") {
  const LayerModel lstm = read_layer(R"({"type": "lstm", "units": 2})", kSequence, Dtype::kFloat16);
  CHECK(counts((*lstm.parts)[0].model.work.forward) == Counts{114, 26, 112});
}

TEST_CASE("a recurrent layer wants steps and features, and not too many of them") {
  CHECK(has(layer_error(R"({"type": "lstm", "units": 2})", {{{3, 4, 5}}}),
            "expected [steps, features]"));
  CHECK(has(layer_error(R"({"type": "lstm"})", kSequence), "no \"units\""));
  CHECK(has(layer_error(R"({"type": "gru", "units": 0})", kSequence), "/units: found 0"));
  CHECK(has(layer_error(R"({"type": "gru", "units": 2, "bias_vectors": 3})", kSequence),
            "/bias_vectors: found 3"));
  // 3 x 400,000 + 1 layers.
  CHECK(has(layer_error(R"({"type": "lstm", "units": 1})", {{{400'000, 1}}}),
            "1200001 layers once time steps are unrolled"));
  CHECK(has(layer_error(R"({"type": "lstm", "units": 1})", {{{std::int64_t{1} << 45, 1}}}),
            "at most 1000000"));
  CHECK(has(
      layer_error(R"({"type": "lstm", "units": 70368744177664})", {{{1, std::int64_t{1} << 40}}}),
      "2^48"));
  CHECK(has(layer_error(R"({"type": "lstm", "units": 2, "kernel": 3})", kSequence), "kernel"));
}

TEST_CASE("an embedding moves a row for each word and has a dense gradient") {
  const LayerModel model =
      read_layer(R"({"type": "embedding", "vocabulary": 10, "width": 4})", {{{3}}});
  CHECK(model.output == TensorShape{{3, 4}});
  CHECK(model.parameters == 40);
  CHECK(model.forward_macs == 0);
  CHECK(counts(model.work.forward) == Counts{0, 108, 0});  // 3 numbers, 2 x 12 elements
  CHECK(counts(model.work.backward_data) == Counts{0, 0, 0});
  CHECK(counts(model.work.backward_weights) == Counts{12, 156, 160});  // 3 + 3 x 12; 40 cleared
  CHECK(model.backward_form == BackwardForm::kSplit);
  CHECK(model.saves.inputs);
  CHECK(has(layer_error(R"({"type": "embedding", "vocabulary": 10, "width": 4})", kSequence),
            "[steps] of word numbers"));
}

TEST_CASE("matmul multiplies two values and needs both for its backward pass") {
  const std::vector<TensorShape> inputs{{{2, 3}}, {{3, 5}}};
  const LayerModel model = read_layer(R"({"type": "matmul"})", inputs);
  CHECK(model.output == TensorShape{{2, 5}});
  CHECK(model.forward_macs == 30);
  CHECK(model.parameters == 0);
  CHECK(counts(model.work.forward) == Counts{60, 124, 0});         // 6 + 15 + 10 elements
  CHECK(counts(model.work.backward_data) == Counts{120, 248, 0});  // two products
  CHECK(model.saves.inputs);
  const LayerModel heads =
      read_layer(R"({"type": "matmul", "transpose_b": true})", {{{7, 2, 3}}, {{7, 5, 3}}});
  CHECK(heads.output == TensorShape{{7, 2, 5}});
  CHECK(heads.forward_macs == 210);
  CHECK(has(layer_error(R"({"type": "matmul", "transpose_b": true})", inputs),
            "\"left\" (2x3) and \"right\" (3x5), expected [m, k] and [n, k]"));
  CHECK(has(layer_error(R"({"type": "matmul"})", {{{7, 2, 3}}, {{6, 3, 5}}}), "[k, n]"));
  CHECK(has(layer_error(R"({"type": "matmul"})", {{{2, 3}}}), "1 inputs"));
}

// Attention in its four forms: products, passes over the scores, what is kept and what is workspace.

using Counts = std::vector<std::int64_t>;

// 3 queries, 4 keys; width 6 = 2 heads of 3, values 8 = 2 heads of 4.
const std::vector<TensorShape> kThree{{{3, 6}}, {{4, 6}}, {{4, 8}}};
// 2 queries, 4 keys, width 3, values 5.
const std::vector<TensorShape> kAdditive{{{2, 3}}, {{4, 3}}, {{4, 5}}};

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

}  // namespace
}  // namespace ooc::test
