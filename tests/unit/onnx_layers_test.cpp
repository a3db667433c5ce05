// ONNX models as networks: shapes, layers, what is fused and what is folded, with numbers small enough to redo.
#include "model/onnx/import_onnx.hpp"
#include "tests/support/onnx_text.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace ooc;
using ooc::test::onnx_model;

Network of_onnx(const std::string& text, NetworkOptions options = {}) {
  std::istringstream bytes(onnx_model(text));
  return read_network(import_onnx(bytes, "tiny.onnx", options), options);
}

/// "conv 4x8x8; relu 4x8x8".
std::string onnx_layers(const Network& network) {
  std::string text;
  for (const Layer& layer : network.layers) {
    text += (text.empty() ? "" : "; ") + std::string(layer.kind->name) + " " + layer.model->output.text();
  }
  return text;
}

const std::string kOnnxImage = "input x 1 N 3 8 8\nweight w 1 4 3 3 3\nweight b 1 4\n";
const std::string kRows = "input x 1 N 6 8\n";

}  // namespace

TEST_CASE("onnx: a convolution with its weights, and a matrix behind a flatten with a loss") {
  const Network network = of_onnx(kOnnxImage + R"(
weight v 1 10 64
weight c 1 10
node Conv x w b -> y kernel_shape=3,3 pads=1,1,1,1 strides=2,2
node Relu y -> z
node Flatten z -> f
node Gemm f v c -> out transB=1
output out)");
  CHECK(onnx_layers(network) == "conv 4x4x4; relu 4x4x4; reshape 64; linear 10; softmax_cross_entropy 10");
  CHECK(total_parameters(network) == 762);       // 4 x 27 + 4 + 640 + 10
  CHECK(total_forward_macs(network) == 2368);    // 64 x 27 + 640
}

TEST_CASE("onnx: a model that is fixed to a batch has it in its reshapes; layers are of one sample") {
  for (const std::string batch : {"1", "2"}) {
    const Network network = of_onnx("input x 1 " + batch + " 4 6\nints to " + batch + R"( 2 2 6
ints back )" + batch + R"( 24
node Reshape x to -> y
node Transpose y -> z perm=0,2,1,3
node Reshape z back -> r
node Relu r -> out
output out)");
    CHECK(onnx_layers(network) == "reshape 2x2x6; transpose 2x2x6; reshape 24; relu 24");  // a channel shuffle copies
  }
}

TEST_CASE("onnx: heads join the batch, and leave it") {
  const Network network = of_onnx(R"(input x 1 1 5 8
ints heads 5 2 4
ints rows 5 8
node Transpose x -> t perm=1,0,2
node Reshape t heads -> h
node Transpose h -> q perm=1,0,2
node Softmax q -> s axis=-1
node Transpose s -> r perm=1,0,2
node Reshape r rows -> e
node Relu e -> out
output out)");
  CHECK(onnx_layers(network).find("softmax 2x5x4") != std::string::npos);
  CHECK(network.layers.back().model->output.dims == std::vector<std::int64_t>{5, 8});
}

TEST_CASE("onnx: shapes that the graph computes are folded") {
  const Network network = of_onnx(kOnnxImage + R"(
ints zero 0
ints axis 0
ints rest -1
node Conv x w b -> y kernel_shape=3,3
node Shape y -> shape
node Gather shape zero -> batch
node Concat batch rest -> to axis=0
node Reshape y to -> r
node Relu r -> out
output out)");
  CHECK(onnx_layers(network) == "conv 4x6x6; reshape 144; relu 144");
}

TEST_CASE("onnx: gelu, silu, hardswish and relu6 are found in what they are written as") {
  const std::string constants = kRows + R"(float half 0.5
float one 1
float root 1.41421356
float three 3
float six 6
float zero 0
)";
  const auto kind = [&](const std::string& nodes) { return onnx_layers(of_onnx(constants + nodes + "\noutput out")); };
  CHECK(kind("node Div x root -> a\nnode Erf a -> b\nnode Add b one -> c\nnode Mul x c -> d\nnode Mul d half -> out") == "gelu 6x8");
  CHECK(kind("node Mul x half -> a\nnode Div x root -> b\nnode Erf b -> c\nnode Add c one -> d\nnode Mul a d -> out") == "gelu 6x8");
  CHECK(kind("node Sigmoid x -> a\nnode Mul a x -> out") == "silu 6x8");
  CHECK(kind("node HardSigmoid x -> a alpha~0.16666667\nnode Mul x a -> out") == "hardswish 6x8");
  CHECK(kind("node Add x three -> a\nnode Clip a zero six -> b\nnode Div b six -> out") == "hardsigmoid 6x8");
  CHECK(kind("node Clip x zero six -> out") == "relu6 6x8");
  // What is read elsewhere stays.
  CHECK(kind("node Sigmoid x -> a\nnode Mul a x -> b\nnode Add b a -> out") == "sigmoid 6x8; multiply 6x8; add 6x8");
}

