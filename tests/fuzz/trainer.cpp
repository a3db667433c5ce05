// Files of trainers: read_trainer_text throws SpecError or returns flags, each once.
#include <set>

#include "cli/trainer_file.hpp"
#include "tests/fuzz/target.hpp"

namespace ooc {
/// Without the rest of cli/locate.cpp, which is not linked.
SpecDocument read_data_table(const std::string& name) {
  return read_spec_file(std::string(OOC_SOURCE_DIR) + "/tables/" + name + ".json");
}
}  // namespace ooc

namespace ooc::fuzz {

void consume(std::string_view text) {
  std::set<std::string> seen;
  for (const TrainerFlag& each : read_trainer_text(text, "fuzz.yaml", "").flags) {
    OOC_CHECK(seen.insert(each.flag).second, "each flag once");
  }
}

std::vector<std::filesystem::path> seed_folders() { return {"tests/fuzz/seeds/trainer"}; }

}  // namespace ooc::fuzz
