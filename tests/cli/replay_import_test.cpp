// A plan that goes out as a file and comes back as measurements, as on a machine that has only nvcc.
#include <regex>

#include "tests/cli/replay_support.hpp"
#include "tests/support/test.hpp"

using namespace ooc::test;
using nlohmann::json;

namespace {

/// What the machine that has only the measuring program does.
void run_script(const ScratchFolder& folder, const std::string& script, const std::string& log) {
  const Ran ran = run_program(
      {OOC_GPU_STUB, "--only", "replay", "--replay", script, "--output", log}, in(folder));
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
}

void export_plan(const ScratchFolder& folder, Words more, const std::string& script) {
  more.insert(more.end(), {"--export-plan", script});
  const Ran ran = replay_without(folder, more);
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  CHECK(ran.out.empty());
  CHECK(has(ran.err, "ooc-paleo-gpu --only replay --replay " + script));
}

Ran import(const ScratchFolder& folder, Words more, const std::string& log) {
  more.insert(more.end(), {"--import-measurements", log, "--format", "json"});
  return replay_without(folder, more);
}

/// Without what says how it was got.
json numbers(const Ran& ran) {
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  json result = replay_json(ran);
  result.erase("tool");
  result["run"].erase("imported");
  result["inputs"].erase("import_measurements");
  return result;
}

const Words kConv{"--schedule", "vdnn-conv", "--steps"};

}  // namespace

TEST_CASE("export, script and import give what the direct run gives") {
  const ScratchFolder folder;
  export_plan(folder, kConv, "a.script");
  run_script(folder, "a.script", "a.log");
  const Ran imported = import(folder, kConv, "a.log");
  CHECK(replay_json(imported)["run"]["imported"] == true);
  Words direct = kConv;
  direct.insert(direct.end(), {"--format", "json"});
  CHECK(numbers(imported) == numbers(replay(folder, direct)));
}

TEST_CASE("scripts put together are one script, and each job finds its answer") {
  const ScratchFolder folder;
  const Words all{"--schedule", "vdnn-all"};
  const Words busy{"--schedule", "vdnn-all", "--compute", "busy"};
  export_plan(folder, kConv, "1");
  export_plan(folder, all, "2");
  export_plan(folder, busy, "3");
  folder.file("s", folder.read("1") + folder.read("2") + folder.read("3"));
  run_script(folder, "s", "log");
  CHECK(numbers(import(folder, kConv, "log"))["inputs"]["schedule"] == "vdnn-conv");
  CHECK(numbers(import(folder, all, "log"))["inputs"]["schedule"] == "vdnn-all");
  CHECK(numbers(import(folder, busy, "log"))["run"]["mode"] == "busy");
}

TEST_CASE("with a device named the plan is exported and run") {
  const ScratchFolder folder;
  const Ran ran = replay(folder, {"--export-plan", "x"});
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  CHECK(has(ran.out, "measured"));
  CHECK(has(folder.read("x"), "\nplan id="));
}

TEST_CASE("measurements of another job, or cut short, are refused") {
  const ScratchFolder folder;
  export_plan(folder, kConv, "s");
  run_script(folder, "s", "log");
  for (const Words& other :
       {Words{"--schedule", "vdnn-all", "--batch", "1"},
        Words{"--schedule", "vdnn-conv", "--batch", "32"},
        Words{"--schedule", "vdnn-conv", "--batch", "1", "--link", "9GB/s"},
        Words{"--schedule", "vdnn-conv", "--batch", "1", "--compute", "busy"}}) {
    Words words = Words{"replay", "example_skip", "--hardware", kStubMachine} + other +
                  Words{"--import-measurements", "log"};
    const Ran ran = run_ooc_paleo(words, in(folder));
    CHECK(ran.exit_code == 2);
    CHECK_MESSAGE(has(ran.err, "log: found runs of 1 other plans"), ran.err);
  }
  const std::string log = folder.read("log");
  folder.file("half", log.substr(0, log.size() / 2));
  const Ran half = import(folder, kConv, "half");
  CHECK(half.exit_code == 2);
  CHECK(has(half.err, "half: found"));
  folder.file("old", "hello protocol=2 program=p version=9\n");
  CHECK(has(import(folder, kConv, "old").err, "old: line 1"));
  CHECK(has(import(folder, kConv, "nowhere").err, "--import-measurements"));
  const Ran both = replay_without(folder, {"--import-measurements", "log", "--device", "1"});
  CHECK(both.exit_code == 2);
  CHECK(has(both.err, "--device cannot be combined with --import-measurements"));
}

TEST_CASE("the number of iterations does not make another job") {
  const ScratchFolder folder;
  Words few = kConv;
  few.insert(few.end(), {"--iterations", "3"});
  export_plan(folder, few, "s");
  run_script(folder, "s", "log");
  CHECK(numbers(import(folder, kConv, "log"))["iteration_time_ns"]["all"].size() == 3);
}

TEST_CASE("an import is not overwritten by an output") {
  const ScratchFolder folder;
  export_plan(folder, kConv, "s");
  run_script(folder, "s", "log");
  Words words = kConv;
  words.insert(words.end(), {"-o", "log"});
  const Ran ran = import(folder, words, "log");
  CHECK(ran.exit_code == 2);
  CHECK(has(ran.err, "which is an input"));
}

TEST_CASE("what a log says went wrong is cleaned before it is shown") {
  const ScratchFolder folder;
  export_plan(folder, kConv, "a.script");
  std::smatch id;
  const std::string script = folder.read("a.script");
  REQUIRE(std::regex_search(script, id, std::regex(" id=([0-9]+) ")));
  folder.file("a.log", R"({"record":"hello","format":"ooc-paleo/bench","version":1})"
                       "\n"
                       R"({"record":"error","request":"replay id=)" +
                           id[1].str() +
                           R"(","text":"broken\u001b[2J\u009b\u202e"})"
                           "\n");
  const Ran ran = import(folder, kConv, "a.log");
  CHECK(ran.exit_code == 5);
  CHECK(has(ran.err, "broken?[2J??\n"));
}
