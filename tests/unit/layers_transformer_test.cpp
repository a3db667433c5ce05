// What transformers of today are made of: norms of rows and heads, rotary positions, gated MLPs, and
// attention with fewer heads of keys and values, windows, dropout, softmax in float32 and T5's biases.
#include "tests/support/test.hpp"
#include "tests/unit/layers_support.hpp"

using namespace ooc;
using Counts = std::vector<std::int64_t>;

namespace {

// 3 queries, 4 keys; 4 heads of 2 for the query, 2 of 2 for the key, 2 of 3 for the value.
const std::vector<TensorShape> kGrouped{{{3, 8}}, {{4, 4}}, {{4, 6}}};
const std::string kGroupedHeads = R"({"type": "attention", "heads": 4, "kv_heads": 2)";

LayerModel grouped(const std::string& options, Dtype dtype = Dtype::kFloat32) {
  return read_layer(kGroupedHeads + options + "}", kGrouped, dtype);
}

/// Plain attention of two heads on [2, 4]: 4 pairs, 8 elements of P, operands 4 x 8 elements.
LayerModel plain(const std::string& options, Dtype dtype) {
  return read_layer(R"({"type": "attention", "heads": 2)" + options + "}",
                    {{{2, 4}}, {{2, 4}}, {{2, 4}}}, dtype);
}

}  // namespace

TEST_CASE("rms_norm reads a row once and keeps its input and four bytes a row") {
  // 3 steps of 8 channels: 24 elements, 3 rows.
  const LayerModel model = read_layer(R"({"type": "rms_norm"})", {{{3, 8}}});
  CHECK(model.output == TensorShape{{3, 8}});
  CHECK(model.parameters == 8);
  CHECK(counts(model.work.forward) == Counts{96, 2 * 96 + 12, 32});
  CHECK(counts(model.work.backward_data) == Counts{192, 3 * 96 + 12, 64});
  CHECK(model.saves.inputs);
  CHECK(model.saves.reserve_bytes == 12);
  CHECK(model.saves.statistics_per_sample == 0);  // frameworks keep no more: it has its rows
  CHECK(model.is_feature_extractor);
  CHECK(counts(model.paleo_work.forward) == Counts{0, 0, 0});
  const LayerModel plain = read_layer(R"({"type": "rms_norm", "affine": false})", {{{3, 8}}});
  CHECK(plain.parameters + plain.launches.update + plain.work.backward_data.bytes_fixed == 0);
}

TEST_CASE("rms_norm of a head has the head's parameters and a row for each") {
  const LayerModel model =
      read_layer(R"({"type": "rms_norm", "width": 2})", {{{3, 8}}}, Dtype::kBfloat16);
  CHECK(model.parameters == 2);
  CHECK(model.saves.reserve_bytes == 48);  // 12 rows
  CHECK(counts(model.work.forward) == Counts{96, 2 * 48 + 48, 4});
  CHECK(has(layer_error(R"({"type": "rms_norm", "width": 3})", {{{3, 8}}}),
            "/width: found 3, expected a divisor of 8 channels"));
}

TEST_CASE("an eager rms_norm keeps a float32 copy and the normalised value, not its input") {
  const auto read = [](Dtype dtype, const std::string& form = "eager") {
    return read_layer(R"({"type": "rms_norm", "form": ")" + form + "\"}", {{{3, 8}}}, dtype);
  };
  // The weight is multiplied in float32 by litgpt, Gemma and OLMo 2.
  CHECK(read(Dtype::kBfloat16, "eager_float32").saves.reserve_bytes == 24 * (4 + 4) + 12);
  const LayerModel half = read(Dtype::kBfloat16);
  CHECK_FALSE(half.saves.inputs);
  CHECK(half.saves.reserve_bytes == 24 * (4 + 2) + 12);
  // What the operations of the chain read and write, in float32 and in 16 bits.
  CHECK(half.work.forward.bytes_per_sample == 24 * (7 * 4 + 4 * 2));
  CHECK(half.work.backward_data.bytes_per_sample == 24 * (19 * 4 + 8 * 2));
  // A float32 input is its own copy.
  const LayerModel single = read(Dtype::kFloat32);
  CHECK(single.saves.inputs);
  CHECK(single.saves.reserve_bytes == 24 * 4 + 12);
  CHECK(single.work.forward.bytes_per_sample == 24 * 7 * 4);
  CHECK(single.work.backward_data.bytes_per_sample == 24 * 23 * 4);
  CHECK(has(layer_error(R"({"type": "rms_norm", "form": "compiled"})", {{{3, 8}}}), "/form"));
}

