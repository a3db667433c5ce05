// Statistics and transfer fits on times small enough to redo by hand.
#include "calibrate/fit/transfer_fit.hpp"
#include "calibrate/session/analyse.hpp"
#include "calibrate/session/samples.hpp"
#include "model/base/errors.hpp"
#include "tests/support/synthetic_samples.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

SizedTimes exactly(std::int64_t bytes, double ns) { return {Bytes(bytes), {ns, ns, ns}}; }

/// latency 1000 ns, 2 ns a byte, sizes 100, 1000 ... 1,000,000
std::vector<SizedTimes> straight_times() {
  std::vector<SizedTimes> sizes;
  for (std::int64_t bytes = 100; bytes <= 1'000'000; bytes *= 10) {
    sizes.push_back(exactly(bytes, 1000 + 2 * static_cast<double>(bytes)));
  }
  return sizes;
}

TEST_CASE("the median of an even number of values lies between the two in the middle") {
  CHECK(median_of({5, 1, 3}) == 3);
  CHECK(median_of({4, 1, 3, 2}) == 2.5);
  CHECK(median_of({7}) == 7);
}

TEST_CASE("an outlier is more than 5 MAD and more than 5 percent from the median") {
  // Median 100, distances 0 1 1 2 2 3 50, MAD 2: 150 is 25 MAD and 50 % away.
  const Summary summary = summarize_times({98, 99, 100, 101, 102, 103, 150});
  CHECK(summary.outliers == std::vector<double>{150});
  CHECK(summary.count == 7);
  CHECK(summary.median == 100.5);  // of 98 99 100 101 102 103
  // Far in MADs but within 5 %: the steps of a timer.
  CHECK(summarize_times({100, 100, 100, 100, 104}).outliers.empty());
  // Beyond 5 % but within 5 MAD: ordinary spread. Median 100, distances 0 10 10 20 20, MAD 10.
  CHECK(summarize_times({80, 90, 100, 110, 120}).outliers.empty());
}

TEST_CASE("the error of a median shrinks with the root of the repetitions") {
  // Median 100, MAD 1: 1.2533 * 1.4826 * 1 / sqrt(n) / 100.
  const std::vector<double> five{98, 99, 100, 101, 102};
  CHECK(relative_median_error(summarize_times(five)) ==
        doctest::Approx(1.2533 * 1.4826 / std::sqrt(5.0) / 100));
  CHECK(relative_median_error(summarize_times({3, 3, 3})) == 0);
}

TEST_CASE("a straight line is found exactly and kept as latency and rate") {
  const TransferFit fit = fit_transfer(straight_times());
  CHECK(fit.line.latency_ns == doctest::Approx(1000));
  CHECK(fit.line.ns_per_byte == doctest::Approx(2));
  REQUIRE_FALSE(fit.is_curve());
  const auto& line = std::get<StraightLine>(fit.kept);
  CHECK(line.latency == Duration(1000));
  CHECK(line.throughput == BytesPerSecond(500'000'000));  // 1e9 / 2
  CHECK(fit.worst_residual() < 1e-9);
  CHECK(fit.sizes.size() == 5);
}

TEST_CASE("samples of one size from two sessions are taken together") {
  std::vector<SizedTimes> sizes = straight_times();
  sizes.push_back(exactly(100, 1200));  // as the first: 1000 + 2 * 100
  const TransferFit fit = fit_transfer(sizes);
  CHECK(fit.sizes.size() == 5);
  CHECK(fit.sizes.front().times.count == 6);
  CHECK(fit.samples() == 18);
}

TEST_CASE("small and large sizes count alike in a line") {
  // One of 21 sizes is 10 % too slow. The miss is found at that size whether it is small or large.
  for (const std::size_t wrong : {std::size_t{0}, std::size_t{20}}) {
    std::vector<SizedTimes> sizes;
    for (std::int64_t bytes = 1; bytes <= 1 << 20; bytes *= 2) {
      sizes.push_back(exactly(bytes, 1000 + 2 * static_cast<double>(bytes)));
    }
    for (double& ns : sizes[wrong].times_ns) ns *= 1.1;
    const TransferFit fit = fit_transfer(sizes);
    CHECK(fit.sizes[wrong].line_residual < -0.05);
    CHECK(fit.is_curve());
  }
}

