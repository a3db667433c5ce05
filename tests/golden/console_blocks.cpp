// One walk over the lines serves both: it copies everything but outputs, and asks `run` for those.
#include "tests/golden/console_blocks.hpp"

#include <stdexcept>

namespace ooc::test {
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

}  // namespace ooc::test
