// Fuzz target: a function that takes any text and may answer in two ways only. Anything else
// (another exception, a sanitizer's report, a hang) is a bug. libFuzzer drives it
// (libfuzzer_main.cpp, scripts/fuzz), and so does a plain test (replay.cpp) that needs no clang.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace ooc::fuzz {

enum class Verdict {
  kAccepted,
  kRejected,  ///< SpecError, or for quantities QuantityError
};

/// Each target defines these in its own file.
[[nodiscard]] Verdict consume(std::string_view text);
/// Folders of seeds below the project's root.
[[nodiscard]] std::vector<std::filesystem::path> seed_folders();

}  // namespace ooc::fuzz
