// Times of a graph's tasks as the sum of their kernels.
#include "model/cost/kernel_cost.hpp"

#include "model/cost/conv_algorithms.hpp"
#include "model/graph/build_training_graph.hpp"
#include "model/kernels/convolution.hpp"
#include "model/kernels/product.hpp"
#include "model/network/network_json.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/kernels_platforms.hpp"

using namespace ooc;

namespace {

std::string network(const std::string& inputs, const std::string& layers) {
  return R"({"format": "ooc-paleo/network", "version": 1, "name": "n", "source": "s",
    "dtype": "float32", "inputs": [)" +
         inputs + R"(], "layers": [)" + layers + "]}";
}

/// Relative: times are microseconds, and doctest's own tolerance begins at a hundred thousandth of 1.
doctest::Approx near(double seconds) { return doctest::Approx(seconds).scale(0); }

constexpr const char* kImage = R"({"name": "x", "shape": [16, 8, 8]})";

struct Bench {
  Network network;
  TrainingGraph graph;
  KernelPlatform platform = test::table_platform("V100");
  explicit Bench(const std::string& text)
      : network(read_network_text(text, "n.json")), graph(build_training_graph(network)) {}
  [[nodiscard]] double seconds(const char* layer, TaskKind kind,
                               RunMode mode = RunMode::kTraining) const {
    const KernelPricer pricer(graph, platform, 4, mode);
    for (const Task& task : graph.tasks) {
      if (task.kind == kind && network.layers[task.layer.at()].name == layer) {
        return pricer.seconds(task);
      }
    }
    FAIL("no such task");
    return 0;
  }
  [[nodiscard]] double stream(double bytes) const { return bytes / streaming_rate(platform); }
};

}  // namespace

