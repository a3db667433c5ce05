// Common parts of the tests of `replay`: a small job on a profile of the stub device.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/run_program.hpp"
#include "tests/support/text.hpp"

namespace ooc::test {

/// The profile says of the fake device what the fake device is by default.
inline const std::string kStubMachine = OOC_SOURCE_DIR "/tests/data/replay/stub_machine.json";

using Words = std::vector<std::string>;

/// example_skip at batch 64: 23 tasks, 11.3 MB, about a millisecond.
inline Words replay_words(const Words& more) {
  Words words{"replay", "example_skip", "--hardware", kStubMachine, "--batch", "64"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Without a device: `more` says what takes its place.
inline Ran replay_without(const ScratchFolder& folder, const Words& more) {
  return run_ooc_paleo(replay_words(more), {.folder = folder.path(), .environment = {}});
}

/// On the fake device; `stub` is OOC_STUB, `environment` are further variables.
inline Ran replay(const ScratchFolder& folder, const Words& more, const std::string& stub = "",
                  std::vector<std::pair<std::string, std::string>> environment = {}) {
  environment.emplace_back("OOC_STUB", stub);
  Words words = replay_words(more);
  words.insert(words.end(), {"--probe", OOC_GPU_STUB});
  return run_ooc_paleo(words, {.folder = folder.path(), .environment = environment});
}

inline nlohmann::json replay_json(const Ran& ran) { return nlohmann::json::parse(ran.out); }

}  // namespace ooc::test
