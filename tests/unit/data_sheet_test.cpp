// Profiles from data sheets: what is given and what is assumed, every link, what does not fit.
#include "model/hardware/data_sheet.hpp"

#include "model/base/spec_errors.hpp"
#include "model/hardware/profile_json.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

namespace {

const std::string kSheetFolder = OOC_SOURCE_DIR "/hwprofiles/";
const DataSheetSources kSheetSources{
    .profiles = {.limits = {}, .architecture_folders = {kSheetFolder + "architectures"}},
    .link_folders = {kSheetFolder + "links"},
    .file = "mine.json"};

/// A Titan X of 2016.
DataSheet titan_x() {
  return {.name = "mine",
          .architecture = "pascal",
          .multiprocessors = "28",
          .peaks = {"float32=10.97TFLOP/s"},
          .memory = "12GiB",
          .memory_rate = "480GB/s",
          .link = "pcie3x16",
          .peers = {},
          .far_memory = {},
          .cudnn = {},
          .sustained = {},
          .source = {}};
}

/// As the file that it becomes.
HardwareProfile read_back(const DataSheet& sheet) {
  return read_profile_text(write_profile(profile_of(sheet, kSheetSources)), "mine.json",
                           kSheetSources.profiles);
}

/// Every message.
std::vector<std::string> errors_of(const DataSheet& sheet) {
  try {
    (void)profile_of(sheet, kSheetSources);
  } catch (const SpecErrors& errors) {
    std::vector<std::string> all{errors.what()};
    all.insert(all.end(), errors.others().begin(), errors.others().end());
    return all;
  } catch (const SpecError& error) {
    return {error.what()};
  }
  return {};
}

/// The one message about a change of the Titan X.
std::string error_after(const std::function<void(DataSheet&)>& change) {
  DataSheet sheet = titan_x();
  change(sheet);
  const std::vector<std::string> errors = errors_of(sheet);
  REQUIRE(errors.size() == 1);
  return errors[0];
}

BytesPerSecond pinned_to_near(const Connection& connection) {
  return std::get<StraightLine>(connection.modes.at("pinned").to_near).throughput;
}

bool names(const std::vector<std::string>& fields, const std::string& one) {
  return std::find(fields.begin(), fields.end(), one) != fields.end();
}

}  // namespace

TEST_CASE("a data sheet makes a whole profile: what it says is given, the rest is assumed") {
  const HardwareProfile profile = read_back(titan_x());
  REQUIRE(profile.kernels);
  CHECK(profile.kernels->architecture->name == "pascal");
  CHECK(profile.kernels->multiprocessors == 28);
  CHECK(profile.peak.at(Dtype::kFloat32).per_second == 10.97e12);
  CHECK(profile.near_memory.capacity == Bytes(std::int64_t{12} << 30));
  CHECK(profile.near_memory.reserved == Bytes(std::int64_t{700} << 20));
  CHECK(profile.connection.modes.size() == 4);
  CHECK(profile.implausible.empty());
  for (const char* fields : {"near_memory.reserved", "far_memory", "connection.duplex",
                             "connection.modes.pinned", "connection.modes.pageable"}) {
    CHECK(names(profile.assumed, fields));
  }
  for (const char* fields : {"compute.peak", "compute.multiprocessors", "near_memory.capacity",
                             "near_memory.throughput", "connection.theoretical"}) {
    CHECK_FALSE(names(profile.assumed, fields));
  }
}

TEST_CASE("what is optional stands in the profile, with where it comes from") {
  DataSheet sheet = titan_x();
  sheet.peaks = {"float32=10.97TFLOP/s, float64=0.34TFLOP/s"};
  sheet.far_memory = "128GiB";
  sheet.cudnn = "5.1";
  sheet.sustained = {"float32=93.5%"};
  sheet.source = "a data sheet of 2016";
  const HardwareProfile profile = read_back(sheet);
  CHECK(profile.peak.size() == 2);
  CHECK(profile.far_memory.capacity == Bytes(std::int64_t{128} << 30));
  CHECK(profile.cudnn == std::pair(5, 1));
  CHECK(profile.kernels->sustained.at(Dtype::kFloat32) == doctest::Approx(0.935));
  CHECK(profile.provenance.front().source == "a data sheet of 2016");
  CHECK(names(profile.assumed, "compute.sustained"));
  CHECK(names(profile.assumed, "far_memory"));
  CHECK_FALSE(names(profile.assumed, "far_memory.capacity"));
}

TEST_CASE("machines before Pascal cannot have unified memory") {
  DataSheet sheet = titan_x();
  sheet.architecture = "maxwell";
  const HardwareProfile profile = read_back(sheet);
  CHECK(profile.connection.modes.size() == 2);
  CHECK(profile.connection.impossible_modes.size() == 2);
}