TEST_CASE("onnx: layer norms written out take their weights along, in any opset") {
  const std::string means = kRows + R"(weight g 1 8
weight h 1 8
float two 2
float small 0.00001
node ReduceMean x -> m axes=-1,
node Sub x m -> s
node Pow s two -> p
node ReduceMean p -> v axes=-1,
node Add v small -> e
node Sqrt e -> r
node Div s r -> n
)";
  const Network network = of_onnx(means + "node Mul n g -> a\nnode Add a h -> out\noutput out");
  CHECK(onnx_layers(network) == "layer_norm 6x8");
  CHECK(total_parameters(network) == 16);
  CHECK(onnx_layers(of_onnx("opset 17\n" + kRows + "weight g 1 8\nnode LayerNormalization x g -> out\noutput out")) == "layer_norm 6x8");
}

TEST_CASE("onnx: products around a softmax are attention, with eager kernels products") {
  const std::string text = R"(input q 1 N 2 6 4
input k 1 N 2 4 6
input v 1 N 2 6 4
float scale 0.5
node Mul q scale -> a
node MatMul a k -> s
node Softmax s -> p axis=-1
node MatMul p v -> out
output out)";
  const Network fused = of_onnx(text);
  CHECK(fused.layers.back().kind->name == "attention");
  CHECK(total_forward_macs(fused) == 576);  // 2 heads x 2 products x 6 x 6 x 4
  const Network eager = of_onnx(text, {.kernels = ImportKernels::kEager});
  CHECK(eager.layers.back().kind->name == "matmul");
  CHECK(total_forward_macs(eager) == 576);
}

TEST_CASE("onnx: keys and values that are repeated for the heads that share them") {
  const Network network = of_onnx(R"(input q 1 N 4 6 8
input k 1 N 2 6 8
input v 1 N 2 6 8
ints apart 0 2 1 6 8
ints twice 1 1 2 1 1
ints whole 0 4 6 8
node Reshape k apart -> k1
node Tile k1 twice -> k2
node Reshape k2 whole -> k3
node Transpose k3 -> k4 perm=0,1,3,2
node Reshape v apart -> v1
node Tile v1 twice -> v2
node Reshape v2 whole -> v3
node MatMul q k4 -> s
node Cast s -> t to=1
node Softmax t -> p axis=-1
node Cast p -> r to=1
node MatMul r v3 -> out
output out)");
  CHECK(network.layers.back().kind->name == "attention");
  CHECK(network.layers.back().model->saves.reserve_bytes == 96);  // of flash attention: 4 heads x 6 rows x 4 bytes
  CHECK(total_forward_macs(network) == 2304);                     // 4 heads x 2 products x 6 x 6 x 8
  CHECK(onnx_layers(network).find("custom") == std::string::npos);
}

TEST_CASE("onnx: products by Einsum, and products of numbers one by one") {
  const auto macs = [](const std::string& equation) {
    return total_forward_macs(of_onnx("input a 1 N 2 6 8\ninput b 1 N 2 6 8\nnode Einsum a b -> out equation:" + equation + "\noutput out"));
  };
  CHECK(macs("bhid,bhjd->bhij") == 576);  // 2 x 6 x 6 x 8
  CHECK(macs("bhid,bhie->bhde") == 768);  // 2 x 8 x 8 x 6
  CHECK(macs("bhid,bhid->bhid") == 0);
  CHECK_THROWS_WITH_AS(macs("...d,...d->...d"), doctest::Contains("unknown shape"), SpecError);
}

TEST_CASE("onnx: weights that two nodes share are counted once, and a bias joins its product") {
  const Network network = of_onnx(kRows + R"(weight w 1 8 8
weight b 1 8
node MatMul x w -> y
node Add b y -> z
node MatMul z w -> out
output out)");
  CHECK(onnx_layers(network) == "linear 6x8; linear 6x8; softmax_cross_entropy 6x8");
  CHECK(total_parameters(network) == 72);
}

TEST_CASE("onnx: training forms of batch norm and dropout, and operators without a kind") {
  const Network network = of_onnx(kOnnxImage + R"(
weight g 1 4
float rate 0.25
node Conv x w -> y kernel_shape=3,3
node BatchNormalization y g b g b -> n m1 v1 training_mode=1
node Dropout n rate -> d mask
node Softplus d -> out
output out)");
  CHECK(onnx_layers(network) == "conv 4x6x6; batch_norm 4x6x6; dropout 4x6x6; custom 4x6x6");
  CHECK(total_parameters(network) == 116);  // 108 + 8; running statistics are no weights
}

TEST_CASE("onnx: a named size is what the options say, and leaves them") {
  NetworkOptions options{.symbols = {{"seq", 16}}};
  std::istringstream bytes(onnx_model("input ids 7 N seq\nweight t 1 100 8\nnode Gather t ids -> out\noutput out"));
  const Network network = read_network(import_onnx(bytes, "tiny.onnx", options), options);
  CHECK(options.symbols.empty());
  CHECK(onnx_layers(network) == "embedding 16x8");
}
