// Samples of a calibration, the measuring program's records: read_samples throws SpecError or returns samples; fitting
// them gives a profile that can be read, or a SpecError.
#include "calibrate/session/samples.hpp"

#include "calibrate/session/analyse.hpp"
#include "calibrate/session/assemble.hpp"
#include "model/hardware/profile_json.hpp"
#include "tests/fuzz/target.hpp"

namespace ooc::fuzz {
namespace {

const ProfileSources kSources{.architecture_folders = {OOC_SOURCE_DIR "/hwprofiles/architectures"}};

/// None where too little was measured for a profile.
std::string fitted_profile(const SampleSet& set) {
  try {
    static const HardwareProfile kLike =
        read_profile_file(OOC_SOURCE_DIR "/hwprofiles/v100-16gb-pcie3.json", kSources);
    return write_profile(
        assemble_profile(set, analyse(set), {.like = kLike, .name = "fuzz", .date = {}}).profile);
  } catch (const SpecError&) {
    return {};
  }
}

}  // namespace

void consume(std::string_view text) {
  const SampleSet set = read_samples(text, "fuzz.jsonl");
  // noexcept: our own text must be accepted.
  [&]() noexcept {
    const std::string profile = fitted_profile(set);
    if (!profile.empty()) (void)read_profile_text(profile, "fitted.json", kSources);
  }();
}

std::vector<std::filesystem::path> seed_folders() { return {"tests/fuzz/seeds/samples"}; }

}  // namespace ooc::fuzz
