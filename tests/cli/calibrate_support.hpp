// What the tests of `calibrate` share: the recorded samples, and the program with the fake device.
#pragma once

#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"
#include "tests/support/text.hpp"

namespace ooc::test {

/// Of a fake V100, so that its profile is found by the name.
inline const std::string kRecorded = OOC_SOURCE_DIR "/tests/data/calibrate/stub.samples.jsonl";

/// A fake device whose little memory keeps the copies small and the tests short.
inline const std::string kSmallStub = "memory=402653184";

/// `calibrate` with these arguments in `folder`; `stub` is OOC_STUB, `more` are further variables.
inline Ran calibrate(const ScratchFolder& folder, const std::vector<std::string>& arguments,
                     const std::string& stub = "",
                     std::vector<std::pair<std::string, std::string>> more = {}) {
  std::vector<std::string> words{"calibrate"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  more.emplace_back("OOC_STUB", stub);
  return run_ooc_paleo(std::move(words), {.folder = folder.path(), .environment = more});
}

}  // namespace ooc::test
