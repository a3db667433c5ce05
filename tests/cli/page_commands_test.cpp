// Commands that pages of charts tell their readers to type.
#include <regex>

#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

TEST_CASE("commands that pages name are there") {
  const std::regex named("`(ooc-paleo [^`]*)`");
  int commands = 0;
  for (const auto& file : std::filesystem::directory_iterator(kSource + "/reports/pages/src")) {
    const std::string text = read_file(file.path());
    for (auto it = std::sregex_iterator(text.begin(), text.end(), named);
         it != std::sregex_iterator(); ++it) {
      std::string command = (*it)[1].str();
      command = std::regex_replace(command, std::regex("NETWORK"), "alexnet");
      command = std::regex_replace(command, std::regex("NAME"), "m40");
      CAPTURE(command);
      CHECK(run_shell(command).exit_code == 0);
      ++commands;
    }
  }
  CHECK(commands > 0);
}

}  // namespace
}  // namespace ooc::test
