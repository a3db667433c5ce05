// Hardware profiles: read_profile_text throws SpecError or returns a profile, and what
// write_profile makes of that profile reads back to the same text.
#include "model/hardware/profile_json.hpp"
#include "tests/fuzz/target.hpp"

namespace ooc::fuzz {

void consume(std::string_view text) {
  // Shipped profiles name their architecture.
  const ProfileSources sources{
      .limits = {}, .architecture_folders = {OOC_SOURCE_DIR "/hwprofiles/architectures"}};
  const std::string written = write_profile(read_profile_text(text, "fuzz.json", sources));
  // noexcept: the writer's own text must be accepted.
  const auto again = [&]() noexcept {
    return write_profile(read_profile_text(written, "written.json", sources));
  };
  OOC_CHECK(again() == written, "a written profile reads back to an equal one");
}

std::vector<std::filesystem::path> seed_folders() {
  return {"tests/fuzz/seeds/profile", "hwprofiles"};
}

}  // namespace ooc::fuzz
