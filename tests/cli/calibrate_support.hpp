// Common parts of the tests of `calibrate`: recorded samples, and the program with the stub device.
#pragma once

#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {

/// Samples of a stub V100, whose profile is found by its name.
inline const std::string kRecorded = OOC_SOURCE_DIR "/tests/data/calibrate/stub.samples.jsonl";

/// Stub device with little memory, so that copies are small and tests short.
inline const std::string kSmallStub = "memory=402653184";

/// `calibrate` with these arguments in `folder`; `stub` is OOC_STUB, `more` are further variables.
inline Ran calibrate(const ScratchFolder& folder, const Words& arguments,
                     const std::string& stub = "",
                     std::vector<std::pair<std::string, std::string>> more = {}) {
  more.emplace_back("OOC_STUB", stub);
  return run_ooc_paleo(Words{"calibrate"} + arguments,
                       {.folder = folder.path(), .environment = more});
}

}  // namespace ooc::test