TEST_CASE("every link makes a profile, and no mode of it is faster than the link in theory") {
  const std::vector<LinkDefaults> links = read_links(kSheetSources.link_folders);
  const std::vector<std::string> all = link_names(links);
  for (const char* needed : {"pcie3x16", "pcie3x8", "pcie3x4", "pcie4x16", "pcie5x16", "pcie7x16", "nvlink1x2",
                             "nvlink2x3", "nvlink-c2c"}) {
    CHECK(std::count(all.begin(), all.end(), needed) == 1);
  }
  for (const std::string& name : all) {
    CAPTURE(name);
    DataSheet sheet = titan_x();
    sheet.link = name;
    const HardwareProfile profile = read_back(sheet);
    REQUIRE(profile.connection.theoretical);
    for (const auto& entry : profile.connection.modes) {
      for (const TransferLine* line : {&entry.second.to_near, &entry.second.to_far}) {
        CHECK(std::get<StraightLine>(*line).throughput <= *profile.connection.theoretical);
      }
    }
    for (const Provenance& entry : profile.provenance) {
      if (entry.fields != "connection.theoretical" || !entry.date.empty()) continue;
      FAIL("no date of the standard");
    }
  }
}

TEST_CASE("a narrower link has its share of every rate, and of nothing else") {
  const std::vector<LinkDefaults> links = read_links(kSheetSources.link_folders);
  const LinkDefaults whole = *find_link(links, "pcie3x16");
  const LinkDefaults half = *find_link(links, "pcie3x8");
  CHECK(pinned_to_near(whole.connection).count() == 2 * pinned_to_near(half.connection).count());
  CHECK(whole.connection.theoretical->count() == 2 * half.connection.theoretical->count());
  CHECK(whole.connection.duplex == half.connection.duplex);
  CHECK(whole.far_memory.throughput == half.far_memory.throughput);
  CHECK(half.connection.name == "8/16 of PCIe 3.0 x16");
  CHECK_FALSE(find_link(links, "pcie3x3"));
  CHECK_FALSE(find_link(links, "pcie3x"));
}

