// Samples of a calibration, as JSON or as the measuring program's lines: read_samples throws SpecError or
// returns samples that read back as they are written; fitting them gives a profile that can be read, or a
// SpecError.
#include "calibrate/session/samples.hpp"

#include "calibrate/session/analyse.hpp"
#include "calibrate/session/assemble.hpp"
#include "model/base/errors.hpp"
#include "model/hardware/profile_json.hpp"
#include "tests/fuzz/target.hpp"

namespace ooc::fuzz {
namespace {

/// None where too little was measured for a profile.
std::string fitted_profile(const SampleSet& set) {
  try {
    return write_profile(assemble_profile(set, analyse(set), {.name = "fuzz", .date = {}}).profile);
  } catch (const SpecError&) {
    return {};
  }
}

}  // namespace

Verdict consume(std::string_view text) {
  SampleSet set;
  try {
    set = read_samples(text, "fuzz.json");
  } catch (const SpecError&) {
    return Verdict::kRejected;
  }
  // Outside the try: our own texts must be accepted.
  const std::string written = write_samples(set);
  OOC_CHECK(write_samples(read_samples(written, "written.json")) == written,
            "written samples read back as they are");
  const std::string profile = fitted_profile(set);
  if (!profile.empty()) (void)read_profile_text(profile, "fitted.json");
  return Verdict::kAccepted;
}

std::vector<std::filesystem::path> seed_folders() { return {"tests/fuzz/seeds/samples"}; }

}  // namespace ooc::fuzz
