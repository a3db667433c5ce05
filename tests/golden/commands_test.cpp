// "Did anything change?" Runs the console blocks of README.md, docs/*.md, networks/README.md and tests/golden/cases/*.md and
// compares byte by byte what they print (standard output and error together). A command must exit 0; one
// that does not on purpose says so in its output: `...; echo "exit code $?"`.
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

namespace fs = std::filesystem;

std::vector<fs::path> markdown_in(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class CommandRunner {
 public:
  CommandRunner() {
    for (const char* folder : {"networks", "hwprofiles", "docs", "tests"}) {
      fs::create_directory_symlink(fs::path(OOC_SOURCE_DIR) / folder, scratch_.path() / folder);
    }
  }
  [[nodiscard]] Ran run(const std::string& command) const {
    // A sixth of all seconds, and on two pages: once.
    static const std::string all_rows = "ooc-paleo validate --quiet";
    if (command.starts_with(all_rows + " | ")) {
      static const std::string said = run(all_rows).out;
      write_file(scratch_.path() / "all_rows", said);
      return run("cat all_rows" + command.substr(all_rows.size()));
    }
    return run_shell("exec 2>&1\n" + command, in(scratch_));
  }

 private:
  ScratchFolder scratch_;
};

void check_file(const fs::path& file) {
  const CommandRunner runner;  // one folder per file: a later command may read an earlier one's
  for (const GoldenCommand& golden : console_commands(read_file(file))) {
    CAPTURE(file);
    CAPTURE(golden.line);
    CAPTURE(golden.command);
    const Ran ran = runner.run(golden.command);
    CHECK(ran.exit_code == 0);
    CHECK(ran.out == golden.output);
  }
}

void update_file(const fs::path& file) {
  const CommandRunner runner;
  const std::string before = read_file(file);
  const std::string after = with_outputs(before, [&](const std::string& command) {
    const Ran ran = runner.run(command);
    CAPTURE(command);
    CHECK(ran.exit_code == 0);
    return ran.out;
  });
  if (after != before) write_file(file, after);
}

void check_or_update(const fs::path& file) {
  if (std::getenv("OOC_UPDATE_GOLDEN") != nullptr) return update_file(file);
  check_file(file);
}

TEST_CASE("the outputs in tests/golden/cases are what the commands print") {
  const auto files = markdown_in(fs::path(OOC_SOURCE_DIR) / "tests/golden/cases");
  CHECK(!files.empty());
  for (const fs::path& file : files) {
    CAPTURE(file);
    CHECK(!console_commands(read_file(file)).empty());
    check_or_update(file);
  }
}

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