TEST_CASE(
    "the range that reports have of a link's rate goes with the link, not with a rate that is "
    "given") {
  const auto range_of = [](const Connection& connection) {
    return std::get<StraightLine>(connection.modes.at("pinned").to_far).range;
  };
  const std::vector<LinkDefaults> links = read_links(kSheetSources.link_folders);
  const auto whole = range_of(find_link(links, "nvlink2x3")->connection);
  const auto part = range_of(find_link(links, "nvlink2x1")->connection);
  REQUIRE((whole && part));
  CHECK(whole->lowest == BytesPerSecond(35'400'000'000));
  CHECK(whole->highest == BytesPerSecond(70'400'000'000));
  CHECK(part->lowest.count() == doctest::Approx(35.4e9 / 3));
  CHECK(part->highest.count() == doctest::Approx(70.4e9 / 3));
  DataSheet sheet = titan_x();
  sheet.link = "nvlink2x3";
  CHECK(range_of(read_back(sheet).connection).has_value());
  sheet.link = "66GB/s";
  CHECK_FALSE(range_of(read_back(sheet).connection).has_value());
}

TEST_CASE("a link known by its rate alone has it both ways, the rest as the nearest link") {
  DataSheet sheet = titan_x();
  sheet.link = "100GB/s";
  const HardwareProfile profile = read_back(sheet);
  const TransferMode& pinned = profile.connection.modes.at("pinned");
  CHECK(std::get<StraightLine>(pinned.to_near).throughput == BytesPerSecond(100'000'000'000));
  CHECK(std::get<StraightLine>(pinned.to_far).throughput == BytesPerSecond(100'000'000'000));
  CHECK_FALSE(profile.connection.theoretical);
  CHECK(profile.connection.name == "link of 100 GB/s");
  // As pcie6x16, the nearest bus: 7 GB/s pageable at 106 GB/s pinned.
  const StraightLine pageable =
      std::get<StraightLine>(profile.connection.modes.at("pageable").to_near);
  CHECK(pageable.throughput.count() == doctest::Approx(7e9 * 100 / 106));
  CHECK_FALSE(names(profile.assumed, "connection.modes.pinned.to_near.throughput"));
  // Its far memory, 614.4 GB/s, is fast enough; that of the fastest bus is not.
  CHECK(profile.far_memory.throughput == BytesPerSecond(614'400'000'000));
  sheet.memory_rate = "8TB/s";
  sheet.link = "900GB/s";
  CHECK(read_back(sheet).far_memory.throughput == BytesPerSecond(900'000'000'000));
}

TEST_CASE("all that is missing or wrong is told at once, each at its option") {
  DataSheet sheet = titan_x();
  sheet.name = "";
  sheet.architecture = "pascl";
  sheet.multiprocessors = "many";
  sheet.peaks = {"float32=10.97GFLOP/s", "half=1TFLOP/s"};
  sheet.memory = "12GB";
  sheet.memory_rate = "480MB/s";
  sheet.link = "pcie3x32";
  sheet.far_memory = "3";
  sheet.cudnn = "v5";
  sheet.sustained = {"float32=2"};
  const std::vector<std::string> errors = errors_of(sheet);
  REQUIRE(errors.size() == 11);
  const char* expected[] = {"NAME: ",
                            "--architecture: found \"pascl\"",
                            "--multiprocessors: found \"many\"",
                            "--peak: found \"float32=10.97GFLOP/s\"",
                            "--peak: found \"half\"",
                            "--sustained: found \"float32=2\"",
                            "--memory: found \"12GB\"",
                            "--memory-rate: found \"480MB/s\"",
                            "--far-memory: found \"3\"",
                            "--link: found \"pcie3x32\"",
                            "--cudnn: found \"v5\""};
  for (std::size_t i = 0; i < errors.size(); ++i) CHECK(errors[i].starts_with(expected[i]));
  CHECK(has(errors[1], "did you mean pascal?"));
  CHECK(has(errors[3], "is \"10.97TFLOP/s\" meant?"));
  CHECK(has(errors[6], "is \"12GiB\" meant?"));
  CHECK(has(errors[7], "is \"480GB/s\" meant?"));
  CHECK(errors_of({}).size() == 7);  // NAME and the six that must be there
}

TEST_CASE("numbers that cannot belong together are told apart") {
  const std::string cores = error_after([](DataSheet& sheet) { sheet.multiprocessors = "3584"; });
  CHECK(has(cores, "expected 15 to 171"));
  CHECK(has(cores, "are cores counted? 28 multiprocessors"));
  CHECK(has(error_after([](DataSheet& sheet) { sheet.multiprocessors = "7"; }), "15 to 171"));
  CHECK(error_after([](DataSheet& sheet) {
          sheet.memory_rate = "15GB/s";
        }).starts_with("--memory-rate: found \"15GB/s\", expected at least the link's, 15.75"));
  // An A100's rate of halves with sparsity.
  const auto a100 = [](const char* half) {
    return [half](DataSheet& sheet) {
      sheet.architecture = "ampere";
      sheet.multiprocessors = "108";
      sheet.peaks = {std::string("float32=19.5TFLOP/s,tf32=156TFLOP/s,float16=") + half};
    };
  };
  CHECK(has(error_after(a100("624TFLOP/s")), "with sparsity?"));
  DataSheet dense = titan_x();
  a100("312TFLOP/s")(dense);
  CHECK(errors_of(dense).empty());
  CHECK(has(error_after([](DataSheet& sheet) { sheet.peaks.emplace_back("float32=11TFLOP/s"); }),
            "each type once"));
  CHECK(has(error_after([](DataSheet& sheet) { sheet.peaks = {"float64=0.34TFLOP/s"}; }),
            "no float32"));
  CHECK(has(error_after([](DataSheet& sheet) { sheet.sustained = {"tf32=0.8"}; }),
            "tf32 without a peak"));
  CHECK(error_after([](DataSheet& sheet) { sheet.link = "inf"; }).starts_with("--link: "));
  CHECK(error_after([](DataSheet& sheet) { sheet.link = "12MB/s"; }).starts_with("--link: "));
}

TEST_CASE("a link file's errors name place, found and expected") {
  const auto error_of = [](const std::string& from, const std::string& to) -> std::string {
    SpecDocument document = read_spec_file(kSheetFolder + "links/pcie3x16.json");
    std::string text = json_text(document.root);
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    return message_of([&] { return read_link(read_spec_text(text, "some.json")); });
  };
  CHECK(error_of("pcie3x16", "pcie3x16") == "");
  CHECK(has(error_of("ooc-paleo/link", "ooc-paleo/network"), "\"ooc-paleo/link\""));
  CHECK(has(error_of("pcie3x16", "pcie3x12"), "the width that the name ends in"));
  CHECK(has(error_of("\"reserved\"", "\"reserve\""), "/near_memory"));
  CHECK(has(error_of("\"fields\": \"far_memory\"", "\"fields\": \"far_memory.capacity\""),
            "without provenance"));
  CHECK(has(error_of("\"pinned\"", "\"pinnd\""), "pinnd"));
}
