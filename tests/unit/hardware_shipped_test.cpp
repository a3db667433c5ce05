// Is every shipped profile whole, and named as its file is?
#include <nlohmann/json.hpp>

#include "model/base/errors.hpp"
#include "model/hardware/architecture_json.hpp"
#include "model/hardware/hardware_profile.hpp"
#include "model/hardware/plausible.hpp"
#include "model/hardware/profile_json.hpp"
#include "model/kernels/platform.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

std::vector<std::filesystem::path> shipped() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(OOC_SOURCE_DIR) + "/hwprofiles")) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".json") && !name.ends_with(".schema.json")) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool is_published(const HardwareProfile& profile, std::string_view field) {
  return std::any_of(profile.provenance.begin(), profile.provenance.end(),
                     [&](const Provenance& entry) {
                       return entry.fields == field && entry.kind == ProvenanceKind::kPublished;
                     });
}

TEST_CASE("every shipped profile reads, has pinned copies and is named as its file") {
  const std::vector<std::filesystem::path> paths = shipped();
  CHECK(paths.size() >= 36);
  for (const std::filesystem::path& path : paths) {
    CAPTURE(path.string());
    const HardwareProfile profile = read_profile_file(path.string());
    CHECK(profile.name == path.stem().string());
    CHECK(profile.connection.modes.contains("pinned"));
    CHECK(profile.peak.contains(Dtype::kFloat32));
    CHECK_FALSE(profile.description.empty());
    CHECK(profile.implausible.empty());
    // One value for all CUDA devices but those of which users' reports say more, and their kin.
    const bool is_kin = profile.name == "rtx-4090" || profile.name == "rtx-5090";
    if (!profile.one_pool && !is_kin && !is_published(profile, "near_memory.reserved")) {
      CHECK(profile.near_memory.reserved == Bytes(std::int64_t{700} << 20));
    }
    if (!profile.one_pool) {
      CHECK(profile.far_memory.reserved == host_reserve(profile.far_memory.capacity));
    }
    CHECK(write_profile(read_profile_text(write_profile(profile), path.string())) ==
          write_profile(profile));
  }
}

TEST_CASE("no mode of a shipped profile is faster than its link in theory") {
  for (const std::filesystem::path& path : shipped()) {
    CAPTURE(path.string());
    const HardwareProfile profile = read_profile_file(path.string());
    if (profile.one_pool) continue;
    REQUIRE(profile.connection.theoretical);
    for (const auto& entry : profile.connection.modes) {
      const std::string& name = entry.first;  // a structured binding cannot be captured
      const auto& mode = entry.second;
      CAPTURE(name);
      for (const TransferLine* line : {&mode.to_near, &mode.to_far}) {
        if (const auto* straight = std::get_if<StraightLine>(line)) {
          CHECK(straight->throughput <= *profile.connection.theoretical);
        }
      }
    }
  }
}

TEST_CASE("peaks of shipped profiles are those of their multiprocessors, and dense") {
  int checked = 0;
  for (const std::filesystem::path& path : shipped()) {
    CAPTURE(path.string());
    const HardwareProfile profile = read_profile_file(path.string());
    if (!profile.kernels) continue;
    ++checked;
    const Generation* generation = generation_named(profile.kernels->architecture->name);
    REQUIRE(generation != nullptr);
    const FlopsPerSecond base = profile.peak.at(Dtype::kFloat32);
    const auto [fewest, most] = multiprocessors_for(*generation, base);
    CHECK(profile.kernels->multiprocessors >= fewest);
    CHECK(profile.kernels->multiprocessors <= most);
    for (const auto& [dtype, rate] : profile.peak) {
      const double gain = generation->most_tensor_gain * (dtype == Dtype::kFloat8 ? 2 : 1);
      CHECK(rate.per_second <= 1.1 * gain * base.per_second);
    }
    // Data sheets say nothing of it.
    for (const Provenance& entry : profile.provenance) {
      if (!entry.fields.starts_with("compute.sustained")) continue;
      CHECK(entry.kind != ProvenanceKind::kDatasheet);
    }
  }
  CHECK(checked >= 34);
}

// Do the curves of a profile go through their points, and do what is promised beyond them?

TEST_CASE("a single efficiency holds for any work") {
  const Efficiency efficiency{{{1.0, 0.6}}};
  CHECK(efficiency.at(0) == 0.6);
  CHECK(efficiency.at(1e15) == 0.6);
}

