// Convolution algorithms: which there are for which shape and type, and what they cost.
// The machine: 1 TFLOP/s, 100 GB/s, no launches, efficiency 1.
#include "model/base/errors.hpp"
#include "model/cost/compute_cost.hpp"
#include "model/cost/conv_algorithms.hpp"
#include "model/cost/transfer_cost.hpp"
#include "model/graph/build_training_graph.hpp"
#include "model/hardware/profile_json.hpp"
#include "model/network/network_json.hpp"
#include "tests/support/test.hpp"
#include "tests/support/tiny_specs.hpp"

namespace ooc::test {
namespace {

HardwareProfile machine() { return read_profile_text(tiny::machine(), "machine"); }

/// `channels` to as many, k x k, "same" padding.
ConvolutionShape square(std::int64_t channels, std::int64_t size, std::int64_t kernel) {
  const ConvolutionDim dim{.input = size, .output = size, .kernel = kernel, .padding = kernel - 1};
  return {.channels = channels, .filters = channels, .groups = 1, .dims = {dim, dim}};
}

/// As the native model counts it, float32.
ConvolutionTask task_of(const ConvolutionShape& shape, std::int64_t batch,
                        ConvolutionPass pass = ConvolutionPass::kForward,
                        Dtype dtype = Dtype::kFloat32) {
  const double taps = static_cast<double>(shape.dims[0].kernel * shape.dims[1].kernel);
  const double size = static_cast<double>(shape.dims[0].output * shape.dims[1].output);
  const double channels = static_cast<double>(shape.channels);
  const double samples = static_cast<double>(batch);
  const double flops = 2 * taps * channels * channels * size * samples;
  const double bytes = 4 * (2 * channels * size * samples + taps * channels * channels);
  return {.shape = shape,
          .pass = pass,
          .dtype = dtype,
          .batch = batch,
          .flops = flops,
          .bytes = bytes,
          .first_seconds = flops / 1e12};
}

std::string names(const std::vector<ConvolutionAlgorithm>& algorithms) {
  std::string text;
  for (const ConvolutionAlgorithm& algorithm : algorithms) {
    text += (text.empty() ? "" : " ") + std::string(algorithm_name(algorithm.algorithm));
  }
  return text;
}

double ns(const ConvolutionAlgorithm& algorithm) { return algorithm.seconds * 1e9; }

TEST_CASE("each pass has the algorithms that cuDNN has for it") {
  const HardwareProfile profile = machine();
  const ConvolutionShape shape = square(64, 32, 3);
  CHECK(names(modelled_algorithms(task_of(shape, 2), profile)) ==
        "implicit_gemm implicit_precomp_gemm gemm winograd_nonfused fft fft_tiling");
  CHECK(names(modelled_algorithms(task_of(shape, 2, ConvolutionPass::kBackwardData), profile)) ==
        "algo_0 algo_1 winograd_nonfused fft fft_tiling");
  CHECK(names(modelled_algorithms(task_of(shape, 2, ConvolutionPass::kBackwardWeights), profile)) ==
        "algo_0 algo_3 winograd_nonfused fft fft_tiling");
}

TEST_CASE("a profile's version of cuDNN says which algorithms there are") {
  HardwareProfile profile = machine();
  const ConvolutionShape shape = square(64, 32, 3);
  const auto algorithms = [&](int major, int minor, ConvolutionPass pass) {
    profile.cudnn = {major, minor};
    return names(modelled_algorithms(task_of(shape, 2, pass), profile));
  };
  CHECK(algorithms(2, 0, ConvolutionPass::kForward) == "implicit_gemm implicit_precomp_gemm gemm");
  CHECK(algorithms(3, 0, ConvolutionPass::kBackwardData) == "algo_0 algo_1 fft");
  CHECK(algorithms(4, 0, ConvolutionPass::kBackwardData) == "algo_0 algo_1 fft fft_tiling");
  CHECK(algorithms(5, 0, ConvolutionPass::kBackwardWeights) == "algo_0 algo_3 fft");
  CHECK(algorithms(5, 1, ConvolutionPass::kBackwardWeights) ==
        "algo_0 algo_3 winograd_nonfused fft");
  CHECK(algorithms(6, 0, ConvolutionPass::kBackwardWeights) ==
        "algo_0 algo_3 winograd_nonfused fft fft_tiling");
}

TEST_CASE("transforms want stride 1, their own kernels, and types they can be computed in") {
  HardwareProfile profile = machine();
  profile.peak[Dtype::kFloat16] = {1e12};
  profile.peak[Dtype::kBfloat16] = {1e12};
  const auto algorithms = [&](const ConvolutionShape& shape, Dtype dtype = Dtype::kFloat32) {
    return names(
        modelled_algorithms(task_of(shape, 2, ConvolutionPass::kBackwardData, dtype), profile));
  };
  CHECK(algorithms(square(8, 32, 5)) == "algo_0 algo_1 fft fft_tiling");
  CHECK(algorithms(square(8, 254, 3)) == "algo_0 algo_1 winograd_nonfused fft fft_tiling");
  CHECK(algorithms(square(8, 255, 3)) ==
        "algo_0 algo_1 winograd_nonfused fft_tiling");          // 257 > 256
  CHECK(algorithms(square(8, 64, 33)) == "algo_0 algo_1 fft");  // 33 > 32
  CHECK(algorithms(square(8, 32, 3), Dtype::kFloat16) == "algo_0 algo_1 winograd_nonfused");
  CHECK(algorithms(square(8, 32, 3), Dtype::kBfloat16) == "algo_0 algo_1");
  ConvolutionShape strided = square(8, 32, 3);
  strided.dims[1].stride = 2;
  CHECK(algorithms(strided) == "algo_0 algo_1");
  ConvolutionShape grouped = square(8, 32, 3);
  grouped.groups = 2;
  CHECK(algorithms(grouped) == "algo_0 algo_1");
  ConvolutionShape cube = square(8, 32, 3);
  cube.dims.push_back(cube.dims[0]);
  CHECK(algorithms(cube) == "algo_0 algo_1");
}

TEST_CASE("GEMM forms the matrix of the samples in flight, Winograd multiplies 2.25 times less") {
  const HardwareProfile profile = machine();
  const ConvolutionShape shape = square(64, 32, 3);
  const auto algorithms = modelled_algorithms(task_of(shape, 2), profile);
  // 2 x 9 x 64 x 64 x 1024 x 2 samples = 150,994,944 FLOP at 1 TFLOP/s.
  CHECK(ns(algorithms[0]) == doctest::Approx(150'994.944));
  CHECK(algorithms[1].workspace_bytes == 4 * (9 * 64 + 1024));
  // Matrix 4 x 9 x 64 x 1024 bytes a sample, 4096 / 1024 = 4 samples wanted, 2 there. Forming it:
  // (2,359,296 + 262,144) x 2 / 100 GB/s = 52,428.8 ns; then the product.
  CHECK(algorithms[2].workspace_bytes == 2 * 2'359'296);
  CHECK(ns(algorithms[2]) == doctest::Approx(52'428.8 + 150'994.944));
  // 256 tiles a sample, 512 in all, 64 bytes each and channel: in and out 2,097,152, filters 64 x
  // 4096 = 262,144. Filters: 409,600 B = 4,096 ns; in and out: 2,621,440 B = 26,214.4 ns each;
  // product: 2 x 16 x 512 x 4096 FLOP at 0.9 TFLOP/s = 74,565.4 ns.
  CHECK(algorithms[3].workspace_bytes == 2 * 2'097'152 + 262'144);
  CHECK(ns(algorithms[3]) == doctest::Approx(4'096 + 2 * 26'214.4 + 67'108.864 / 0.9));
}

TEST_CASE("an FFT multiplies whole spectra and needs room for three of them") {
  const HardwareProfile profile = machine();
  const ConvolutionShape shape = square(64, 28, 5);
  const auto algorithms = modelled_algorithms(task_of(shape, 64), profile);
  REQUIRE(algorithms[3].algorithm == Algorithm::kFft);
  // 28 + 4 = 32: 32 x 17 points of 8 bytes = 4,352 bytes a plane; 64 x 64 planes thrice.
  CHECK(algorithms[3].workspace_bytes == 3 * 4'352 * 4'096);
  // Of twice as many samples: all at once, two of the three are twice as large.
  CHECK(modelled_algorithms(task_of(shape, 128), profile)[3].workspace_bytes == 5 * 4'352 * 4'096);
  // Spectra are written, and read and written once more to transpose them: 3 x 17,825,792 B. Filters:
  // 409,600 B more = 538,869.76 ns, longer than 4096 transforms of 2.5 x 1024 x 10 FLOP at 0.5
  // TFLOP/s. In and out: 12,845,056 B more = 663,224.32 ns each. 8 x 544 x 64 x 4096 FLOP; the rate
  // is 1.1 of the direct method's, but no more than the peak.
  CHECK(ns(algorithms[3]) == doctest::Approx(538'869.76 + 2 * 663'224.32 + 1'140'850.688));
  CHECK(algorithms[4].seconds ==
        doctest::Approx(algorithms[3].seconds));  // one tile is the whole map
}

TEST_CASE("a profile may state an algorithm's efficiency") {
  HardwareProfile profile = machine();
  const ConvolutionShape shape = square(64, 28, 5);
  const double before = ns(modelled_algorithms(task_of(shape, 64), profile)[3]);
  profile.efficiency["conv_fft"] = {{{1.0, 0.5}}};
  // Products half as fast, and the transforms, but memory binds these still.
  CHECK(ns(modelled_algorithms(task_of(shape, 64), profile)[3]) ==
        doctest::Approx(before + 1'140'850.688));
}

TEST_CASE("of the algorithms those stay that are faster than all with less workspace") {
  const HardwareProfile profile = machine();
  const ConvolutionShape small = square(64, 32, 3);
  CHECK(names(useful_algorithms(modelled_algorithms(task_of(small, 2), profile))) ==
        "implicit_gemm winograd_nonfused");
  const ConvolutionShape large = square(64, 28, 5);
  const auto algorithms = useful_algorithms(modelled_algorithms(task_of(large, 64), profile));
  for (std::size_t i = 1; i < algorithms.size(); ++i) {
    CHECK(algorithms[i].workspace_bytes > algorithms[i - 1].workspace_bytes);
    CHECK(algorithms[i].seconds < algorithms[i - 1].seconds);
  }
}

const std::string kConv =
    R"({"name": "conv", "type": "conv", "filters": 64, "kernel": [3, 3], "padding": 1, "bias": false})";

TEST_CASE("the first alternative has no workspace, and PALEO and stated times have no other") {
  const Network network = read_network_text(tiny::network(kConv, "[64, 32, 32]"), "tiny");
  const TrainingGraph graph = build_training_graph(network);
  const HardwareProfile profile = machine();
  const CostTable costs = estimate_compute(graph, profile, {.batch = 2, .layer_times = {}});
  const TaskId forward{0};
  REQUIRE(costs.alternatives_of(forward).size() == 2);
  CHECK(costs[costs.alternative(forward, AlgorithmChoice::kMemory)].workspace == Bytes(0));
  CHECK(costs[costs.alternative(forward, AlgorithmChoice::kPerformance)].time == Duration(131'090));
  const CostTable paleo = estimate_compute(
      graph, profile, {.model = ComputeModel::kPaleo, .batch = 2, .layer_times = {}});
  CHECK(paleo.alternatives_of(forward).size() == 1);
  const LayerTime stated{.layer = LayerId{0}, .forward = Duration(7), .backward = Duration(9)};
  const CostTable given = estimate_compute(graph, profile, {.batch = 2, .layer_times = {stated}});
  REQUIRE(given.alternatives_of(forward).size() == 1);
  CHECK(given.alternatives_of(forward)[0].time == Duration(7));
}

// Copy times: eq. (5), its overrides, and measured curves.

TransferCosts costs(const TransferOptions& options,
                    const std::vector<Bytes>& sizes = {Bytes(1'000'000)}) {
  return estimate_transfers(sizes, read_profile_text(tiny::machine(), "machine"), options);
}

TEST_CASE("both directions together move no more than far memory does") {
  const BytesPerSecond link(10'000'000'000);
  const auto duplex_at = [&](std::int64_t far, std::optional<Ratio> duplex) {
    return costs({.link = link, .far_throughput = BytesPerSecond(far), .duplex = duplex}).duplex;
  };
  CHECK(duplex_at(20'000'000'000, kOne).full());
  CHECK(duplex_at(15'000'000'000, kOne) == Duplex(Ratio(750'000'000)));
  CHECK(duplex_at(15'000'000'000, Ratio(700'000'000)) == Duplex(Ratio(700'000'000)));
  CHECK(duplex_at(4'000'000'000, kOne) == Duplex(Ratio(500'000'000)));
}

TEST_CASE("a straight line adds three latencies and takes the smallest of three rates") {
  const TransferCosts it = costs({});
  // 2 + 3 + 1 us; 1 MB at min(20, 10, 100) GB/s = 100 us, out at 5 GB/s = 200 us.
  CHECK(it.to_near[0].latency == Duration(6'000));
  CHECK(it.to_near[0].rate == BytesPerSecond(10'000'000'000));
  CHECK(it.to_near[0].alone == Duration(106'000));
  CHECK(it.to_far[0].alone == Duration(206'000));
  CHECK(it.limited_by == "connection");
}

TEST_CASE("a faster link is limited by the far memory, and the result says so") {
  const TransferCosts it = costs({.link = BytesPerSecond(50'000'000'000)});
  CHECK(it.to_near[0].rate == BytesPerSecond(20'000'000'000));
  CHECK(it.to_far[0].rate == BytesPerSecond(20'000'000'000));
  CHECK(it.limited_by == "far memory");
  const TransferCosts near =
      costs({.link = kInfiniteRate, .far_throughput = BytesPerSecond(200'000'000'000)});
  CHECK(near.to_near[0].rate == BytesPerSecond(100'000'000'000));
  CHECK(near.limited_by == "near memory");
}

TEST_CASE("a direction may have a link of its own, before that of both") {
  const TransferCosts out = costs({.link_to_far = BytesPerSecond(1'000'000'000)});
  CHECK(out.to_far[0].rate == BytesPerSecond(1'000'000'000));
  CHECK(out.to_near[0].rate == BytesPerSecond(10'000'000'000));
  const TransferCosts in =
      costs({.link = BytesPerSecond(2'000'000'000), .link_to_near = BytesPerSecond(4'000'000'000)});
  CHECK(in.to_far[0].rate == BytesPerSecond(2'000'000'000));
  CHECK(in.to_near[0].rate == BytesPerSecond(4'000'000'000));
  // Of a curve, whose peak is 10 GB/s: 10 us + 200 us.
  const TransferCosts curve =
      costs({.mode = CopyMode::kPageable, .link_to_near = BytesPerSecond(5'000'000'000)});
  CHECK(curve.to_near[0].alone == Duration(210'000));
}

TEST_CASE("one of several sharers gets an equal share of the connection, and of far memory") {
  // In 10 GB/s and out 5 GB/s, for four; latency has no share.
  const TransferCosts it = costs({.sharers = 4});
  CHECK(it.to_near[0].rate == BytesPerSecond(2'500'000'000));
  CHECK(it.to_far[0].rate == BytesPerSecond(1'250'000'000));
  CHECK(it.to_near[0].latency == Duration(6'000));
  CHECK(it.to_near_peak == BytesPerSecond(2'500'000'000));
  // Four that share far memory's 20 GB/s, each with a connection of 10 GB/s; or two pairs that share one.
  const TransferOptions four{.far_throughput = BytesPerSecond(20'000'000'000), .host_sharers = 4};
  CHECK(costs(four).to_near[0].rate == BytesPerSecond(5'000'000'000));
  TransferOptions pairs = four;
  pairs.sharers = 2;
  CHECK(costs(pairs).to_far[0].rate == BytesPerSecond(2'500'000'000));
  CHECK(costs(pairs).to_near[0].rate == BytesPerSecond(5'000'000'000));
  // Near memory is each device's own: of 300 GB/s together one of two gets 100, not 150.
  const TransferCosts near = costs(
      {.link = BytesPerSecond(300'000'000'000), .far_throughput = kInfiniteRate, .sharers = 2});
  CHECK(near.to_near[0].rate == BytesPerSecond(100'000'000'000));
  // A curve's copies likewise; those of the smallest size are all latency.
  const TransferCosts curve =
      costs({.mode = CopyMode::kPageable, .sharers = 2}, {Bytes(1'000), Bytes(1'000'000)});
  CHECK(curve.to_near[0].alone == Duration(10'000));
  CHECK(curve.to_near[1].rate == BytesPerSecond(5'000'000'000));
  const TransferCosts host = costs({.mode = CopyMode::kPageable,
                                    .far_throughput = BytesPerSecond(8'000'000'000),
                                    .host_sharers = 4},
                                   {Bytes(1'000'000)});
  CHECK(host.to_near[0].rate == BytesPerSecond(2'000'000'000));
}

TEST_CASE("the latency override replaces the connection's share only") {
  CHECK(costs({.latency = Duration(0)}).to_near[0].latency == Duration(3'000));
}

TEST_CASE("memory that is pinned for every copy out is part of its latency") {
  const TransferCosts it = costs({.pinning = Duration(50'000)});
  CHECK(it.pinning == Duration(50'000));
  CHECK(it.to_far[0].latency == Duration(6'000 + 50'000));
  CHECK(it.to_far[0].alone == Duration(206'000 + 50'000));
  CHECK(it.to_near[0].alone == Duration(106'000));
  // Pageable memory is not pinned.
  const TransferCosts pageable =
      costs({.mode = CopyMode::kPageable, .pinning = Duration(50'000)}, {Bytes(1'000)});
  CHECK(pageable.pinning == Duration(0));
  CHECK(pageable.to_far[0].alone ==
        costs({.mode = CopyMode::kPageable}, {Bytes(1'000)}).to_far[0].alone);
}

TEST_CASE("the what-if scale doubles the connection") {
  CHECK(costs({.link_scale = Ratio(2'000'000'000)}).to_far[0].rate ==
        BytesPerSecond(10'000'000'000));
}

TEST_CASE("a curve's latency is its smallest time, and copies alone take the curve's time") {
  const TransferCosts it = costs({.mode = CopyMode::kPageable},
                                 {Bytes(1'000), Bytes(1'000'000), Bytes(10'000'000), Bytes(500)});
  CHECK(it.to_near[0].alone == Duration(10'000));
  CHECK(it.to_near[1].alone == Duration(110'000));
  CHECK(it.to_near[1].latency == Duration(10'000));
  // (110 - 10) us for 1 MB = 10 GB/s.
  CHECK(it.to_near[1].rate == BytesPerSecond(10'000'000'000));
  CHECK(it.to_near[2].alone == Duration(1'010'000));
  // Below the smallest size: the first slope in log-log, log(110/10)/log(1000) = 0.3471; 10 us x
  // 0.5^0.3471 = 7.861 us.
  CHECK(it.to_near[3].alone == Duration(7'861));
}

TEST_CASE("a link override scales a curve's rates and keeps its latency") {
  const TransferCosts it = costs(
      {.mode = CopyMode::kPageable, .link = BytesPerSecond(5'000'000'000)}, {Bytes(1'000'000)});
  // Peak of the curve 10 GB/s -> 5 GB/s: 10 us + 200 us.
  CHECK(it.to_near[0].latency == Duration(10'000));
  CHECK(it.to_near[0].alone == Duration(210'000));
}

TEST_CASE("a mode that the profile lacks is named, with those it has") {
  CHECK_THROWS_WITH_AS(
      costs({.mode = CopyMode::kUnifiedFault}),
      "machine: /connection/modes/unified_fault: found nothing, expected a transfer mode "
      "\"unified_fault\" (the profile has \"pageable\", \"pinned\")",
      SpecError);
}

TEST_CASE("a link so slow that a copy leaves the limit on times is refused, not capped") {
  // 1 MB at 1 B/s is 1e15 ns, below 2^52 = 4.5e15; 5 MB is 5e15.
  CHECK(costs({.link = BytesPerSecond(1)}).to_near[0].alone == Duration(1'000'000'000'006'000));
  CHECK_THROWS_AS(costs({.link = BytesPerSecond(1)}, {Bytes(5'000'000)}), SpecError);
}

}  // namespace
}  // namespace ooc::test