TEST_CASE("layer_norm may keep its statistics, run eagerly and do without beta") {
  const auto read = [](const std::string& options) {
    return read_layer(R"({"type": "layer_norm")" + options + "}", {{{3, 8}}}, Dtype::kFloat16);
  };
  CHECK(read("").saves.reserve_bytes == 0);
  CHECK(read("").saves.statistics_per_sample == 6);
  CHECK(read("").parameters == 16);
  const LayerModel stats = read(R"(, "stats": true)");
  CHECK(stats.saves.inputs);
  CHECK(stats.saves.reserve_bytes == 24);         // 8 bytes a row
  CHECK(stats.saves.statistics_per_sample == 0);  // not a second time
  const LayerModel eager = read(R"(, "form": "eager")");
  CHECK_FALSE(eager.saves.inputs);
  CHECK(eager.saves.reserve_bytes == 24 * 6 + 12);
  CHECK(eager.work.forward.bytes_per_sample == 24 * (10 * 4 + 4 * 2));
  CHECK(eager.work.backward_data.bytes_per_sample == 24 * (22 * 4 + 8 * 2));
  const LayerModel bare = read(R"(, "bias": false)");
  CHECK(bare.parameters == 8);
  CHECK(counts(bare.work.forward) == Counts{120, 96, 16});         // gamma
  CHECK(counts(bare.work.backward_data) == Counts{216, 144, 32});  // gamma and its gradient
  const LayerModel plain = read(R"(, "affine": false)");
  CHECK(plain.parameters + plain.launches.update == 0);
  CHECK(has(layer_error(R"({"type": "layer_norm", "form": "eager", "stats": true})", {{{3, 8}}}),
            "/stats: found true"));
}

TEST_CASE("rotary turns pairs of channels and keeps nothing") {
  // 3 steps of 2 heads of 4: 24 elements; a table of 2 x 3 x 4.
  const LayerModel model = read_layer(R"({"type": "rotary", "heads": 2})", {{{3, 8}}});
  CHECK(model.output == TensorShape{{3, 8}});
  CHECK(model.parameters == 0);
  CHECK(counts(model.work.forward) == Counts{72, 192, 96});
  CHECK(counts(model.work.backward_data) == Counts{72, 192, 0});
  CHECK_FALSE(model.saves.inputs);
  CHECK_FALSE(model.saves.output);
  CHECK(model.in_place == InPlace::kWhenPossible);
  CHECK(read_layer(R"({"type": "rotary", "heads": 2, "fraction": 0.5})", {{{3, 8}}})
            .work.forward.flops_per_sample == 36);
  // 0.4 of 80 is 32, although 0.4 is less in binary.
  CHECK(read_layer(R"({"type": "rotary", "heads": 1, "fraction": 0.4})", {{{1, 80}}})
            .work.forward.flops_per_sample == 96);
  const auto error = [](const std::string& options, const TensorShape& shape) {
    return layer_error(R"({"type": "rotary")" + options + "}", {shape});
  };
  CHECK(has(error(R"(, "heads": 3)", {{3, 8}}),
            "/heads: found 3, expected a divisor of the width 8"));
  CHECK(has(error(R"(, "heads": 8)", {{3, 8}}), "/heads: found heads of 1 channels"));
  CHECK(has(error(R"(, "heads": 2, "fraction": 0.8)", {{3, 8}}), "/fraction: found 0.8, 3 of 4"));
  CHECK(has(error(R"(, "heads": 2, "fraction": 0)", {{3, 8}}), "/fraction: found 0, 0 of 4"));
  CHECK(has(error(R"(, "heads": 2, "fraction": 1.5)", {{3, 8}}), "/fraction"));
  CHECK(has(error(R"(, "heads": 2)", {{8}}), "found an input of shape 8"));
  CHECK(has(error(R"(, "heads": 2, "form": "halves")", {{3, 8}}), "/form"));
}

