// Is every shipped profile whole, and named as its file is?
#include "model/hardware/plausible.hpp"
#include "model/hardware/profile_json.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

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

}  // namespace

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
