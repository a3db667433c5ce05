// ooc-paleo-gpu by itself, on its fake device: what it measures is what the device was told, and nothing that happens to it
// costs more than the request that it happened in.
#include "calibrate/session/analyse.hpp"
#include "tests/cli/calibrate_support.hpp"
#include "tests/support/test.hpp"

using namespace ooc;
using namespace ooc::test;

namespace {

using Environment = std::vector<std::pair<std::string, std::string>>;

Ran bench(const ScratchFolder& folder, Words words, const std::string& stub = kSmallStub,
          Environment environment = {}) {
  words.insert(words.begin(), OOC_GPU_STUB);
  environment.emplace_back("OOC_STUB", stub);
  return run_program(words, {.folder = folder.path(), .environment = environment});
}

std::vector<BenchRecord> records_of(const std::string& text, const std::string& kind) {
  std::vector<BenchRecord> found;
  read_records(text, "bench", [&](const BenchRecord& record) {
    if (record.kind == kind) found.push_back(record);
  });
  return found;
}

std::size_t count(const std::string& text, const std::string& kind) {
  return records_of(text, kind).size();
}

}  // namespace

TEST_CASE("everything is measured, and comes out as the device was told") {
  const ScratchFolder folder;
  const Ran ran = bench(folder, {},
                        kSmallStub +
                            ",to_near_rate=20e9,to_near_latency_ns=10000,duplex=0.8,"
                            "near_rate=5e11,copy_slowdown=0.7,kernel_slowdown=0.6");
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  CHECK(count(ran.out, "error") == 0);
  const Calibration found = analyse(read_samples(ran.out, "bench"));
  for (const char* mode : kCopyModes) CHECK(found.copy(mode, "to_near") != nullptr);
  const FittedLine& line = found.copy("pinned", "to_near")->line;
  CHECK(line.latency_ns == doctest::Approx(10'000).epsilon(0.02));
  CHECK(1e9 / line.ns_per_byte == doctest::Approx(20e9).epsilon(0.01));
  CHECK(found.duplex->to_near == doctest::Approx(0.8).epsilon(0.01));
  CHECK(found.near_rate == doctest::Approx(5e11).epsilon(0.02));
  CHECK(found.sustained.front().rate == doctest::Approx(20e9).epsilon(0.01));
  CHECK(*found.launch.time_ns == doctest::Approx(1500).epsilon(0.01));
  for (const InterferenceFit& each : found.interference) {
    const bool memory = each.kernel == "memory";
    CHECK(each.copy_share == doctest::Approx(memory ? 0.7 : 1).epsilon(0.05));
    CHECK(each.kernel_share == doctest::Approx(memory ? 0.6 : 1).epsilon(0.05));
  }
}

TEST_CASE("a direction three times as fast as the other is covered while both are timed") {
  const ScratchFolder folder;
  const Ran ran = bench(folder, {"--only", "pinned"},
                        kSmallStub + ",to_near_rate=90e9,to_far_rate=30e9,duplex=0.5");
  const Calibration found = analyse(read_samples(ran.out, "bench"));
  CHECK(found.duplex->to_near == doctest::Approx(0.5).epsilon(0.02));
  CHECK(found.duplex->to_far == doctest::Approx(0.5).epsilon(0.02));
}

TEST_CASE("a copy that arrives wrong is an error and gives no samples") {
  const ScratchFolder folder;
  const Ran ran = bench(folder, {"--only", "pageable"}, kSmallStub,
                        {{"OOC_STUB_CORRUPT", "cudaMemcpyAsync:9"}});
  const auto errors = records_of(ran.out, "error");
  // The last repetition of the same request may have put it right again.
  for (const BenchRecord& error : errors) {
    CHECK(has(*find_value(error.values, "text"), "the copied data are wrong"));
    for (const BenchRecord& samples : records_of(ran.out, "samples")) {
      CHECK(samples.request != error.request);
    }
  }
}

TEST_CASE(
    "a request that kills, hangs or breaks the device costs itself, and the others are measured") {
  const ScratchFolder folder;
  const std::size_t all = count(bench(folder, {"--only", "unified"}).out, "done");
  REQUIRE(all > 20);
  const auto check = [&](const Environment& environment, const std::string& says) {
    const Ran ran = bench(folder, {"--only", "unified", "--limit", "0.5"}, kSmallStub, environment);
    CAPTURE(says);
    CHECK(ran.exit_code == 0);
    const auto errors = records_of(ran.out, "error");
    REQUIRE_FALSE(errors.empty());
    CHECK(has(*find_value(errors.front().values, "text"), says));
    CHECK(count(ran.out, "done") + errors.size() == all);
    CHECK(count(ran.out, "done") > 0);
  };
  check({{"OOC_STUB_DIE", "cudaMemPrefetchAsync:150"}}, "ended the program by signal 9");
  check({{"OOC_STUB_FAIL", "cudaMemPrefetchAsync:150:700"}}, "illegal memory access");
  check({{"OOC_STUB_FAIL", "cudaMemPrefetchAsync:150"}}, "out of memory");
}

TEST_CASE("a request that hangs is given up after its time limit") {
  const ScratchFolder folder;
  const Ran ran = bench(folder, {"--only", "unified", "--limit", "0.2", "--within", "4"},
                        kSmallStub, {{"OOC_STUB_HANG", "cudaMemPrefetchAsync:400"}});
  const auto errors = records_of(ran.out, "error");
  REQUIRE_FALSE(errors.empty());
  CHECK(has(*find_value(errors.front().values, "text"), "did not answer for"));
  CHECK(count(ran.out, "done") > 0);
}

TEST_CASE(
    "a file that is appended to is gone on with: answered requests are left, a culprit comes last, "
    "then never") {
  const ScratchFolder folder;
  const Ran first = bench(folder, {"--only", "costs", "--output", "log"});
  REQUIRE(first.exit_code == 0);
  const std::string log = folder.read("log");
  const auto done = records_of(log, "done");
  // As if the program had been killed in its fifth request, within a line.
  const std::string culprit = done[4].request;
  const std::size_t at = log.find("{\"record\":\"done\",\"request\":\"" + culprit);
  folder.file("log", log.substr(0, at + 20));
  CHECK(bench(folder, {"--only", "costs", "--output", "log"}).exit_code == 0);
  const auto begun = records_of(folder.read("log"), "begin");
  CHECK(begun.back().request == culprit);
  CHECK(begun.size() == done.size() + 1);
  CHECK(count(folder.read("log"), "done") == done.size());

  // Begun twice without an answer: left alone.
  const std::string twice = "{\"record\":\"begin\",\"request\":\"" + culprit + "\"}\n";
  folder.file("twice", log.substr(0, log.find('\n') + 1) + twice + twice);
  const Ran ran = bench(folder, {"--only", "costs", "--resume", "twice"});
  CHECK(count(ran.out, "done") == done.size() - 1);
}

TEST_CASE("two programs do not write one file") {
  const ScratchFolder folder;
  folder.file("log", "");
  check_ends(run_shell("flock log " + std::string(OOC_GPU_STUB) + " --output log", in(folder)), 2,
             {"another program writes it"});
}

TEST_CASE("every machine that cannot be measured gets its reason and exit code 5") {
  const ScratchFolder folder;
  const auto check = [&](const std::string& stub, const std::string& reason) {
    const Ran ran = bench(folder, {}, stub);
    CAPTURE(stub);
    CHECK(ran.exit_code == 5);
    const auto none = records_of(ran.out, "no_device");
    REQUIRE(none.size() == 1);
    CHECK_MESSAGE(has(*find_value(none[0].values, "reason"), reason), ran.out);
  };
  check("driver=0", "no NVIDIA driver here");
  check("driver=12020", "the driver knows CUDA 12.2, this program was built with 13.0");
  check("devices=0", "no CUDA-capable device");
  check("integrated=1", "near and far memory are one");
  check("memory=16777216", "16777216 bytes free");
  CHECK(bench(folder, {"--device", "3"}).exit_code == 5);
}

TEST_CASE("a device that uses the host's page tables has no faults, an old one no managed memory") {
  const ScratchFolder folder;
  const std::string shared =
      bench(folder, {"--only", "unified"}, kSmallStub + ",host_page_tables=1").out;
  for (const BenchRecord& error : records_of(shared, "error")) {
    CHECK(has(error.request, "unified_fault"));
    CHECK(has(*find_value(error.values, "text"), "no faults to measure"));
  }
  CHECK(count(shared, "done") > 0);
  const std::string old =
      bench(folder, {"--only", "unified"}, kSmallStub + ",concurrent_managed=0").out;
  CHECK(count(old, "done") == 0);
  CHECK(has(old, "concurrentManagedAccess"));
}

TEST_CASE("bad command lines and plans are refused with their line") {
  const ScratchFolder folder;
  folder.file("cut", "plan id=1 steps=2 iterations=3\nstep spin 10 -\n");
  folder.file("later", "plan id=1 steps=2 iterations=3\nstep spin 10 -\nstep to_far 10 1\n");
  folder.file("kind", "plan id=1 steps=1 iterations=3\nstep dance 10 -\n");
  for (const auto& [words, says] : std::vector<std::pair<Words, std::string>>{
           {{"--fast"}, "--fast"},
           {{"--only", "pinned,others"}, "others"},
           {{"--within", "soon"}, "--within"},
           {{"--replay", "nowhere"}, "nowhere cannot be read"},
           {{"--replay", "cut"}, "cut: line 2: 1 steps are missing"},
           {{"--replay", "later"}, "later: line 3: found '1'"},
           {{"--replay", "kind"}, "kind: line 2: found 'dance'"}}) {
    const Ran ran = bench(folder, words);
    CHECK(ran.exit_code == 2);
    CHECK_MESSAGE(has(ran.err, says), ran.err);
  }
}