TEST_CASE("eager rotary moves what its operations read and write, out of place") {
  // 24 elements of 4 bytes; ten and fifteen tensors, a table of 2 x 3 x 4 elements each way.
  const LayerModel whole =
      read_layer(R"({"type": "rotary", "heads": 2, "form": "eager"})", {{{3, 8}}});
  CHECK(counts(whole.work.forward) == Counts{72, 960, 96});
  CHECK(counts(whole.work.backward_data) == Counts{72, 1440, 96});
  CHECK(whole.in_place == InPlace::kNever);
  // Half of them turned: the rest is cut off and joined, 2 and 7 tensors.
  const LayerModel half =
      read_layer(R"({"type": "rotary", "heads": 2, "form": "eager", "fraction": 0.5})", {{{3, 8}}});
  CHECK(counts(half.work.forward) == Counts{36, 480 + 192, 96});
  CHECK(counts(half.work.backward_data) == Counts{36, 720 + 672, 96});
  CHECK(has(layer_error(R"({"type": "rotary", "heads": 2, "form": "eager", "in_place": true})",
                        {{{3, 8}}}),
            "/in_place: found true"));
}

TEST_CASE("gated keeps its two inputs alone") {
  const std::vector<TensorShape> two{{{3, 4}}, {{3, 4}}};
  const auto read = [&](const std::string& activation) {
    return read_layer(R"({"type": "gated", "activation": ")" + activation + "\"}", two);
  };
  // 12 elements, 48 bytes.
  CHECK(counts(read("silu").work.forward) == Counts{72, 144, 0});
  CHECK(counts(read("silu").work.backward_data) == Counts{168, 240, 0});
  CHECK(counts(read("gelu").work.forward) == Counts{72, 144, 0});
  CHECK(counts(read("relu").work.forward) == Counts{24, 144, 0});
  CHECK(counts(read("relu").work.backward_data) == Counts{72, 240, 0});
  CHECK(read("silu").saves.inputs);
  CHECK(read("silu").saves.reserve_bytes == 0);
  const std::string silu = R"({"type": "gated", "activation": "silu"})";
  CHECK(has(layer_error(silu, {{{3, 4}}}), "found 1 inputs, expected two inputs, gate and up"));
  CHECK(has(layer_error(silu, {{{3, 4}}, {{3, 5}}}), "\"right\" (3x5)"));
  CHECK(has(layer_error(R"({"type": "gated"})", two), "no \"activation\""));
  CHECK(has(layer_error(R"({"type": "gated", "activation": "tanh"})", two), "/activation"));
}

TEST_CASE("keys and values of fewer heads are narrower, and shared inside a flash kernel") {
  const LayerModel model = grouped(R"(, "flash": true)");
  CHECK(model.output == TensorShape{{3, 12}});  // 4 heads of 3
  // 12 pairs x (8 + 12) = 240 MACs, of all four heads; operands 24 + 16 + 24 + 36 = 100.
  CHECK(model.forward_macs == 240);
  CHECK(counts(model.work.forward) == Counts{480 + 6 * 48, 400 + 48, 0});
  // 960, Q K' again 192, 6 a score, rows 2 x 3 x 12.
  CHECK(counts(model.work.backward_data) == Counts{960 + 192 + 288 + 72, 800 + 144, 0});
  CHECK(model.saves.unread_last == 0);
  CHECK(model.saves.reserve_bytes == 48);  // 4 heads x 3 queries
  // Without a group it is the attention of before.
  const LayerModel same =
      read_layer(R"({"type": "attention", "heads": 2, "kv_heads": 2, "flash": true})",
                 {{{3, 6}}, {{4, 6}}, {{4, 8}}});
  CHECK(counts(same.work.forward) == Counts{480, 416, 0});
}

