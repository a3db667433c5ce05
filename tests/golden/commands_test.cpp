// "Did anything change?" Runs the console blocks of tests/golden/cases/*.md (docs_test.cpp: of the READMEs and docs) and
// compares byte by byte what they print (standard output and error together). A command must exit 0; one that does not on
// purpose says so in its output: `...; echo "exit code $?"`.
//
// The commands run in a scratch folder in which networks/, hwprofiles/, docs/ and tests/ are those of the
// repository and ooc-paleo is in the PATH, so what they write goes nowhere.
//
// OOC_UPDATE_GOLDEN=1 rewrites the outputs in the files instead; read the diff before committing it.
#include "tests/cli/run_program.hpp"
#include "tests/golden/console_blocks.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

TEST_CASE("the outputs in tests/golden/cases are what the commands print") {
  const auto files = markdown_in(OOC_SOURCE_DIR "/tests/golden/cases");
  CHECK(!files.empty());
  for (const std::filesystem::path& file : files) {
    CAPTURE(file);
    CHECK(!console_commands(read_file(file)).empty());
    check_or_update(file);
  }
}

}  // namespace
}  // namespace ooc::test