TEST_CASE("a curve is kept where the line misses a size by more than 3 percent") {
  std::vector<SizedTimes> sizes = straight_times();
  for (double& ns : sizes[2].times_ns) ns *= 1.2;
  const TransferFit fit = fit_transfer(sizes);
  REQUIRE(fit.is_curve());
  CHECK(fit.worst_residual() <= kThinningTolerance + 1e-6);
  CHECK(time_of(fit.kept, Bytes(10'000)) == doctest::Approx(21'000 * 1.2));
}

TEST_CASE("what the scatter of a median explains does not make a curve") {
  std::vector<SizedTimes> sizes = straight_times();
  // 8 % off, but its repetitions lie 10 % around it: error 1.2533 * 1.4826 * 10 % / sqrt(5) = 8 %.
  const double centre = 21'000 * 1.08;
  sizes[2].times_ns = {centre * 0.8, centre * 0.9, centre, centre * 1.1, centre * 1.2};
  CHECK_FALSE(fit_transfer(sizes).is_curve());
  sizes[2].times_ns = {centre, centre, centre, centre, centre};
  CHECK(fit_transfer(sizes).is_curve());
}

TEST_CASE("a latency below nothing becomes nothing") {
  // 90 ns for 100 bytes, 1000 ns for 1000: the line would begin at -11 ns.
  const FittedLine line = fit_line({{100, 90, 0}, {1000, 1000, 0}});
  CHECK(line.latency_ns == 0);
  CHECK(line.ns_per_byte > 0.89);
  CHECK(line.ns_per_byte < 1.01);
}

TEST_CASE("a single size is a line through the origin") {
  const TransferFit fit = fit_transfer({exactly(1000, 500)});
  CHECK(fit.line.latency_ns == 0);
  CHECK(fit.line.ns_per_byte == doctest::Approx(0.5));
  CHECK_FALSE(fit.is_curve());
}

TEST_CASE("a curve that noise makes fall is levelled") {
  const SizeCurve curve = fit_size_curve({{1000, 100, 0}, {2000, 90, 0}, {4000, 400, 0}});
  REQUIRE(curve.points.size() >= 2);
  for (std::size_t i = 1; i < curve.points.size(); ++i) {
    CHECK(curve.points[i].second >= curve.points[i - 1].second);
    CHECK(curve.points[i].first > curve.points[i - 1].first);
  }
  // sqrt(100 * 90) = 94.9
  CHECK(curve.points.front().second == Duration(95));
}

TEST_CASE("points on a straight stretch of the curve are left out, the knee stays") {
  // Flat up to 4000, proportional from there: the knee is the only point needed between the ends.
  const SizeCurve curve = fit_size_curve(
      {{1000, 100, 0}, {2000, 100, 0}, {4000, 100, 0}, {8000, 200, 0}, {16000, 400, 0}});
  REQUIRE(curve.points.size() == 3);
  CHECK(curve.points[1].first == Bytes(4000));
}

TEST_CASE("fault groups are told from moving the bytes, with the page that fits") {
  // 10 us to begin, 25 us for each 64 KiB, 0.1 ns a byte.
  const auto time = [](double bytes) {
    return 10'000 + std::ceil(bytes / 65536) * 25'000 + 0.1 * bytes;
  };
  std::vector<LinePoint> points;
  for (int i = 12; i <= 26; ++i) points.push_back({std::ldexp(1, i), time(std::ldexp(1, i)), 0});
  const FaultFit fit = fit_faults(points, 0.1);
  CHECK(fit.page == Bytes(65536));
  CHECK(fit.fault_ns == doctest::Approx(25'000));
  CHECK(fit.latency_ns == doctest::Approx(10'000));
  CHECK(fit.median_residual < 1e-6);
}

TEST_CASE("faulting that is as fast as a prefetch has no cost of faults") {
  std::vector<LinePoint> points;
  for (int i = 12; i <= 26; ++i) points.push_back({std::ldexp(1, i), 5000 + std::ldexp(1, i), 0});
  const FaultFit fit = fit_faults(points, 2);  // the prefetch is slower: 2 ns a byte
  CHECK(fit.ns_per_byte == doctest::Approx(1));
  CHECK(fit.fault_ns < 100);
  CHECK(fit.median_residual < 0.01);
}

TEST_CASE("duplex is the sum of both rates together against alone") {
  // Alone 100 and 100 ns, together 125 and 125: 0.8. A second size at 0.7, a third at 0.9.
  const std::vector<DuplexTimes> sizes{
      {100, 100, 125, 125}, {70, 70, 100, 100}, {90, 90, 100, 100}};
  CHECK(duplex_shares(sizes)->to_near == doctest::Approx(0.8));
  CHECK(duplex_shares(sizes)->alike());
  CHECK_FALSE(duplex_shares({}).has_value());
  CHECK(duplex_shares({DuplexTimes{100, 100, 99, 99}})->to_far == 1);  // noise
  // 0.8 and 0.77 could be noise: together (1/125 + 1/130) / (1/100 + 1/100) = 0.785.
  const auto near_enough = duplex_shares({DuplexTimes{100, 100, 125, 130}});
  CHECK(near_enough->alike());
  CHECK(near_enough->to_near == doctest::Approx(0.7846).epsilon(0.001));
}

TEST_CASE("directions that keep different shares are told apart") {
  // To near 100 ns alone and 200 beside the other one: 0.5; to far 96 and 100: 0.96. Medians of three.
  const auto shares =
      duplex_shares({{100, 96, 200, 100}, {100, 90, 250, 100}, {60, 100, 100, 100}});
  REQUIRE(shares.has_value());
  CHECK(shares->to_near == doctest::Approx(0.5));
  CHECK(shares->to_far == doctest::Approx(0.96));
}

TEST_CASE("a link that is slower than its generation and width allow is pointed out") {
  // 32 GT/s * 16 lanes * 128/130 / 8 = 63.015 GB/s; 0.87 of it is 54.8.
  const auto expected = expected_pcie(5, 16);
  REQUIRE(expected.has_value());
  CHECK(expected->theoretical == BytesPerSecond(63'015'384'615));
  CHECK(compare_with_expectation(5, 16, BytesPerSecond(14'000'000'000)) ==
        "x16 Gen5 expects ~55 GB/s, measured 14: check width, NUMA, IOMMU");
  CHECK(compare_with_expectation(5, 16, BytesPerSecond(55'600'000'000)) ==
        "x16 Gen5 expects ~55 GB/s, measured 55.6");
  CHECK(has(compare_with_expectation(3, 16, BytesPerSecond(60'000'000'000)), "more than"));
  CHECK_FALSE(expected_pcie(5, 3).has_value());
  CHECK_FALSE(expected_pcie(9, 16).has_value());
}

// Records of ooc-paleo-gpu as samples, and what is none.

const std::string kHello =
    R"({"record":"hello","format":"ooc-paleo/bench","version":1,"program":"ooc-paleo-gpu 0.2.0","backend":"cuda","effort":"full","date":"2025-01-31"})"
    "\n";
const std::string kMachine =
    R"({"record":"machine","device_name":"NVIDIA H200","memory_total_bytes":150000000000})"
    "\n";
const std::string kRequest = R"("request":"copy bytes=4096 direction=to_near mode=pinned")";

std::string answered(const std::string& ns) {
  return R"({"record":"begin",)" + kRequest +
         R"(,"limit_s":20})"
         "\n" +
         R"({"record":"samples",)" + kRequest + R"(,"metric":"time","ns":)" + ns + "}\n" +
         R"({"record":"done",)" + kRequest +
         R"(,"verified":1})"
         "\n";
}

std::string refusal(const std::string& text) {
  return message_of([&] { return read_samples(text, "f"); });
}

TEST_CASE("records become samples by request") {
  const SampleSet set = read_samples(kHello + kMachine + answered("[8163.8,8200]"), "f");
  CHECK(set.date == "2025-01-31");
  CHECK(set.effort == "full");
  CHECK(set.program == "ooc-paleo-gpu 0.2.0");
  CHECK(find_integer(set.machine, "memory_total_bytes") == 150'000'000'000);
  REQUIRE(set.groups.size() == 1);
  CHECK(find_value(set.groups[0].request, "what") == "copy");
  CHECK(find_value(set.groups[0].request, "mode") == "pinned");
  CHECK(request_text(set.groups[0].request) == "copy bytes=4096 direction=to_near mode=pinned");
  CHECK(set.groups[0].times("time") == std::vector<double>{8163.8, 8200});
}

TEST_CASE("a request that was measured again counts once, with its later answer") {
  const SampleSet set =
      read_samples(kHello + kMachine + answered("[1,2]") + kHello + answered("[3]"), "f");
  REQUIRE(set.groups.size() == 1);
  CHECK(set.groups[0].times("time") == std::vector<double>{3});
}

TEST_CASE("what ended the program is an error of its request, half a line at the end is nothing") {
  const std::string text = kHello + kMachine + R"({"record":"begin",)" + kRequest +
                           R"(,"limit_s":20})"
                           "\n" +
                           R"({"record":"error",)" + kRequest +
                           R"(,"text":"ended the program by signal 9"})"
                           "\n" +
                           R"({"record":"samp)";
  const SampleSet set = read_samples(text, "f");
  REQUIRE(set.groups.size() == 1);
  CHECK(set.groups[0].error == "ended the program by signal 9");
}

TEST_CASE("clocks are counted, idle readings are no throttling") {
  const std::string clocks =
      R"({"record":"clocks","sm_mhz":1980,"power_mw":500000,"throttle_reasons":4})"
      "\n"
      R"({"record":"clocks","sm_mhz":345,"power_mw":70000,"throttle_reasons":1})"
      "\n";
  const SampleSet set = read_samples(kHello + clocks, "f");
  CHECK(set.clocks.sm_mhz == std::vector<double>{1980, 345});
  CHECK(set.clocks.power_w == std::vector<double>{500, 70});
  CHECK(set.clocks.throttled == 1);
}

TEST_CASE(
    "what is no record, no time, of another version or of two machines is refused with its line") {
  CHECK(has(refusal(""), "no records"));
  CHECK(has(refusal("hello protocol=1\n"), "f: line 1"));
  CHECK(has(refusal(R"({"record":"hello","format":"ooc-paleo/bench","version":2})"
                    "\n"),
            "version 1"));
  CHECK(has(refusal(kMachine), "a greeting of ooc-paleo-gpu"));
  CHECK(has(refusal(kHello + answered("[-1]")), "f: line 3, /ns/0"));
  CHECK(has(refusal(kHello + answered("[1e300]")), "a time in ns"));
  CHECK(has(refusal(kHello + R"({"record":{}})"
                             "\n"),
            "line 2, /record"));
  const std::string other = R"({"record":"machine","device_name":"NVIDIA A100"})"
                            "\n";
  CHECK(has(refusal(kHello + kMachine + other), "line 3: found samples of another machine"));
}

// The law behind a measured profile: a machine with known parameters, measured with 5 % noise and 2 %
// outliers, gives those parameters back within 1 %, whatever the seed.

int cases() {
  const char* wanted = std::getenv("OOC_PROPERTY_CASES");
  return wanted == nullptr ? 25 : std::max(1, std::atoi(wanted) / 8);  // dearer than other cases
}

/// Machines differ with the seed: latencies from 4 to 60 us, rates from 4 to 60 GB/s. The knee (latency
/// x rate) is then at 16 kB or above; with one below 4 KiB no size would show the latency.
SyntheticMachine machine_of(unsigned long long seed) {
  SyntheticMachine machine = usual_synthetic_machine();
  machine.seed = seed;
  machine.noise = 0.05;
  machine.outliers = 0.02;
  machine.repetitions = 200;
  const double latency = 4000 * std::pow(15.0, static_cast<double>(seed % 7) / 6);
  const double rate = 4e9 * std::pow(15.0, static_cast<double>(seed % 5) / 4);
  machine.modes.resize(1);  // pinned: each mode is fitted alike
  machine.modes[0].to_near = {latency, rate};
  machine.modes[0].to_far = {latency * 1.3, rate * 1.1};
  machine.duplex = 0.7 + 0.04 * static_cast<double>(seed % 8);
  // Every third one loses more of what it copies to near.
  machine.duplex_to_far = seed % 3 == 0 ? 0.95 : machine.duplex;
  if (seed % 3 == 0) machine.duplex -= 0.2;
  return machine;
}

double off(double found, double truth) { return std::abs(found / truth - 1); }

TEST_CASE("5 percent of noise and 2 percent of outliers leave the parameters within 1 percent") {
  for (int seed = 1; seed <= cases(); ++seed) {
    CAPTURE(seed);
    const SyntheticMachine truth = machine_of(static_cast<unsigned long long>(seed));
    const Calibration found = analyse(synthetic_samples(truth));
    for (const char* direction : kDirections) {
      CAPTURE(direction);
      const auto& wanted =
          std::string(direction) == "to_near" ? truth.modes[0].to_near : truth.modes[0].to_far;
      const TransferFit* fit = found.copy("pinned", direction);
      REQUIRE(fit != nullptr);
      CHECK(off(fit->line.latency_ns, wanted.latency_ns) < 0.01);
      CHECK(off(1e9 / fit->line.ns_per_byte, wanted.bytes_per_s) < 0.01);
      CHECK_FALSE(fit->is_curve());
      CHECK(fit->outliers() > 0);
    }
    REQUIRE(found.duplex.has_value());
    CHECK(off(found.duplex->to_near, truth.duplex) < 0.025);  // few sizes
    CHECK(off(found.duplex->to_far, truth.duplex_to_far) < 0.025);
    CHECK(found.duplex->alike() == (truth.duplex == truth.duplex_to_far));
    CHECK(off(*found.launch.time_ns, truth.launch_ns) < 0.02);
  }
}

}  // namespace
}  // namespace ooc::test
