// Activations, norms, dropout, softmax and the loss: what they save, count and do in place.
#include "model/graph/build_training_graph.hpp"
#include "model/graph/keeping.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/layers_support.hpp"

using namespace ooc;
using Counts = std::vector<std::int64_t>;

namespace {

// 24 elements, 96 bytes.
const std::vector<TensorShape> kMapImage{{{2, 3, 4}}};

}  // namespace

TEST_CASE("relu saves its output and works in place where it can") {
  const LayerModel relu = read_layer(R"({"type": "relu"})", kMapImage);
  CHECK(relu.output == kMapImage[0]);
  CHECK(relu.parameters == 0);
  CHECK(relu.forward_macs == 0);
  CHECK(counts(relu.work.forward) == Counts{24, 192, 0});        // X, Y
  CHECK(counts(relu.work.backward_data) == Counts{24, 288, 0});  // Y, dY, dX
  CHECK(counts(relu.paleo_work.forward) == Counts{0, 0, 0});
  CHECK(relu.saves.output);
  CHECK_FALSE(relu.saves.inputs);
  CHECK(relu.in_place == InPlace::kWhenPossible);
  CHECK(relu.is_activation);
  CHECK(read_layer(R"({"type": "relu", "in_place": false})", kMapImage).in_place ==
        InPlace::kNever);
  CHECK(read_layer(R"({"type": "relu", "in_place": true})", kMapImage).in_place ==
        InPlace::kRequired);
}

TEST_CASE("sigmoid and tanh save their output and work in place if asked or always") {
  for (const std::string type : {"sigmoid", "tanh"}) {
    CAPTURE(type);
    const LayerModel model = read_layer(R"({"type": ")" + type + R"("})", kMapImage);
    CHECK(model.saves.output);
    CHECK_FALSE(model.saves.inputs);
    CHECK(model.in_place == InPlace::kWhereAlways);
    CHECK(model.is_activation);
    CHECK(counts(model.work.backward_data) == Counts{72, 288, 0});
    CHECK(read_layer(R"({"type": ")" + type + R"(", "in_place": true})", kMapImage).in_place ==
          InPlace::kRequired);
  }
  CHECK(counts(read_layer(R"({"type": "sigmoid"})", kMapImage).work.forward) == Counts{96, 192, 0});
  CHECK(counts(read_layer(R"({"type": "tanh"})", kMapImage).work.forward) == Counts{120, 192, 0});
}

TEST_CASE("group_norm and instance_norm: a sample's own statistics, parameters unless told") {
  // 4 channels of 6 positions; X twice and Y forward, X and dY twice and dX backward.
  const std::vector<TensorShape> map{{{4, 2, 3}}};
  const LayerModel group = read_layer(R"({"type": "group_norm", "groups": 2})", map);
  CHECK(group.parameters == 8);
  CHECK(counts(group.work.forward) == Counts{120, 288, 32});
  CHECK(counts(group.work.backward_data) == Counts{216, 480, 48});
  CHECK(group.saves.inputs);
  CHECK(group.saves.statistics_per_sample == 4);
  CHECK(group.saves.statistics_fixed == 0);
  const LayerModel instance = read_layer(R"({"type": "instance_norm", "affine": false})", map);
  CHECK(instance.parameters == 0);
  CHECK(counts(instance.work.forward) == Counts{120, 288, 0});
  CHECK(counts(instance.work.backward_data) == Counts{216, 480, 0});
  CHECK(instance.saves.statistics_per_sample == 8);
  CHECK(has(layer_error(R"({"type": "group_norm", "groups": 3})", map),
            "/groups: found 3, expected a divisor of the 4 channels"));
  CHECK(has(layer_error(R"({"type": "group_norm"})", map), "groups"));
}