TEST_CASE("plain attention keeps the keys and values that it repeated in place of its inputs") {
  // Keys and values 16 + 24 = 40 elements, repeated 32 + 48 = 80; query and output 60; P 48.
  const LayerModel model = grouped("");
  CHECK(model.saves.inputs);
  CHECK(model.saves.unread_last == 2);
  CHECK(model.saves.reserve_bytes == 4 * (80 + 48));
  // Copies 40 read and 80 written; the products' operands 60 + 80; 4 x 48.
  CHECK(counts(model.work.forward) == Counts{480 + 288, 4 * (120 + 140 + 192), 0});
  CHECK(counts(model.work.backward_data) == Counts{960 + 240, 4 * (120 + 280 + 336), 0});
  REQUIRE(model.products);
  CHECK(model.products->scores == 192);
  CHECK(model.products->beside_forward == 480);
  CHECK(model.products->beside_backward == 480);
  CHECK(model.products->forward.front().count == 4);
  // Sharing kernels copy nothing.
  const LayerModel shared = grouped(R"(, "repeat_kv": false)");
  CHECK(shared.saves.unread_last == 0);
  CHECK(shared.saves.reserve_bytes == 192);
  CHECK(counts(shared.work.forward) == Counts{768, 4 * (100 + 192), 0});
  CHECK(shared.products->beside_forward == 0);
  // A flash kernel without groups gets copies too.
  const LayerModel flash = grouped(R"(, "flash": true, "repeat_kv": true)");
  CHECK(flash.saves.unread_last == 2);
  CHECK(flash.saves.reserve_bytes == 48 + 320);
  // Nothing to repeat.
  CHECK(plain(R"(, "repeat_kv": true)", Dtype::kFloat32).saves.unread_last == 0);
}

TEST_CASE("two inputs and one packed input of grouped heads") {
  const LayerModel two = read_layer(kGroupedHeads + R"(, "flash": true})", {{{3, 8}}, {{4, 4}}});
  CHECK(two.output == TensorShape{{3, 8}});
  // (4 + 2 x 2) heads of 3.
  const LayerModel packed = read_layer(kGroupedHeads + "}", {{{5, 24}}});
  CHECK(packed.output == TensorShape{{5, 12}});
  CHECK(packed.saves.unread_last == 0);  // the query lies in the same tensor
  CHECK(packed.saves.reserve_bytes == 4 * (100 + 2 * 60));
}

TEST_CASE("a window bounds the pairs of flash attention") {
  const auto macs = [](const std::string& options) {
    return read_layer(R"({"type": "attention", "heads": 1, "causal": true)" + options + "}",
                      {{{4, 9}}})
        .forward_macs;
  };
  // Widths 3 + 3; pairs 16, 1 + 2 + 3 + 4, 1 + 2 + 2 + 2.
  CHECK(macs("") == 96);
  CHECK(macs(R"(, "window": 2)") == 96);
  CHECK(macs(R"(, "flash": true)") == 60);
  CHECK(macs(R"(, "flash": true, "window": 2)") == 42);
  CHECK(macs(R"(, "flash": true, "window": 4)") == 60);
  CHECK(macs(R"(, "flash": true, "window": 5)") == 60);
  CHECK(macs(R"(, "flash": true, "window": 1)") == 24);
}

TEST_CASE("windows of the steps see themselves alone") {
  const auto windowed = [](const std::string& options) {
    return read_layer(R"({"type": "attention", "heads": 1, "windows": 2)" + options + "}",
                      {{{4, 9}}});
  };
  const LayerModel plain = windowed("");  // 2 x 2 x 2 pairs, widths 3 + 3
  CHECK(plain.forward_macs == 48);
  CHECK(plain.saves.reserve_bytes == 8 * 4);
  CHECK(plain.products->forward.front().count == 2);
  CHECK(plain.products->forward.front().m == 2);
  CHECK(windowed(R"(, "flash": true)").forward_macs == 48);
}

TEST_CASE("dropout of the weights keeps a mask and a copy; in a flash kernel nothing") {
  const LayerModel model = plain(R"(, "dropout": 0.1)", Dtype::kFloat16);
  CHECK(model.saves.reserve_bytes == 8 * (2 + 2));
  CHECK(model.saves.mask_bytes == 8);  // 5 bytes an element in all
  // 64 + 6 x 8 + 2 x 8; 32 elements, 6 passes of 2 bytes and the mask over 8.
  CHECK(counts(model.work.forward) == Counts{64 + 64, 64 + 8 * 13, 0});
  CHECK(counts(model.work.backward_data) == Counts{128 + 48, 128 + 8 * 19, 0});
  CHECK(model.products->beside_forward == 8 * 5);
  CHECK(plain(R"(, "dropout": 0)", Dtype::kFloat16).saves.mask_bytes == 0);
  const LayerModel flash = plain(R"(, "dropout": 0.1, "flash": true)", Dtype::kFloat16);
  CHECK(flash.saves.mask_bytes == 0);
  CHECK(flash.saves.reserve_bytes == 16);
  CHECK(flash.work.forward.flops_per_sample == 64 + 8 * 8);
}

