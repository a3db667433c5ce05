// Hardware profiles: read_profile_text throws SpecError or returns a profile, and what
// write_profile makes of that profile reads back to the same text.
#include "model/base/errors.hpp"
#include "model/hardware/profile_json.hpp"
#include "tests/fuzz/target.hpp"

namespace ooc::fuzz {

Verdict consume(std::string_view text) {
  // Shipped profiles name their architecture.
  const ProfileSources sources{
      .limits = {}, .architecture_folders = {OOC_SOURCE_DIR "/hwprofiles/architectures"}};
  std::string written;
  try {
    written = write_profile(read_profile_text(text, "fuzz.json", sources));
  } catch (const SpecError&) {
    return Verdict::kRejected;
  }
  // Outside the try: the writer's own text must be accepted.
  const std::string again = write_profile(read_profile_text(written, "written.json", sources));
  OOC_CHECK(again == written, "a written profile reads back to an equal one");
  return Verdict::kAccepted;
}

std::vector<std::filesystem::path> seed_folders() {
  return {"tests/fuzz/seeds/profile", "hwprofiles"};
}

}  // namespace ooc::fuzz