TEST_CASE("an efficiency curve is linear over log(FLOPs) and constant outside its points") {
  const Efficiency efficiency{{{1e6, 0.2}, {1e8, 0.6}, {1e9, 0.7}}};
  CHECK(efficiency.at(0) == 0.2);
  CHECK(efficiency.at(1e5) == 0.2);
  CHECK(efficiency.at(1e6) == 0.2);
  CHECK(efficiency.at(1e7) == doctest::Approx(0.4));  // half way from 1e6 to 1e8 in log
  CHECK(efficiency.at(1e8) == doctest::Approx(0.6));
  CHECK(efficiency.at(1e9) == 0.7);
  CHECK(efficiency.at(1e12) == 0.7);
}

TEST_CASE("a size curve returns its measured times exactly") {
  const SizeCurve curve{{{Bytes(1000), Duration(9100)},
                         {Bytes(10'000), Duration(9200)},
                         {Bytes(1'000'000), Duration(90'000)}}};
  CHECK(curve.time_ns(Bytes(1000)) == 9100);
  CHECK(curve.time_ns(Bytes(10'000)) == 9200);
  CHECK(curve.time_ns(Bytes(1'000'000)) == 90'000);
}

TEST_CASE("a size curve is a power law between points and beyond them") {
  // Slope 1/2 from 100 to 10,000 bytes, slope 1 from there on.
  const SizeCurve curve{{{Bytes(100), Duration(1000)},
                         {Bytes(10'000), Duration(10'000)},
                         {Bytes(1'000'000), Duration(1'000'000)}}};
  CHECK(curve.time_ns(Bytes(1000)) == doctest::Approx(3162.28).epsilon(1e-6));  // 1000 x sqrt(10)
  CHECK(curve.time_ns(Bytes(100'000)) == doctest::Approx(100'000));
  CHECK(curve.time_ns(Bytes(100'000'000)) == doctest::Approx(100'000'000));  // last slope
  CHECK(curve.time_ns(Bytes(1)) == doctest::Approx(100));                    // first slope
}

TEST_CASE("a size curve never falls as sizes grow") {
  const SizeCurve curve{{{Bytes(4096), Duration(9000)},
                         {Bytes(16384), Duration(9000)},
                         {Bytes(65536), Duration(12'500)},
                         {Bytes(1 << 24), Duration(1'400'000)}}};
  double before = 0;
  for (std::int64_t size = 1; size < (std::int64_t{1} << 34); size += 1 + size / 9) {
    const double time = curve.time_ns(Bytes(size));
    CHECK(time >= before);
    before = time;
  }
}

TEST_CASE(
    "the rate of a size curve is that of copies that mostly move, whatever the small ones say") {
  // As measured: two small sizes whose times differ by 0.2 %, which alone would be 546 GB/s.
  const SizeCurve curve{{{Bytes(4096), Duration(8844)},
                         {Bytes(8192), Duration(8859)},
                         {Bytes(1 << 20), Duration(70'800)},
                         {Bytes(1 << 24), Duration(590'289)},
                         {Bytes(1 << 28), Duration(21'780'900)}}};
  CHECK(curve.peak_rate() == doctest::Approx((1 << 24) * 1e9 / (590'289 - 8844)));
  // None moves for half of its time: the last one tells.
  const SizeCurve start_up{{{Bytes(4096), Duration(9000)},
                            {Bytes(8192), Duration(9001)},
                            {Bytes(65536), Duration(12'000)}}};
  CHECK(start_up.peak_rate() == doctest::Approx(65536 * 1e9 / 3000));
}

TEST_CASE("a kind without an efficiency of its own takes the default") {
  HardwareProfile profile;
  profile.efficiency["default"] = Efficiency{{{1.0, 0.5}}};
  profile.efficiency["conv"] = Efficiency{{{1.0, 0.7}}};
  CHECK(efficiency_of(profile, "conv").at(1) == 0.7);
  CHECK(efficiency_of(profile, "linear").at(1) == 0.5);
  profile.efficiency.erase("default");
  CHECK_THROWS_AS((void)efficiency_of(profile, "linear"), InternalError);
}

// Reading architecture files: numbers, provenance, errors.

const std::string kFolder = OOC_SOURCE_DIR "/hwprofiles/architectures/";

std::string text_of(const std::string& name) {
  std::ifstream file(kFolder + name + ".json");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  const std::size_t at = text.find(old);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), by);
}

SpecError::Parts error_of(const std::string& text) {
  return error_parts([&] { return read_architecture(read_spec_text(text, "some.json")); });
}

TEST_CASE("all nine architectures are named as their files and written as they were read") {
  for (const char* name :
       {"kepler", "maxwell", "pascal", "volta", "turing", "ampere", "ada", "hopper", "blackwell"}) {
    CAPTURE(name);
    const Architecture architecture = read_architecture(read_spec_file(kFolder + name + ".json"));
    CHECK(architecture.name == name);
    CHECK(architecture.parameters.kernel_seconds > 0);
    const std::string written = json_text(architecture_node(architecture));
    const Architecture again = read_architecture(read_spec_text(written, "again"));
    CHECK(json_text(architecture_node(again)) == written);
  }
}

TEST_CASE("an architecture that says nothing of flash attention is written with what is assumed") {
  auto volta = nlohmann::json::parse(std::ifstream(kFolder + "volta.json"));
  volta.erase("flash");
  auto& provenance = volta["provenance"];
  for (auto entry = provenance.begin(); entry != provenance.end();) {
    entry = (*entry)["fields"] == "flash" ? provenance.erase(entry) : entry + 1;
  }
  const Architecture read = read_architecture(read_spec_text(volta.dump(), "volta"));
  const std::string written = json_text(architecture_node(read));
  for (const Architecture& each : {read, read_architecture(read_spec_text(written, "again"))}) {
    CHECK(std::count(each.assumed.begin(), each.assumed.end(), "flash") == 1);
  }
}

TEST_CASE("tensor cores begin with Volta, TF32 with Ampere") {
  const auto tf32 = static_cast<std::size_t>(Dtype::kTf32);
  CHECK_FALSE(read_architecture(read_spec_file(kFolder + "pascal.json")).parameters.tensor);
  const Architecture volta = read_architecture(read_spec_file(kFolder + "volta.json"));
  CHECK(volta.parameters.tensor);
  CHECK(volta.parameters.sustained[tf32] == 0);
  CHECK(read_architecture(read_spec_file(kFolder + "ampere.json")).parameters.sustained[tf32] >
        0.5);
}

TEST_CASE("numbers that are said to be another architecture's equal them") {
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().string().ends_with(".schema.json")) continue;
    Architecture heir = read_architecture(read_spec_file(entry.path().string()));
    for (const Provenance& provenance : heir.provenance) {
      if (provenance.inherits.empty()) continue;
      CHECK(provenance.kind == ProvenanceKind::kAssumed);
      const std::size_t dot = provenance.inherits.find('.');
      Architecture giver =
          read_architecture(read_spec_file(kFolder + provenance.inherits.substr(0, dot) + ".json"));
      if (dot != std::string::npos) {
        CHECK(find_parameter_field(provenance.fields)->of(heir.parameters) ==
              find_parameter_field(provenance.inherits.substr(dot + 1))->of(giver.parameters));
        continue;
      }
      for (const ParameterField& field : parameter_fields()) {
        if (field.section != provenance.fields) continue;
        const std::string path = std::string(field.section) + "." + std::string(field.name);
        const bool own = std::any_of(heir.provenance.begin(), heir.provenance.end(),
                                     [&](const Provenance& other) { return other.fields == path; });
        CAPTURE(heir.name + ": " + path);
        if (!own) CHECK(field.of(heir.parameters) == field.of(giver.parameters));
      }
    }
  }
}

TEST_CASE("errors of architecture files name place, found and expected") {
  const std::string volta = text_of("volta");
  CHECK(error_of(replaced(volta, "\"wide_tiles\"", "\"wide_tile\"")).place == "/simt");
  const SpecError::Parts range =
      error_of(replaced(volta, "\"near_share\": 0.92", "\"near_share\": 1.2"));
  CHECK(range.place == "/near_share");
  CHECK(range.expected == "a ratio from 0.01 to 1");
  CHECK(error_of(replaced(volta, "\"kernel\": \"5 us\"", "\"kernel\": 5")).place == "/kernel");
  CHECK(has(error_of(replaced(volta, "\"fields\": \"tensor\"", "\"fields\": \"tensr\"")).hint,
            "tensor"));
  const SpecError::Parts flash =
      error_of(replaced(text_of("pascal"), "\"recurrent\": {",
                        "\"flash\": {\"forward\": 1, \"backward\": 1}, \"recurrent\": {"));
  CHECK(flash.place == "/flash");
  CHECK(flash.expected == "\"tensor\" beside it");
  CHECK(error_of(replaced(volta, "ooc-paleo/architecture", "ooc-paleo/hardware-profile"))

            .place == "/format");
}

}  // namespace
}  // namespace ooc::test