TEST_CASE("a softmax in float32 keeps its result in four bytes and the cast one") {
  const LayerModel model = plain(R"(, "softmax": "float32")", Dtype::kBfloat16);
  CHECK(model.saves.reserve_bytes == 8 * (4 + 2));
  CHECK(model.work.backward_data.workspace_per_sample == 8 * 4);
  // S 2 + 2, P 4, cast 4 + 2, read 2; backward 2 + 2, cast 2 + 4, P and dP 8, dS 2, twice 2.
  CHECK(counts(model.work.forward) == Counts{112, 64 + 8 * 16, 0});
  CHECK(counts(model.work.backward_data) == Counts{168, 128 + 8 * 24, 0});
  // The copy after dropout is kept in place of the cast.
  const LayerModel dropped = plain(R"(, "softmax": "float32", "dropout": 0.1)", Dtype::kBfloat16);
  CHECK(dropped.saves.reserve_bytes == 8 * (4 + 2));
  CHECK(dropped.saves.mask_bytes == 8);
  // In float32 it is the usual one.
  const LayerModel single = plain(R"(, "softmax": "float32")", Dtype::kFloat32);
  CHECK(single.saves.reserve_bytes == 32);
  CHECK(counts(single.work.forward) == counts(plain("", Dtype::kFloat32).work.forward));
}

TEST_CASE("a table of biases is a parameter and read with the scores") {
  const std::string table = R"(, "bias_table": {"buckets": 5, "heads": 2})";
  const LayerModel model = plain(table, Dtype::kFloat32);
  CHECK(model.parameters == 10);
  CHECK(counts(model.work.forward) == Counts{64 + 7 * 8, 4 * (32 + 5 * 8), 40});
  CHECK(counts(model.work.backward_data) == Counts{128 + 6 * 8, 4 * (64 + 8 * 8), 40});
  CHECK(model.saves.reserve_bytes == 32);
  const LayerModel tied = plain(table + R"(, "tied_to": "first")", Dtype::kFloat32);
  CHECK(tied.parameters == 0);
  CHECK(tied.is_tied);
  CHECK(counts(tied.work.forward) == counts(model.work.forward));
}

TEST_CASE("what grouped attention cannot be is refused at its key") {
  const auto error = [](const std::string& options, const std::vector<TensorShape>& inputs) {
    return layer_error(R"({"type": "attention")" + options + "}", inputs);
  };
  const std::string heads = R"(, "heads": 4, "kv_heads": 2)";
  CHECK(has(error(R"(, "heads": 4, "kv_heads": 3)", kGrouped),
            "/kv_heads: found 3, expected a divisor of \"heads\", 4"));
  CHECK(has(error(heads, {{{5, 25}}}), "one input [T, 8 d]"));
  CHECK(has(error(heads, {{{5, 25}}}), "4 heads, of key and value 2"));
  CHECK(has(error(heads, {{{3, 8}}, {{4, 8}}}), "key [Tk, 2 d]"));
  CHECK(has(error(heads, {{{3, 9}}, {{4, 4}}}), "query [Tq, 4 d]"));
  CHECK(has(error(heads, {{{3, 8}}, {{4, 4}}, {{4, 5}}}), "/heads: found 4, expected a divisor"));
  CHECK(has(error(R"(, "heads": 4, "kv_heads": 0)", kGrouped), "/kv_heads: found 0"));
  CHECK(has(error(heads + R"(, "window": 2)", kGrouped), "/window: found 2 without"));
  CHECK(has(error(R"(, "heads": 1, "windows": 3)", {{{4, 9}}}),
            "/windows: found 3, expected a divisor"));
  CHECK(has(error(R"(, "heads": 1, "causal": true, "window": 0)", {{{4, 9}}}), "/window: found 0"));
  CHECK(has(error(heads + R"(, "dropout": 1)", kGrouped), "/dropout: found 1"));
  CHECK(has(error(heads + R"(, "softmax": "float16")", kGrouped), "/softmax"));
  CHECK(has(error(heads + R"(, "bias_table": {"buckets": 5, "heads": 2})", kGrouped),
            "/bias_table/heads: found 2, expected as many as the layer has, 4"));
  CHECK(has(error(heads + R"(, "flash": true, "bias_table": {"buckets": 5, "heads": 4})", kGrouped),
            "/bias_table: found a table of biases with"));
  CHECK(has(error(heads + R"(, "tied_to": "a")", kGrouped), "/tied_to: found \"a\""));
  CHECK(has(error(R"(, "heads": 1, "kind": "additive", "kv_heads": 1)", {{{2, 3}}, {{4, 3}}}),
            "/kv_heads: found 1, expected it beside"));
  // Sizes that leave 63 bits.
  CHECK(has(error(R"(, "heads": 1000000000000, "kv_heads": 1)",
                  {{{1, 1000000000000}}, {{1, 1}}, {{1, 1000000000000}}}),
            "a number that fits 63 bits"));
}