TEST_CASE("a convolution is its kernel, a bias a pass more, its gradient one over the output") {
  Bench bench(network(kImage, R"(
    {"name": "a", "type": "conv", "filters": 32, "kernel": [3, 3], "padding": [1, 1]},
    {"name": "b", "type": "conv", "filters": 32, "kernel": [3, 3], "padding": [1, 1], "bias": false})"));
  const ConvolutionShape& shape = *bench.network.layers[0].model->convolution;
  const double kernel = convolution_seconds({.shape = &shape, .batch = 4}, bench.platform);
  const double output = 4.0 * 4 * 32 * 8 * 8;  // bytes x batch x elements
  CHECK(bench.seconds("a", TaskKind::kForward) == near(kernel + bench.stream(2 * output)));
  const ConvolutionShape& second = *bench.network.layers[1].model->convolution;
  CHECK(bench.seconds("b", TaskKind::kForward) ==
        near(convolution_seconds({.shape = &second, .batch = 4}, bench.platform)));
  CHECK(bench.seconds("a", TaskKind::kBackwardWeights) ==
        near(convolution_seconds({&shape, ConvolutionPass::kBackwardWeights, 4}, bench.platform) +
             bench.stream(output)));
}

TEST_CASE("workspaces are what cuDNN asks for") {
  const auto workspace = [](ConvolutionPass pass, std::int64_t batch, std::int64_t channels,
                            std::int64_t filters, ConvolutionDim dim, Algorithm algorithm) {
    const ConvolutionShape shape{
        .channels = channels, .filters = filters, .groups = 1, .dims = {dim, dim}};
    const ConvolutionTask task{.shape = shape, .pass = pass, .batch = batch};
    const KernelPricer::ConvolutionMethods methods{
        convolution_times({&shape, pass, static_cast<double>(batch)}, test::table_platform("V100")),
        0};
    for (const ConvolutionAlgorithm& way : kernel_algorithms(task, methods)) {
      if (way.algorithm == algorithm) return way.workspace_bytes;
    }
    FAIL("no such way");
    return 0.0;
  };
  // cuDNN 8.6 on a V100: woojinsoh/cudnn_mnist, README.
  const ConvolutionDim digits{.input = 28, .output = 24, .kernel = 5};
  for (const ConvolutionPass pass : {ConvolutionPass::kForward, ConvolutionPass::kBackwardData}) {
    CAPTURE(static_cast<int>(pass));
    CHECK(workspace(pass, 128, 1, 32, digits, Algorithm::kFftTiling) == 18'522'112);
  }
  // The sample mnistCUDNN under cuDNN 8.0: one image, 20 filters.
  CHECK(workspace(ConvolutionPass::kForward, 1, 1, 20, digits, Algorithm::kFftTiling) == 178'432);
  // cuDNN 7.6 under TensorFlow 2.3, on a P4, a P100, a T4 and a V100: mholmeslinder/semi-supervised-cv.
  const ConvolutionDim small{.input = 14, .output = 14, .kernel = 3, .padding = 2};
  for (const ConvolutionPass pass : {ConvolutionPass::kForward, ConvolutionPass::kBackwardData,
                                     ConvolutionPass::kBackwardWeights}) {
    CAPTURE(static_cast<int>(pass));
    CHECK(workspace(pass, 128, 256, 384, small, Algorithm::kWinogradNonfused) == 202'899'456);
    CHECK(workspace(pass, 128, 384, 384, small, Algorithm::kWinogradNonfused) == 247'726'080);
    CHECK(workspace(pass, 32, 384, 384, small, Algorithm::kWinogradNonfused) == 77'856'768);
  }
  // cuDNN 5: nagadomi/waifu2x, issue 122.
  const ConvolutionDim picture{.input = 124, .output = 122, .kernel = 3};
  CHECK(workspace(ConvolutionPass::kForward, 1, 32, 64, picture, Algorithm::kWinograd) == 131'072);
}

TEST_CASE("a transposed convolution forward is the mirrored one's backward data") {
  Bench bench(network(kImage, R"({"name": "up", "type": "conv_transpose", "filters": 8,
    "kernel": [4, 4], "stride": 2, "padding": 1, "bias": false},
    {"name": "loss", "type": "softmax_cross_entropy"})"));
  const ConvolutionDim dim{.input = 16, .output = 8, .kernel = 4, .stride = 2, .padding = 2};
  const ConvolutionShape mirrored{.channels = 8, .filters = 16, .groups = 1, .dims = {dim, dim}};
  CHECK(*bench.network.layers[0].model->mirrored_convolution == mirrored);
  CHECK(bench.seconds("up", TaskKind::kForward) ==
        near(convolution_seconds({&mirrored, ConvolutionPass::kBackwardData, 4}, bench.platform)));
}

TEST_CASE("linear layers, matmul and attention are products of their shapes") {
  Bench bench(network(R"({"name": "x", "shape": [10, 64]})", R"(
    {"name": "fc", "type": "linear", "units": 96},
    {"name": "att", "type": "attention", "heads": 2},
    {"name": "mm", "type": "matmul", "inputs": ["att", "att"], "transpose_b": true})"));
  const auto price = [&](Product product) {
    return linear_seconds(product, Dtype::kFloat32, bench.platform);
  };
  CHECK(bench.seconds("fc", TaskKind::kForward) == near(price({96, 40, 64})));
  CHECK(bench.seconds("fc", TaskKind::kBackwardWeights) ==
        near(price({96, 64, 40}) + bench.stream(4.0 * 40 * 96 / 0.43)));  // its bias' gradient
  // 2 heads x 4 samples; width 32, so 16 a head. The weights, 2 x 10 x 10, are read and written.
  const double weights = 4.0 * 4 * 2 * 10 * 10;
  CHECK(bench.seconds("att", TaskKind::kForward) ==
        near(price({10, 10, 16, 8}) + price({16, 10, 10, 8}) + bench.stream(2 * weights)));
  CHECK(bench.seconds("mm", TaskKind::kForward) == near(price({10, 10, 32, 4})));
  CHECK(bench.seconds("mm", TaskKind::kBackward) ==
        near(price({10, 32, 10, 4}) + price({32, 10, 10, 4})));
}

TEST_CASE("flash attention multiplies at its own share of what large products reach") {
  const auto bench = [](const char* dtype, const char* heads) {
    std::string text = network(
        R"({"name": "x", "shape": [4096, 64]})",
        R"({"name": "fc", "type": "linear", "units": 3072}, {"name": "att", "type": "attention", "heads": 8, "flash": true})");
    const std::string_view from = "float32";
    text.replace(text.find(from), from.size(), dtype);
    text.replace(text.find("8, \"flash"), 1, heads);
    return Bench(text);
  };
  const auto share = [](const Bench& at, TaskKind kind, Dtype dtype) {
    const TaskWork& work = kind == TaskKind::kForward
                               ? at.network.layers[1].model->work.forward
                               : at.network.layers[1].model->work.backward_data;
    return static_cast<double>(work.flops_per_sample) * 4 / linear_rate(dtype, at.platform) /
           at.seconds("att", kind);
  };
  const auto near_by = [](double value) { return doctest::Approx(value).epsilon(0.02); };
  // A query costs as much as 215 keys more; heads are 128 wide.
  const double full = 4096 / (4096.0 + 215);
  const Bench half = bench("float16", "8");
  CHECK(share(half, TaskKind::kForward, Dtype::kFloat16) == near_by(0.88 * full));
  CHECK(share(half, TaskKind::kBackward, Dtype::kFloat16) == near_by(0.76 * full));
  const Bench narrow = bench("float16", "16");
  CHECK(share(narrow, TaskKind::kForward, Dtype::kFloat16) == near_by(0.88 * 0.88 * full));
  CHECK(share(bench("float32", "8"), TaskKind::kForward, Dtype::kFloat32) == near_by(1));
  // With a mask every score is computed, and what stands beside products adds to them: more on graphics chips.
  Bench causal = bench("float16", "8, \"causal\": true");
  const double skipping = causal.seconds("att", TaskKind::kForward);
  causal.platform.software.attention = AttentionKernels::kMasked;
  const double beside = linear_rate(Dtype::kFloat16, causal.platform) /
                        (648 * cycles_per_second(causal.platform.machine));
  const double masked = causal.seconds("att", TaskKind::kForward);
  CHECK(masked / skipping == near_by(2 * 0.88 * (1 + beside) * (4096 + 215.0) / (4096 + 2 * 215)));
  causal.platform.architecture.classes[0].most_gain = 64;
  CHECK(causal.seconds("att", TaskKind::kForward) / masked ==
        near_by((1 + 648 / 440.0 * beside) / (1 + beside)));
}

TEST_CASE("beside their products attention and the loss move scores, copies and logits") {
  Bench bench(network(R"({"name": "x", "shape": [10, 64]})", R"(
    {"name": "q", "type": "linear", "units": 32},
    {"name": "kv", "type": "linear", "units": 16, "inputs": ["x"]},
    {"name": "att", "type": "attention", "heads": 2, "kv_heads": 1, "dropout": 0.1, "inputs": ["q", "kv"]},
    {"name": "loss", "type": "linear_cross_entropy", "vocabulary": 96})"));
  const auto price = [&](Product product) {
    return linear_seconds(product, Dtype::kFloat32, bench.platform);
  };
  // One head of keys and values, 10 x 32 elements, is copied for two, 10 x 64, and that is kept: it is no
  // score. Dropout reads and writes the weights and writes a byte.
  const double weights = 4.0 * 2 * 10 * 10;
  const double beside = 4.0 * 4 * (320 + 640) + weights * 9;
  CHECK(bench.seconds("att", TaskKind::kForward) ==
        near(price({10, 10, 16, 8}) + price({16, 10, 10, 8}) +
             bench.stream(2 * 4 * weights + beside + weights * 9 * (1 / 0.7 - 1))));
  CHECK(bench.seconds("att", TaskKind::kBackward) ==
        near(price({10, 16, 10, 8}) + price({10, 10, 16, 8}) + price({16, 10, 10, 8}) * 2 +
             bench.stream(3 * 4 * weights + beside)));
  // The query's bias has a gradient: 10 x 32 elements are read.
  CHECK(bench.seconds("q", TaskKind::kBackwardWeights) ==
        near(price({32, 64, 40}) + bench.stream(4.0 * 4 * 10 * 32 / 0.43)));
  // All products forward; logits in 4 bytes and a copy, written and read. Backward a scaled gradient.
  CHECK(bench.seconds("loss", TaskKind::kForward) ==
        near(price({96, 40, 32}) + price({32, 40, 96}) + price({96, 32, 40}) +
             bench.stream(4.0 * 10 * 96 * 16)));
  CHECK(bench.seconds("loss", TaskKind::kBackward) == near(bench.stream(2 * 4.0 * 4 * 10 * 32)));
}

TEST_CASE(
    "sums of layer norms and draws of dropout are slow, and sums for its weights a kernel more") {
  const auto bench = [](const std::string& more) {
    return Bench(network(R"({"name": "x", "shape": [10, 64]})", R"(
      {"name": "fc", "type": "linear", "units": 64},
      {"name": "drop", "type": "dropout", "rate": 0.1},
      {"name": "norm", "type": "layer_norm")" + more + "}"));
  };
  const Bench trained = bench("");
  const double tensor = 4.0 * 4 * 10 * 64;
  const double weights = 4.0 * 64;
  CHECK(trained.seconds("norm", TaskKind::kForward) ==
        near(trained.stream((2 * tensor + 2 * weights) / 0.5)));
  const double own = trained.stream(3 * tensor + 3 * weights);
  CHECK(trained.seconds("norm", TaskKind::kBackward) == near(own + own * 2 / 3 / 0.43));
  CHECK(trained.seconds("drop", TaskKind::kForward) ==
        near(trained.stream((2 * tensor + tensor / 4) / 0.7)));  // it draws
  CHECK(bench(R"(, "frozen": true)").seconds("norm", TaskKind::kBackward) == near(own));
  Bench compiled = bench("");
  compiled.platform.software.fusion = Fusion::kAll;
  CHECK(compiled.seconds("norm", TaskKind::kBackward) == near(own));
}

TEST_CASE("PyTorch's pools loop over windows, whatever memory could do") {
  Bench bench(network(kImage, R"(
    {"name": "conv", "type": "conv", "filters": 16, "kernel": [1, 1]},
    {"name": "mean", "type": "avg_pool", "kernel": [3, 3], "stride": 1, "padding": 1},
    {"name": "most", "type": "max_pool", "kernel": [2, 2]})"));
  const double input = 4.0 * 16 * 8 * 8;
  CHECK(bench.seconds("mean", TaskKind::kForward) == near(bench.stream(2 * 4 * input)));
  bench.platform.software.pools = PoolKernels::kPyTorch;
  // 80 multiprocessors of 64 units.
  const double cycles = sustained_rate(bench.platform, Dtype::kFloat32) / 0.94 / 2 / 64;
  CHECK(cycles / 80 < 2.3e9);
  CHECK(bench.seconds("mean", TaskKind::kForward) == near(input * 9 * 0.58 / cycles));
  CHECK(bench.seconds("mean", TaskKind::kBackward) == near(input * (9 * 0.58 + 5) / cycles));
  CHECK(bench.seconds("most", TaskKind::kForward) == near(bench.stream(1.25 * 4 * input)));
  CHECK(bench.seconds("most", TaskKind::kBackward) == near(input * (0.58 + 2.8) / cycles));
  bench.platform.machine.multiprocessors = 40;  // must have 128 units, which no thread's loop uses
  CHECK(bench.seconds("mean", TaskKind::kForward) == near(input * 9 * 0.58 / cycles * 2));
}

TEST_CASE("separate attention is as dear as PyTorch 1's, but where everything is fused") {
  const auto bench = [](const std::string& form) {
    return Bench(network(R"({"name": "x", "shape": [10, 96]})",
                         R"({"name": "att", "type": "attention", "heads": 2)" + form + "}"));
  };
  Bench apart = bench(R"(, "separate": true)");
  Bench plain = bench("");
  const double fused = plain.seconds("att", TaskKind::kForward);
  // Weights of 2 heads, scale, mask and softmax for softmax alone; 8 permutes of 10 x 32 elements.
  const double more = apart.stream(4 * 4.0 * 4 * 2 * 10 * 10 + 8 * 4.0 * 4 * 320);
  CHECK(apart.seconds("att", TaskKind::kForward) == near(fused + more));
  Bench caps = bench(R"(, "separate": true, "capped": true)");
  CHECK(caps.seconds("att", TaskKind::kForward) ==
        near(fused + more + apart.stream(6 * 4.0 * 4 * 2 * 10 * 10)));
  caps.platform.software.fusion = Fusion::kAll;
  CHECK(caps.seconds("att", TaskKind::kForward) == near(fused));
  plain.platform.software.attention = AttentionKernels::kSeparate;
  CHECK(plain.seconds("att", TaskKind::kForward) == near(fused + more));
  apart.platform.software.fusion = Fusion::kAll;
  CHECK(apart.seconds("att", TaskKind::kForward) == near(fused));
  CHECK_THROWS_AS(bench(R"(, "separate": true, "flash": true)"), SpecError);
}

TEST_CASE("a softmax wider than its scores has casts about it, and walks through them") {
  const auto bench = [](const char* softmax) {
    std::string text = network(R"({"name": "x", "shape": [10, 96]})",
                               R"({"name": "fc", "type": "linear", "units": 96},
                                   {"name": "att", "type": "attention", "heads": 2, "separate": true,
                                   "softmax": ")" +
                                   std::string(softmax) + "\"}");
    text.replace(text.find("float32"), 7, "float16");
    Bench made(text);
    made.platform.machine.near_rate = BytesPerSecond(100'000'000'000);  // slower than any walk
    return made;
  };
  const Bench narrow = bench("activation");
  const Bench wide = bench("float32");
  const double scores = 4.0 * 2 * 10 * 10;
  // To float32 and back, and 4 of its 6 passes backward in 4 bytes instead of 2, 2 of the layer's own among them.
  CHECK(wide.seconds("att", TaskKind::kForward) - narrow.seconds("att", TaskKind::kForward) ==
        near(wide.stream(scores * (2 * 6 + 2 * 2))));
  CHECK(wide.seconds("att", TaskKind::kBackward) - narrow.seconds("att", TaskKind::kBackward) ==
        near(wide.stream(scores * (2 * 6 + 6 * 2))));
  Bench fast = bench("float32");
  fast.platform.machine.near_rate = BytesPerSecond(1'000'000'000'000'000);
  Bench none = bench("activation");
  none.platform.machine.near_rate = fast.platform.machine.near_rate;
  CHECK(fast.seconds("att", TaskKind::kBackward) - none.seconds("att", TaskKind::kBackward) ==
        doctest::Approx(scores / 1.3 / cycles_per_second(fast.platform.machine))
            .scale(0)
            .epsilon(0.01));
}

TEST_CASE("long rows of logits are read again by eager losses") {
  const auto bench = [](const char* classes) {
    return Bench(
        network(R"({"name": "x", "shape": [8]})",
                R"({"name": "fc", "type": "linear", "units": )" + std::string(classes) +
                    R"(}, {"name": "loss", "type": "softmax_cross_entropy", "memory": "eager"})"));
  };
  const Bench whole = bench("12288");
  const Bench longer = bench("12296");
  const double row = 4.0 * 4 * 12296;
  CHECK(longer.seconds("loss", TaskKind::kForward) ==
        near(whole.seconds("loss", TaskKind::kForward) / 12288 * 12296 + longer.stream(row)));
  CHECK(longer.seconds("loss", TaskKind::kBackward) ==
        near(whole.seconds("loss", TaskKind::kBackward) / 12288 * 12296 + longer.stream(2 * row)));
  Bench compiled = bench("12296");
  compiled.platform.software.fusion = Fusion::kAll;
  CHECK(compiled.seconds("loss", TaskKind::kForward) ==
        near(longer.seconds("loss", TaskKind::kForward) - longer.stream(row)));
}

TEST_CASE("dropout within cuDNN's attention draws a number for each score, in training") {
  const auto seconds = [](const char* dropout, AttentionKernels library, RunMode mode) {
    std::string text =
        network(R"({"name": "x", "shape": [16, 96]})",
                R"({"name": "att", "type": "attention", "heads": 2, "flash": true, "dropout": )" +
                    std::string(dropout) + "}");
    text.replace(text.find("float32"), 7, "float16");
    Bench made(text);
    auto& flash = made.platform.architecture.flash;
    flash[static_cast<std::size_t>(AttentionKernels::kCudnn)].forward = 0.5;
    made.platform.software.attention = library;
    return made.seconds("att", TaskKind::kForward, mode) * cycles_per_second(made.platform.machine);
  };
  const auto drawn = [&](const char* dropout, AttentionKernels library) {
    return seconds(dropout, library, RunMode::kTraining) -
           seconds(dropout, library, RunMode::kInference);
  };
  const double scores = 4.0 * 2 * 16 * 16;
  CHECK(drawn("0.1", AttentionKernels::kCudnn) == doctest::Approx(scores / 3.8));
  CHECK(drawn("0", AttentionKernels::kCudnn) == doctest::Approx(0));
  CHECK(drawn("0.1", AttentionKernels::kFlash2) == doctest::Approx(0));
}

TEST_CASE("rows off 16 bytes are for older kernels, odd ones for older still") {
  KernelPlatform card = test::table_platform("V100");
  card.machine.peak[static_cast<std::size_t>(Dtype::kFloat16)].per_second *= 8;
  const auto seconds = [&](std::int64_t row_start, bool is_forward) {
    return linear_work_seconds({4096, 4096, 4096, 1, row_start, is_forward}, Dtype::kFloat16, card);
  };
  const double cycles = cycles_per_second(card.machine);
  const double flops = 2.0 * 4096 * 4096 * 4096;
  const auto rate = [&](std::int64_t row_start, bool is_forward) {
    return flops / seconds(row_start, is_forward) / cycles;
  };
  CHECK(rate(8, true) == doctest::Approx(1000).epsilon(0.15));
  CHECK(rate(2, false) == doctest::Approx(570).epsilon(0.15));
  CHECK(rate(2, true) == doctest::Approx(371).epsilon(0.15));
  CHECK(rate(16, true) > 1.5 * rate(8, true));
  const auto forward = [&](const char* units) {
    std::string text =
        network(R"({"name": "x", "shape": [4096, 512]})",
                R"({"name": "fc", "type": "linear", "units": )" + std::string(units) + "}");
    text.replace(text.find("float32"), 7, "float16");
    Bench made(text);
    made.platform = card;
    return made.seconds("fc", TaskKind::kForward);
  };
  CHECK(forward("2050") > 1.3 * forward("2048"));
  CHECK(forward("2049") > 1.3 * forward("2050"));
}

TEST_CASE("metrics of a training pass read the logits once more each") {
  Bench bench(network(R"({"name": "x", "shape": [16]})", R"(
    {"name": "fc", "type": "linear", "units": 50000, "bias": false},
    {"name": "loss", "type": "softmax_cross_entropy"})"));
  const double plain = bench.seconds("loss", TaskKind::kForward);
  const double logits = 4.0 * 4 * 50000;
  bench.platform.software.train_metrics = 3;
  CHECK(bench.seconds("loss", TaskKind::kForward) - plain == near(3 * bench.stream(5 * logits)));
}

TEST_CASE("software decides what activations, sums and norms cost") {
  Bench bench(network(kImage, R"(
    {"name": "norm", "type": "batch_norm"},
    {"name": "relu", "type": "relu"},
    {"name": "conv", "type": "conv", "filters": 16, "kernel": [1, 1], "bias": false},
    {"name": "sum", "type": "add", "inputs": ["conv", "relu"]})"));
  const double bytes = 4.0 * 4 * 16 * 8 * 8;
  const double norm = bench.seconds("norm", TaskKind::kForward);
  CHECK(bench.seconds("norm", TaskKind::kForward, RunMode::kInference) == near(norm * 2 / 3));
  CHECK(bench.seconds("relu", TaskKind::kForward) == near(bench.stream(2 * bytes)));
  CHECK(bench.seconds("sum", TaskKind::kForward) == near(bench.stream(3 * bytes)));
  {
    const KernelPricer pricer(bench.graph, bench.platform, 4);
    CHECK(pricer.gradient_sum_seconds(LayerId{1}) == near(bench.stream(3 * bytes)));
    CHECK(pricer.gradient_sum_seconds(LayerId{0}) == 0);
  }
  const double norm_update = bench.seconds("norm", TaskKind::kUpdate);
  const double conv_update = bench.seconds("conv", TaskKind::kUpdate);
  bench.platform.software.update_seconds = 150e-6;
  CHECK(bench.seconds("norm", TaskKind::kUpdate) == near(norm_update + 2 * 150e-6));
  CHECK(bench.seconds("conv", TaskKind::kUpdate) == near(conv_update + 150e-6));
  bench.platform.software.fusion = Fusion::kAll;
  CHECK(bench.seconds("relu", TaskKind::kForward) == 0);
  CHECK(bench.seconds("sum", TaskKind::kForward) == near(bench.stream(bytes)));
}
