// Do README.md, docs/*.md and networks/README.md show what the commands print (commands_test.cpp)?
#include "tests/cli/run_program.hpp"
#include "tests/golden/console_blocks.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

namespace fs = std::filesystem;

TEST_CASE("the outputs in READMEs and docs are what the commands print" *
          doctest::test_suite("whole networks")) {
  std::vector<fs::path> files = markdown_in(fs::path(OOC_SOURCE_DIR) / "docs");
  for (const char* readme : {"networks/README.md", "README.md"}) {
    files.insert(files.begin(), fs::path(OOC_SOURCE_DIR) / readme);
    CHECK(!console_commands(read_file(files.front())).empty());
  }
  for (const fs::path& file : files) check_or_update(file);
}

}  // namespace
}  // namespace ooc::test
