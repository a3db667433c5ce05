// Common parts of the tests of `replay`: a small job on a profile of the stub device.
#pragma once

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {

/// The profile says of the fake device what the fake device is by default.
inline const std::string kStubMachine = OOC_SOURCE_DIR "/tests/data/replay/stub_machine.json";

/// example_skip at batch 64: 23 tasks, 11.3 MB, about a millisecond.
inline Words replay_words(const Words& more) {
  return Words{"replay", "example_skip", "--hardware", kStubMachine, "--batch", "64"} + more;
}

/// Without a device: `more` says what takes its place.
inline Ran replay_without(const ScratchFolder& folder, const Words& more) {
  return run_ooc_paleo(replay_words(more), in(folder));
}

/// On the fake device; `stub` is OOC_STUB, `environment` are further variables.
inline Ran replay(const ScratchFolder& folder, const Words& more, const std::string& stub = "",
                  std::vector<std::pair<std::string, std::string>> environment = {}) {
  environment.emplace_back("OOC_STUB", stub);
  return run_ooc_paleo(replay_words(more) + Words{"--probe", OOC_GPU_STUB},
                       {.folder = folder.path(), .environment = environment});
}

inline nlohmann::json replay_json(const Ran& ran) { return nlohmann::json::parse(ran.out); }

}  // namespace ooc::test