TEST_CASE("leaky_relu and elu save one side, PyTorch's out of place their input") {
  for (const char* kind : {"leaky_relu", "elu"}) {
    const LayerModel model = read_layer(fmt::format(R"({{"type": "{}"}})", kind), kMapImage);
    CHECK(model.in_place == InPlace::kWhenPossible);
    CHECK(model.saves.output);
    const Kept ideal = kept_of(model, {}, RunsIn::kOwnBuffer);
    CHECK(ideal.output);
    CHECK_FALSE(ideal.inputs);
    const Keeping pytorch{.clamps = KeptOfClamps::kInput};
    CHECK(kept_of(model, pytorch, RunsIn::kOwnBuffer).inputs);
    CHECK_FALSE(kept_of(model, pytorch, RunsIn::kOwnBuffer).output);
    CHECK(kept_of(model, pytorch, RunsIn::kPlace).output);
    CHECK_FALSE(kept_of(model, pytorch, RunsIn::kPlace).inputs);
  }
  CHECK(counts(read_layer(R"({"type": "leaky_relu"})", kMapImage).work.forward) ==
        Counts{48, 192, 0});
  CHECK(counts(read_layer(R"({"type": "elu"})", kMapImage).work.backward_data) ==
        Counts{72, 288, 0});
}

TEST_CASE(
    "hardswish saves its input, hardsigmoid its output, or its input where clamps keep theirs") {
  const LayerModel swish = read_layer(R"({"type": "hardswish"})", kMapImage);
  CHECK(swish.saves.inputs);
  CHECK_FALSE(swish.saves.output);
  CHECK(swish.in_place == InPlace::kNever);
  CHECK(counts(swish.work.forward) == Counts{120, 192, 0});
  CHECK(counts(swish.work.backward_data) == Counts{120, 288, 0});
  const LayerModel gate = read_layer(R"({"type": "hardsigmoid"})", kMapImage);
  CHECK(gate.saves.output);
  CHECK(gate.saves.clamps);
  CHECK(gate.in_place == InPlace::kWhenPossible);
  CHECK(counts(gate.work.forward) == Counts{96, 192, 0});
  CHECK(counts(gate.work.backward_data) == Counts{72, 288, 0});
}

TEST_CASE("gelu and silu save their input and refuse to work in place") {
  for (const std::string type : {"gelu", "silu"}) {
    CAPTURE(type);
    const LayerModel model = read_layer(R"({"type": ")" + type + R"("})", kMapImage);
    CHECK(model.saves.inputs);
    CHECK_FALSE(model.saves.output);
    CHECK(model.in_place == InPlace::kNever);
    CHECK(counts(model.work.forward) == Counts{120, 192, 0});
    CHECK(has(layer_error(R"({"type": ")" + type + R"(", "in_place": true})", kMapImage),
              "/in_place: found true"));
    CHECK(layer_error(R"({"type": ")" + type + R"(", "in_place": false})", kMapImage).empty());
  }
  CHECK(counts(read_layer(R"({"type": "gelu"})", kMapImage).work.backward_data) ==
        Counts{264, 288, 0});  // 11 x 24
  CHECK(counts(read_layer(R"({"type": "silu"})", kMapImage).work.backward_data) ==
        Counts{216, 288, 0});  // 9 x 24
}

TEST_CASE("batch norm reads its input twice and has two parameters a channel") {
  const LayerModel norm = read_layer(R"({"type": "batch_norm"})", kMapImage);
  CHECK(norm.output == kMapImage[0]);
  CHECK(norm.parameters == 4);
  CHECK(norm.forward_macs == 0);
  CHECK(counts(norm.work.forward) == Counts{120, 288, 16});        // 2 X + Y; gamma, beta
  CHECK(counts(norm.work.backward_data) == Counts{216, 480, 24});  // 2 X + 2 dY + dX; 3 x 8
  CHECK(counts(norm.work.backward_weights) == Counts{0, 0, 0});
  CHECK(norm.backward_form == BackwardForm::kFused);
  CHECK(norm.saves.inputs);
  CHECK_FALSE(norm.saves.output);
  CHECK(norm.is_feature_extractor);
  CHECK(norm.in_place == InPlace::kNever);
}

TEST_CASE("layer norm reads its input once and knows where the channels are") {
  const LayerModel norm = read_layer(R"({"type": "layer_norm"})", kMapImage);
  CHECK(norm.parameters == 4);
  CHECK(counts(norm.work.forward) == Counts{120, 192, 16});        // X + Y
  CHECK(counts(norm.work.backward_data) == Counts{216, 288, 24});  // X + dY + dX
  CHECK(norm.saves.inputs);
  CHECK(read_layer(R"({"type": "layer_norm"})", {{{7, 5}}}).parameters == 10);
  CHECK(read_layer(R"({"type": "layer_norm"})", {{{5}}}).parameters == 10);
}

