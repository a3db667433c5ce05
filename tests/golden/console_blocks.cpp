// One walk over the lines serves both: it copies everything but outputs, and asks `run` for those.
#include "tests/golden/console_blocks.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {

namespace fs = std::filesystem;

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

[[noreturn]] void fail(std::size_t line, const std::string& what) {
  throw std::runtime_error("line " + std::to_string(line + 1) + ": " + what);
}

std::string_view without_end(std::string_view line) {
  return line.ends_with('\n') ? line.substr(0, line.size() - 1) : line;
}

class Walk {
 public:
  Walk(std::string_view markdown, const std::function<std::string(const GoldenCommand&)>& run)
      : lines_(lines_of(markdown)), run_(run) {}

  std::string all() {
    while (at_ < lines_.size()) {
      const bool opens = without_end(lines_[at_]) == "```console";
      copy();
      if (opens) block();
    }
    return std::move(result_);
  }

 private:
  void copy() { result_ += lines_[at_++]; }
  [[nodiscard]] bool closes() const {
    return at_ < lines_.size() && without_end(lines_[at_]) == "```";
  }
  [[nodiscard]] bool at_command() const {
    return at_ < lines_.size() && lines_[at_].substr(0, 2) == "$ ";
  }

  void block() {
    const std::size_t begin = at_;
    if (!at_command()) fail(begin, "a console block must begin with a command (\"$ \")");
    while (at_command()) command();
    if (!closes()) fail(begin, "this console block is not closed");
    copy();
  }

  void command() {
    GoldenCommand found;
    found.line = at_ + 1;
    found.command = without_end(lines_[at_].substr(2));
    copy();
    while (found.command.ends_with('\\') && at_ < lines_.size()) {
      found.command += "\n" + std::string(without_end(lines_[at_]));
      copy();
    }
    while (at_ < lines_.size() && !closes() && !at_command()) found.output += lines_[at_++];
    result_ += run_(found);
  }

  std::vector<std::string_view> lines_;
  const std::function<std::string(const GoldenCommand&)>& run_;
  std::size_t at_ = 0;
  std::string result_;
};

class CommandRunner {
 public:
  CommandRunner() {
    for (const char* folder : {"networks", "hwprofiles", "docs", "tests"}) {
      fs::create_directory_symlink(fs::path(OOC_SOURCE_DIR) / folder, scratch_.path() / folder);
    }
  }
  [[nodiscard]] Ran run(const std::string& command) const {
    // A quarter of all seconds: validation.shipped_rows has run them, and left its table.
    constexpr std::string_view all_rows = "ooc-paleo validate --quiet |";
    const char* const table = std::getenv("OOC_ALL_ROWS");
    if (table != nullptr && command.starts_with(all_rows)) {
      return run("<'" + std::string(table) + "'" + command.substr(all_rows.size()));
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

}  // namespace

std::vector<GoldenCommand> console_commands(std::string_view markdown) {
  std::vector<GoldenCommand> commands;
  const std::function<std::string(const GoldenCommand&)> note = [&](const GoldenCommand& command) {
    commands.push_back(command);
    return command.output;
  };
  static_cast<void>(Walk(markdown, note).all());
  return commands;
}

std::string with_outputs(std::string_view markdown,
                         const std::function<std::string(const std::string& command)>& run) {
  const std::function<std::string(const GoldenCommand&)> replace =
      [&](const GoldenCommand& command) { return run(command.command); };
  return Walk(markdown, replace).all();
}

std::vector<fs::path> markdown_in(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void check_or_update(const fs::path& file) {
  if (std::getenv("OOC_UPDATE_GOLDEN") != nullptr) return update_file(file);
  check_file(file);
}

}  // namespace ooc::test
