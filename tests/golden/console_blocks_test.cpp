// The harness itself: it must find every command and tell every difference.
#include "tests/golden/console_blocks.hpp"

#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

const std::string kText =
    "Text\n```sh\n$ no command\n```\n```console\n$ one\nout 1\n\nout 2\n$ two \\\n    "
    "more\n```\nend\n";

TEST_CASE("commands and their outputs are found, other blocks are left alone") {
  const auto commands = console_commands(kText);
  REQUIRE(commands.size() == 2);
  CHECK(commands[0].line == 6);
  CHECK(commands[0].command == "one");
  CHECK(commands[0].output == "out 1\n\nout 2\n");
  CHECK(commands[1].command == "two \\\n    more");
  CHECK(commands[1].output == "");
}

TEST_CASE("updating replaces outputs and nothing else") {
  CHECK(with_outputs(kText,
                     [](const std::string& command) {
                       return command == "one" ? std::string("new\n") : std::string();
                     }) ==
        "Text\n```sh\n$ no command\n```\n```console\n$ one\nnew\n$ two \\\n    more\n```\nend\n");
  CHECK(with_outputs("no block", [](const std::string&) { return std::string("x"); }) ==
        "no block");
}

TEST_CASE("a console block without a command, or without an end, is an error") {
  CHECK_THROWS(static_cast<void>(console_commands("```console\n```\n")));
  CHECK_THROWS(static_cast<void>(console_commands("```console\nout\n$ one\n```\n")));
  CHECK_THROWS(static_cast<void>(console_commands("```console\n$ one\nout\n")));
}

}  // namespace
}  // namespace ooc::test