TEST_CASE("local response normalisation saves input and output") {
  const LayerModel lrn = read_layer(R"({"type": "lrn", "size": 3})", kMapImage);
  CHECK(counts(lrn.work.forward) == Counts{168, 192, 0});        // (3 + 4) x 24; X, Y
  CHECK(counts(lrn.work.backward_data) == Counts{216, 384, 0});  // (3 + 6) x 24; X, Y, dY, dX
  CHECK(lrn.saves.inputs);
  CHECK(lrn.saves.output);
  CHECK(lrn.parameters == 0);
  CHECK(counts(read_layer(R"({"type": "lrn"})", kMapImage).work.forward) == Counts{216, 192, 0});
  CHECK(has(layer_error(R"({"type": "lrn", "size": 0})", kMapImage), "/size: found 0"));
}

TEST_CASE("dropout that leaves nothing is refused") {
  CHECK(has(layer_error(R"({"type": "dropout", "rate": 1})", kMapImage),
            "/rate: found 1, expected a ratio from 0 to below 1"));
  CHECK(has(layer_error(R"({"type": "dropout", "rate": "100 %"})", kMapImage), "to below 1"));
  CHECK(read_layer(R"({"type": "dropout", "rate": 0})", kMapImage).saves.mask_bytes == 24);
}

TEST_CASE("dropout keeps a mask of one byte per element in any precision") {
  const LayerModel dropout = read_layer(R"({"type": "dropout", "rate": 0.5})", kMapImage);
  CHECK(dropout.saves.mask_bytes == 24);
  CHECK_FALSE(dropout.saves.inputs);
  CHECK_FALSE(dropout.saves.output);
  CHECK(dropout.in_place == InPlace::kWhenPossible);
  CHECK(counts(dropout.work.forward) == Counts{48, 216, 0});  // 96 + 96 + 24
  CHECK(counts(dropout.work.backward_data) == Counts{24, 216, 0});
  CHECK(counts(dropout.paleo_work.forward) == Counts{24, 192, 0});
  CHECK(counts(dropout.paleo_work.backward_data) == Counts{24, 192, 0});
  const LayerModel half =
      read_layer(R"({"type": "dropout", "rate": "50 %"})", kMapImage, Dtype::kFloat16);
  CHECK(half.saves.mask_bytes == 24);
  CHECK(counts(half.work.forward) == Counts{48, 120, 0});  // 48 + 48 + 24
  const LayerModel by_sample =
      read_layer(R"({"type": "dropout", "rate": 0.5, "by_sample": true})", kMapImage);
  CHECK(by_sample.saves.mask_bytes == 0);
  CHECK(counts(by_sample.work.forward) == Counts{24, 192, 0});
  CHECK(has(layer_error(R"({"type": "dropout", "rate": 1.5})", kMapImage), "/rate: found 1.5"));
  CHECK(has(layer_error(R"({"type": "dropout"})", kMapImage), "no \"rate\""));
}

TEST_CASE("softmax saves its output") {
  const LayerModel softmax = read_layer(R"({"type": "softmax"})", {{{10}}});
  CHECK(counts(softmax.work.forward) == Counts{50, 80, 0});
  CHECK(counts(softmax.work.backward_data) == Counts{40, 120, 0});
  CHECK(softmax.saves.output);
  CHECK_FALSE(softmax.is_loss);
}

TEST_CASE("the loss saves its probabilities and reads no gradient") {
  const LayerModel loss = read_layer(R"({"type": "softmax_cross_entropy"})", {{{10}}});
  CHECK(loss.output == TensorShape{{10}});
  CHECK(loss.is_loss);
  CHECK(loss.saves.output);
  CHECK_FALSE(loss.saves.inputs);
  CHECK(counts(loss.work.forward) == Counts{50, 80, 0});
  CHECK(counts(loss.work.backward_data) == Counts{20, 80, 0});  // Y, dX
}

TEST_CASE("every kind has a unique name, a summary and is found by it") {
  for (const LayerKind* kind : layer_kinds()) {
    CHECK(find_layer_kind(kind->name) == kind);
    CHECK_FALSE(kind->summary.empty());
  }
  CHECK(layer_kinds().size() == 45);
  CHECK(find_layer_kind("convolution") == nullptr);
}
