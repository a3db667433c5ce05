// `calibrate --from-operations`: a profile and a folder of architectures from tables of measured operations.
#include <doctest/doctest.h>

#include <cmath>

#include "calibrate/fit/fit_machines.hpp"
#include "model/hardware/architecture_json.hpp"
#include "model/hardware/profile_json.hpp"
#include "tests/cli/calibrate_support.hpp"
#include "tests/support/made_up_operations.hpp"

using namespace ooc;
using namespace ooc::test;
using doctest::Approx;

namespace {

const std::string kArchitectures = OOC_SOURCE_DIR "/hwprofiles/architectures";

/// A card of the Volta generation by its data sheet.
HardwareProfile card() {
  HardwareProfile profile =
      read_profile_file(OOC_SOURCE_DIR "/tests/data/worked_example_machine.json");
  profile.name = "my card";
  profile.peak = {{Dtype::kFloat32, {15.7e12}}};
  profile.efficiency.clear();
  profile.near_memory.throughput = BytesPerSecond(900'000'000'000);
  profile.kernels = KernelUnits{.architecture = std::make_shared<const Architecture>(
                                    read_architecture_file(kArchitectures + "/volta.json")),
                                .multiprocessors = 80,
                                .sustained = {}};
  profile.provenance = {
      {.fields = "*", .kind = ProvenanceKind::kDatasheet, .source = "its sheet", .date = ""}};
  return profile;
}

KernelPlatform platform_of(const HardwareProfile& profile) {
  return {fit_machine(profile).machine, profile.kernels->architecture->parameters, {}};
}

KernelPlatform true_platform() {
  KernelPlatform platform = platform_of(card());
  platform.architecture.near_share = 0.7;
  platform.architecture.simt.wide_tiles = 0.7;
  platform.architecture.simt.small_tiles = 0.4;
  platform.architecture.simt.linear_rate = 0.5;
  return platform;
}

/// Mean |log(price / truth)| of the made-up rows.
double mean_miss(const HardwareProfile& profile) {
  const KernelPlatform platform = platform_of(profile);
  double sum = 0;
  const auto rows = read_operations(made_up_operations(true_platform(), {}), "made up");
  for (const MeasuredOperation& row : rows) {
    const double price =
        work_seconds(row, ooc::platform_of(row, platform.machine, platform.architecture));
    sum += std::abs(std::log(price / row.seconds)) / static_cast<double>(rows.size());
  }
  return sum;
}

struct Bench {
  ScratchFolder folder;

  Bench() {
    (void)folder.file("card.json", write_profile(card()));
    (void)folder.file("ops.csv", made_up_operations(true_platform(), {.measuring = 8e-6}));
  }
  [[nodiscard]] Ran fit(std::vector<std::string> more, const std::string& table = "ops.csv") const {
    std::vector<std::string> words{"--from-operations", table, "--evaluations", "300"};
    words.insert(words.end(), more.begin(), more.end());
    return calibrate(folder, words);
  }
  [[nodiscard]] Ran fit_card() const {
    return fit({"--hardware", "./card.json", "-o", "mine.json"});
  }
  [[nodiscard]] std::string error_of_table(const std::string& text) const {
    (void)folder.file("bad.csv", text);
    const Ran ran = fit({"--hardware", "./card.json", "-o", "mine.json"}, "bad.csv");
    CHECK(ran.exit_code == 2);
    CHECK(ran.out.empty());
    return ran.err;
  }
};

}  // namespace

TEST_CASE("a profile is fitted to a table without a GPU, and its prices are those of the table") {
  const Bench bench;
  const Ran ran = bench.fit(
      {"--hardware", "./card.json", "-o", "mine.json", "--date", "2025-01-31", "--name", "mine"});
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  CHECK(has(ran.out, "ops.csv: "));
  CHECK(has(ran.out, "conv       backward_weights  float32"));
  CHECK(has(ran.out, "product    forward           float32"));
  CHECK(has(ran.out, "they stay: simt.generation, simt.scatter_rate"));
  CHECK_FALSE(has(ran.out, "worse on held-out rows"));
  CHECK(bench.folder.entries() == std::vector<std::string>{"card.json", "mine.json", "ops.csv"});

  const HardwareProfile mine = read_profile_text(bench.folder.read("mine.json"), "mine.json");
  CHECK(mine.name == "mine");
  CHECK(mine.kernels->written_out);
  CHECK(mean_miss(card()) > 0.25);
  CHECK(mean_miss(mine) < 0.06);
  const Architecture& numbers = *mine.kernels->architecture;
  CHECK(numbers.parameters.near_share == Approx(0.7).epsilon(0.001));
  CHECK(numbers.parameters.simt.depthwise == 0.25);
  bool own = false;
  for (const Provenance& entry : numbers.provenance) {
    if (entry.fields != "simt.wide_tiles") continue;
    own = true;
    CHECK(entry.source == "conv float32 rows of ops.csv");
    CHECK(entry.date == "2025-01-31");
    CHECK(entry.rows > 10);
    CHECK(entry.error < 0.05);
  }
  CHECK(own);
}

TEST_CASE("the same table gives the same profile, and a fitted profile can be fitted again") {
  const Bench bench;
  REQUIRE(bench.fit_card().exit_code == 0);
  const std::string first = bench.folder.read("mine.json");
  REQUIRE(bench.fit_card().exit_code == 0);
  CHECK(bench.folder.read("mine.json") == first);
  const Ran again = bench.fit({"--hardware", "./mine.json", "-o", "mine.json"});
  CHECK_MESSAGE(again.exit_code == 0, again.err);
}

TEST_CASE("bad tables are errors with file, line, column, what was found and what was expected") {
  const Bench bench;
  CHECK(has(bench.error_of_table("kind,ms,m,n,k\nproduct,1,64,64,64\nproduct,0,64,64,64\n"),
            "bad.csv: line 3, ms: found \"0\", expected a number above 0"));
  CHECK(has(bench.error_of_table("kind,ms,m,n,k\nproduct,1,64,64\n"),
            "bad.csv: line 2: found 4 fields, expected 5 as in the header"));
  CHECK(has(bench.error_of_table("kind,time,m,n,k\nproduct,1,64,64,64\n"),
            "bad.csv: line 1: found unknown column \"time\", expected a known column"));
  CHECK(has(bench.error_of_table("kind,ms,dtype,m,n,k\nproduct,1,tf32,64,64,64\n"),
            "bad.csv: line 2, dtype: found tf32, expected a GPU with tensor cores"));
  CHECK(has(bench.error_of_table("gpu,kind,ms,m,n,k\na,product,1,64,64,64\nb,product,1,8,8,8\n"),
            "bad.csv: line 3, gpu: found \"b\", expected \"a\""));
  CHECK(has(bench.error_of_table("# nothing\n"), "expected at least one measured operation"));
  CHECK(bench.folder.entries() == std::vector<std::string>{"bad.csv", "card.json", "ops.csv"});
}

TEST_CASE("a profile without an architecture, and flags that say nothing together, are refused") {
  const Bench bench;
  const Ran shares = bench.fit(
      {"--hardware", OOC_SOURCE_DIR "/tests/data/worked_example_machine.json", "-o", "mine.json"});
  CHECK(shares.exit_code == 2);
  CHECK(has(shares.err, "/compute: found no \"architecture\", expected"));
  CHECK(has(shares.err, "\"architecture\": \"pascal\", \"multiprocessors\": 28"));
  const auto refused = [&](std::vector<std::string> flags, const std::string& part) {
    const Ran ran = bench.fit(std::move(flags));
    CAPTURE(ran.err);
    CHECK(ran.exit_code == 2);
    CHECK(has(ran.err, part));
  };
  refused({"-o", "mine.json"}, "--hardware PROFILE for one machine");
  refused({"--hardware", "./card.json"}, "--output: found none");
  refused({"--hardware", "./card.json", "-o", "ops.csv"}, "which --from-operations reads");
  refused({"--hardware", "./card.json", "-o", "m.json", "--quick"}, "--quick: found it with");
  refused({"--hardware", "./card.json", "-o", "m.json", "--machines", "m.csv"},
          "--machines: found");
  refused({"--hardware", "./card.json", "-o", "m.json", "--keep", "simt.wide_tile"},
          "simt.wide_tiles");
  refused({"--architectures", kArchitectures, "-o", "m"}, "no column \"gpu\"");
  const Ran alone = calibrate(bench.folder, {"--hardware", "./card.json", "-o", "m.json"});
  CHECK(alone.exit_code == 2);
  CHECK(has(alone.err, "--hardware: found it without --from-operations"));
  const std::string one =
      bench.folder.file("one.csv", "kind,ms,m,n,k,dtype\nproduct,1.5,512,512,512,float64\n");
  const Ran none = calibrate(
      bench.folder, {"--from-operations", one, "--hardware", "./card.json", "-o", "m.json"});
  CHECK(none.exit_code == 2);
  CHECK(has(none.err, "none that anything can be fitted to"));
}

TEST_CASE("numbers that are kept stay") {
  const Bench bench;
  const Ran ran = bench.fit(
      {"--hardware", "./card.json", "-o", "mine.json", "--keep", "simt.wide_tiles,near_share"});
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  const HardwareProfile mine = read_profile_text(bench.folder.read("mine.json"), "mine.json");
  const HardwareProfile given = card();
  const ArchitectureParameters& before = given.kernels->architecture->parameters;
  CHECK(mine.kernels->architecture->parameters.simt.wide_tiles == before.simt.wide_tiles);
  CHECK(mine.kernels->architecture->parameters.near_share == before.near_share);
  CHECK(mine.kernels->architecture->parameters.simt.linear_rate < before.simt.linear_rate);
}

TEST_CASE("a folder of architectures is fitted from fixed starts, and heirs follow") {
  const Bench bench;
  (void)bench.folder.file("ops.csv", made_up_operations(true_platform(), {.gpu = "V100"}));
  (void)bench.folder.file("machines.csv",
                          "name,architecture,multiprocessors,near_gb_per_s,float32\n"
                          "V100,volta,80,900,15.7\n");
  const auto fit_into = [&](const std::string& from, const std::string& to) {
    const Ran ran = bench.fit({"--architectures", from, "--machines", "machines.csv", "-o", to});
    REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  };
  fit_into(kArchitectures, "out");
  const auto read = [&](const std::string& name) {
    return read_architecture_file((bench.folder.path() / name).string());
  };
  const Architecture volta = read("out/volta.json");
  CHECK(volta.parameters.simt.linear_rate == Approx(0.5).epsilon(0.05));
  CHECK(read("out/hopper.json").parameters.simt.linear_rate == volta.parameters.simt.linear_rate);
  CHECK(read("out/pascal.json").parameters.simt.linear_rate ==
        read_architecture_file(kArchitectures + "/pascal.json").parameters.simt.linear_rate);
  // Where it began does not show.
  fit_into("out", "again");
  CHECK(bench.folder.read("again/volta.json") == bench.folder.read("out/volta.json"));
}

TEST_CASE("the shipped architectures are as the command writes them") {
  for (const char* name : {"maxwell", "pascal", "volta", "ampere", "hopper"}) {
    const std::string path = kArchitectures + "/" + name + ".json";
    CAPTURE(path);
    CHECK(write_architecture(read_architecture_file(path)) == read_file(path));
  }
}
