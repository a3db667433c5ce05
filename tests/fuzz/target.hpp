// Fuzz target: a function that takes any text and may answer in two ways only. Anything else
// (another exception, a sanitizer's report, a hang) is a bug. libFuzzer drives it
// (libfuzzer_main.cpp, scripts/fuzz), and so does a plain test (replay.cpp) that needs no clang.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "model/base/errors.hpp"

namespace ooc::fuzz {

/// Each target defines these in its own file. consume: throws SpecError for a text that it refuses.
void consume(std::string_view text);
/// Folders of seeds below the project's root.
[[nodiscard]] std::vector<std::filesystem::path> seed_folders();

[[nodiscard]] inline bool is_accepted(std::string_view text) {
  try {
    consume(text);
    return true;
  } catch (const SpecError&) {
    return false;
  }
}

}  // namespace ooc::fuzz