TEST_CASE("an embedding of positions refuses longer sequences") {
  const std::string wpe = R"({"type": "embedding", "vocabulary": 4, "width": 2, "positions": 4})";
  CHECK(read_layer(wpe, {{{4}}}).parameters == 8);
  CHECK(has(layer_error(wpe, {{{5}}}), "/positions: found 4 positions for 5 steps"));
}

TEST_CASE("losses hold what frameworks hold of large vocabularies") {
  // 2 rows of 3 logits.
  const auto read = [](const std::string& memory, Dtype dtype) {
    return read_layer(R"({"type": "softmax_cross_entropy", "memory": ")" + memory + "\"}",
                      {{{2, 3}}}, dtype);
  };
  const auto workspaces = [](const LayerModel& model) {
    return std::vector<std::int64_t>{model.work.forward.workspace_per_sample,
                                     model.work.backward_data.workspace_per_sample};
  };
  for (const char* memory : {"in_place", "native", "eager", "upcast"}) {
    const LayerModel model = read(memory, Dtype::kBfloat16);
    CHECK(model.output == TensorShape{{1}});
    CHECK(model.is_loss);
    CHECK_FALSE(model.saves.inputs);
    CHECK_FALSE(model.saves.output);
    CHECK(model.work.forward.flops_per_sample == 30);
    CHECK(model.work.backward_data.flops_per_sample == 12);
  }
  // Two rows of 8 bytes; the logits are read and overwritten.
  CHECK(read("in_place", Dtype::kBfloat16).saves.reserve_bytes == 16);
  CHECK(workspaces(read("in_place", Dtype::kBfloat16)) == Counts{0, 0});
  CHECK(read("in_place", Dtype::kBfloat16).work.forward.bytes_per_sample == 6 * 4 + 16);
  // 6 logits, all of 2 bytes: the shifted copy; then the loss's gradient.
  CHECK(read("native", Dtype::kBfloat16).saves.reserve_bytes == 12);
  CHECK(workspaces(read("native", Dtype::kBfloat16)) == Counts{12, 12});
  // 6 logits: 4 bytes saved, 2 + 4 and 8 - 2 of workspace.
  const LayerModel eager = read("eager", Dtype::kBfloat16);
  CHECK(eager.saves.reserve_bytes == 24);
  CHECK(workspaces(eager) == Counts{36, 36});
  CHECK(eager.work.forward.bytes_per_sample == 12 + 2 * 36 + 24);
  CHECK(eager.work.backward_data.bytes_per_sample == 24 + 2 * 36 + 12);
  CHECK(workspaces(read("upcast", Dtype::kBfloat16)) == Counts{48, 60});
  CHECK(read("upcast", Dtype::kBfloat16).saves.reserve_bytes == 24);
  // In float32 nothing is cast: 12 bytes a logit at the most in all of them.
  CHECK(workspaces(read("eager", Dtype::kFloat32)) == Counts{24, 24});
  CHECK(workspaces(read("upcast", Dtype::kFloat32)) == Counts{24, 24});
  // The probabilities, as ever.
  CHECK(read("probabilities", Dtype::kBfloat16).saves.output);
  CHECK(read("probabilities", Dtype::kBfloat16).output == TensorShape{{2, 3}});
  CHECK(has(layer_error(R"({"type": "softmax_cross_entropy", "memory": "none"})", {{{3}}}),
            "/memory"));
  // Rows of images are their positions.
  CHECK(read_layer(R"({"type": "softmax_cross_entropy", "memory": "in_place"})", {{{3, 2, 2}}})
            .saves.reserve_bytes == 32);
}

