// `calibrate --from-operations`: the rates of a card's kernels from a table of measured operations. (Wrong tables:
// tests/golden/cases/calibrations.md.)
#include "cli/calibrate/operations.hpp"
#include "model/hardware/architecture_json.hpp"
#include "model/hardware/profile_json.hpp"
#include "tests/cli/calibrate_support.hpp"
#include "tests/support/test.hpp"

using namespace ooc;
using namespace ooc::test;
using doctest::Approx;

namespace {

const std::string kHeader =
    "kind,pass,dtype,batch,channels,height,width,filters,kernel_h,kernel_w,pad_h,pad_w,m,n,k,bytes,"
    "ms\n";

/// A card of the Volta generation by its data sheet.
HardwareProfile card() {
  HardwareProfile profile =
      read_profile_file(OOC_SOURCE_DIR "/tests/data/worked_example_machine.json");
  profile.name = "my card";
  profile.peak = {{Dtype::kFloat32, {15.7e12}}, {Dtype::kFloat16, {125e12}}};
  profile.efficiency.clear();
  profile.near_memory.throughput = BytesPerSecond(900'000'000'000);
  profile.kernels = KernelUnits{
      .architecture = std::make_shared<const Architecture>(
          read_architecture(read_spec_file(OOC_SOURCE_DIR "/hwprofiles/architectures/volta.json"))),
      .multiprocessors = 80,
      .sustained = {}};
  profile.provenance = {
      {.fields = "*", .kind = ProvenanceKind::kDatasheet, .source = "its sheet", .date = ""}};
  return profile;
}

/// The card with other rates, as the rows of the table were measured.
KernelPlatform truth() {
  const HardwareProfile profile = card();
  KernelPlatform platform;
  platform.architecture = profile.kernels->architecture->parameters;
  platform.architecture.near_share = 0.7;
  platform.architecture.simt.generation = 0.75;
  platform.architecture.simt.linear_rate = 0.5;
  platform.architecture.tensor->tiles = 0.6;
  platform.machine.multiprocessors = 80;
  platform.machine.near_rate = profile.near_memory.throughput;
  for (const auto& [dtype, rate] : profile.peak) {
    platform.machine.peak[static_cast<std::size_t>(dtype)] = rate;
  }
  return platform;
}

std::string table() {
  Words rows;
  for (const int channels : {64, 96, 200, 512}) {
    for (const char* pass : {"forward", "backward_data", "backward_weights", "backward"}) {
      rows.push_back(fmt::format("conv,{},,16,{},28,28,{},3,3,1,1,,,,", pass, channels, channels));
    }
    rows.push_back(fmt::format("product,,,,,,,,,,,,{},4096,4096,", 16 * channels));
    rows.push_back(fmt::format("product,,float16,,,,,,,,,,{},4096,4096,", 16 * channels));
    rows.push_back(fmt::format("streaming,,,,,,,,,,,,,,,{}", channels * 1'000'000));
  }
  std::string text = kHeader;
  for (const std::string& row : rows) {
    const double ms = 1e3 * read_operations(kHeader + row + ",1\n", "made up")[0].price(truth());
    text += fmt::format("{},{:.9g}\n", row, ms);
  }
  return text;
}

struct Bench {
  ScratchFolder folder;
  Bench() {
    (void)folder.file("card.json", write_profile(card()));
    (void)folder.file("ops.csv", table());
  }
  [[nodiscard]] Ran fit(const Words& more, const std::string& file = "ops.csv") const {
    return calibrate(folder, Words{"--from-operations", file, "--hardware", "./card.json"} + more);
  }
};

}  // namespace

TEST_CASE("each kind's rate becomes the one that its rows were measured at") {
  const Bench bench;
  const Ran ran = bench.fit({"-o", "mine.json", "--name", "mine", "--date", "2026-01-31"});
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  const HardwareProfile mine = read_profile_text(bench.folder.read("mine.json"), "mine.json");
  const Architecture& fitted = *mine.kernels->architecture;
  CHECK(mine.name == "mine");
  CHECK(fitted.parameters.near_share == Approx(0.7).epsilon(0.001));
  CHECK(fitted.parameters.simt.generation == Approx(0.75).epsilon(0.001));
  CHECK(fitted.parameters.simt.linear_rate == Approx(0.5).epsilon(0.001));
  CHECK(fitted.parameters.tensor->tiles == Approx(0.6).epsilon(0.001));
  // What no row tells about stays, and each fitted number says where it is from.
  CHECK(fitted.parameters.recurrent.forward ==
        card().kernels->architecture->parameters.recurrent.forward);
  const auto entry =
      std::find_if(fitted.provenance.begin(), fitted.provenance.end(),
                   [](const Provenance& each) { return each.fields == "simt.linear_rate"; });
  REQUIRE(entry != fitted.provenance.end());
  CHECK(entry->source == "product float32 rows of ops.csv");
  CHECK(entry->rows == 4);
  CHECK(entry->date == "2026-01-31");
  CHECK(has(ran.out, "conv float32"));
  CHECK(has(ran.out, "->  0.0 %"));
}

TEST_CASE("the prices of rows can be had without a fit") {
  const Bench bench;
  const Ran ran = bench.fit({"--prices", "prices.csv"});
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  const std::string prices = bench.folder.read("prices.csv");
  CHECK(prices.starts_with("line,measured_ms,predicted_ms\n2,"));
  CHECK(std::count(prices.begin(), prices.end(), '\n') == 29);
  CHECK(has(bench.fit({}).err, "--prices"));
}

TEST_CASE("both backward passes of a convolution in one row are priced as their sum") {
  const auto price = [](const std::string& pass) {
    return read_operations(kHeader + "conv," + pass + ",,8,64,56,56,128,3,3,1,1,,,,,1\n", "f")[0]
        .price(truth());
  };
  CHECK(price("backward") == Approx(price("backward_data") + price("backward_weights")));
}