TEST_CASE("the last linear layer with its loss never holds all logits") {
  // 8 rows of 3 features, 5 words: 120 MACs; weights 15 elements, 30 bytes.
  const auto read = [](const std::string& options) {
    return read_layer(R"({"type": "linear_cross_entropy", "vocabulary": 5)" + options + "}",
                      {{{8, 3}}}, Dtype::kBfloat16);
  };
  const LayerModel model = read(R"(, "chunk": 4)");
  CHECK(model.output == TensorShape{{1}});
  CHECK(model.parameters == 15);
  CHECK(model.forward_macs == 120);
  CHECK(model.work.forward.flops_per_sample == 720);
  CHECK(model.work.backward_data.flops_per_sample == 48);
  // Input and its gradient 3 x 48, 40 logits of 6 bytes written and read, two chunks with four passes over
  // the weights.
  CHECK(model.work.forward.bytes_per_sample == 144 + 480 + 2 * 120);
  CHECK(model.work.forward.bytes_fixed == 0);
  CHECK(model.work.backward_data.bytes_per_sample == 96);
  CHECK(model.work.forward.workspace_per_sample == 240);
  CHECK(model.work.forward.workspace_most == 4 * 5 * 6);
  CHECK(model.work.backward_data.workspace_per_sample == 0);
  CHECK(model.saves.reserve_bytes == 48);
  CHECK_FALSE(model.saves.inputs);
  CHECK(model.is_loss);
  REQUIRE(model.products);
  CHECK(model.products->forward.size() == 3);
  CHECK(model.products->backward_data.empty());
  CHECK(model.products->beside_forward == 480);
  CHECK(model.products->beside_backward == 96);

  const LayerModel again = read(R"(, "chunk": 4, "mode": "recompute")");
  CHECK(again.work.forward.flops_per_sample == 240);
  CHECK(again.work.backward_data.flops_per_sample == 720);
  CHECK(again.work.forward.bytes_per_sample == 48 + 480 + 2 * 30);
  CHECK(again.work.backward_data.bytes_per_sample == 144 + 480 + 2 * 120);
  CHECK(again.work.backward_data.workspace_most == 120);
  CHECK(again.saves.inputs);
  CHECK(again.saves.reserve_bytes == 0);

  // A sample is 8 of 16 rows of a chunk: half of a pass each, and at least one.
  const LayerModel short_one = read(R"(, "chunk": 16)");
  CHECK(short_one.work.forward.bytes_per_sample == 144 + 480 + 60);
  CHECK(short_one.work.forward.bytes_fixed == 60);
  CHECK(read("").work.forward.workspace_most == 1024 * 5 * 6);

  const LayerModel tied = read(R"(, "tied_to": "table")");
  CHECK(tied.parameters == 0);
  CHECK(tied.weight_matrix == WeightMatrix{.rows = 5, .columns = 3});
  const auto error = [](const std::string& options, const TensorShape& shape) {
    return layer_error(R"({"type": "linear_cross_entropy")" + options + "}", {shape});
  };
  CHECK(has(error("", {{3}}), "no \"vocabulary\""));
  CHECK(has(error(R"(, "vocabulary": 5)", {{3, 2, 2}}), "found an input of shape 3x2x2"));
  CHECK(has(error(R"(, "vocabulary": 5, "chunk": 0)", {{3}}), "/chunk: found 0"));
  CHECK(has(error(R"(, "vocabulary": 5, "mode": "checkpoint")", {{3}}), "/mode"));
  CHECK(has(error(R"(, "vocabulary": 1000000000000, "tied_to": "a")", {{1000000000000}}),
            "parameters smaller than 2^48 bytes"));
}
