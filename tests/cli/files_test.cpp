// Output files: found unwritable before the work starts, never half written, never lost.
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

Ran predict_in(const ScratchFolder& scratch, Words more) {
  return run_ooc_paleo(Words{"predict", kNetwork, "--hardware", kMachine} + more, in(scratch));
}

TEST_CASE("an output that cannot be written is found first and leaves nothing behind") {
  const ScratchFolder scratch;
  for (const Words& flags :
       std::vector<Words>{{"-o", "no/such/folder/x.json"},
                          {"-o", "."},
                          {"-o", ""},
                          {"-o", "fine.json", "--trace", "no/such/folder/x"},
                          {"-o", "fine.json", "--export-plan", "/proc/plan"}}) {
    const Ran ran = predict_in(scratch, flags);
    CAPTURE(ran.err);
    CHECK(ran.exit_code == 2);
    CHECK(ran.out == "");
    CHECK(has(ran.err, "a place that can be written"));
    CHECK(scratch.entries().empty());
  }
  CHECK(has(predict_in(scratch, {"-o", "."}).err, "found \".\", which is a directory"));
}

TEST_CASE("an existing file is replaced on success, keeping its mode, and untouched on failure") {
  const ScratchFolder scratch;
  scratch.file("result.json", "old");
  chmod((scratch.path() / "result.json").c_str(), 0640);
  CHECK(predict_in(scratch, {"-o", "result.json", "--memory", "no"}).exit_code == 2);
  CHECK(predict_in(scratch, {"-o", "result.json", "--hardware=no"}).exit_code == 2);
  const Ran bad = run_ooc_paleo(
      {"predict", scratch.file("bad.json", "{"), "--hardware", kMachine, "-o", "result.json"},
      in(scratch));
  CHECK(bad.exit_code == 2);
  CHECK(scratch.read("result.json") == "old");
  CHECK(predict_in(scratch, {"-o", "result.json"}).exit_code == 0);
  CHECK(has(scratch.read("result.json"), "\"iteration_time_ns\""));
  CHECK(scratch.entries() == Words{"bad.json", "result.json"});
  struct stat status {};
  REQUIRE(stat((scratch.path() / "result.json").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
}

TEST_CASE("a link is followed: its target is written, the link stays") {
  const ScratchFolder scratch;
  scratch.file("target.json", "old");
  std::filesystem::create_symlink("target.json", scratch.path() / "link.json");
  CHECK(predict_in(scratch, {"-o", "link.json"}).exit_code == 0);
  CHECK(std::filesystem::is_symlink(scratch.path() / "link.json"));
  CHECK(has(scratch.read("target.json"), "\"iteration_time_ns\""));
}

TEST_CASE("a link whose target is missing is followed too") {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch.path() / "folder");
  std::filesystem::create_symlink("folder/second.json", scratch.path() / "first.json");
  std::filesystem::create_symlink("target.json", scratch.path() / "folder/second.json");
  CHECK(predict_in(scratch, {"-o", "first.json"}).exit_code == 0);
  CHECK(std::filesystem::is_symlink(scratch.path() / "first.json"));
  CHECK(std::filesystem::is_symlink(scratch.path() / "folder/second.json"));
  CHECK(has(scratch.read("folder/target.json"), "\"iteration_time_ns\""));
}

TEST_CASE("a loop of links is an error in every command, at once") {
  const ScratchFolder scratch;
  std::filesystem::create_symlink("b", scratch.path() / "a");
  std::filesystem::create_symlink("a", scratch.path() / "b");
  const std::string job = kNetwork + " --hardware " + kMachine;
  for (const std::string& command :
       {"predict " + job + " -o a", "predict " + job + " --trace a",
        "predict " + job + " --export-plan a", "compare " + job + " -o a", "sweep " + job + " -o a",
        "max-batch " + job + " -o a", "inspect " + kNetwork + " -o a", std::string("validate -o a"),
        "replay " + job + " -o a", std::string("list networks -o a")}) {
    CAPTURE(command);
    check_ends(run_shell("timeout 10 ooc-paleo " + command, in(scratch)), 2,
               {"Too many levels of symbolic links"});
  }
  CHECK(scratch.entries() == Words{"a", "b"});
}

TEST_CASE("with standard error closed its messages do not get into an output") {
  const ScratchFolder scratch;
  const Ran ran =
      run_shell("ooc-paleo sweep " + kNetwork + " --hardware " + kMachine +
                    " --memory 1GB,4GB -o r.csv <&- 2>&- && ooc-paleo predict " + kNetwork +
                    " --hardware " + kMachine + " --memory 2GB --trace t.json -o r.json 2>&-",
                in(scratch));
  CHECK(ran.exit_code == 3);
  CHECK(scratch.entries() == Words{"r.csv", "r.json"});
  CHECK_FALSE(has(scratch.read("r.csv"), "ooc-paleo:"));
  CHECK_FALSE(has(scratch.read("r.json"), "ooc-paleo:"));
  CHECK(scratch.read("r.json").starts_with('{'));
}

TEST_CASE("a result for standard output that is closed is an error, found first") {
  for (const std::string& command :
       {"predict " + kNetwork + " --hardware " + kMachine, std::string("list schedules"),
        std::string("--version"), "sweep " + kNetwork + " --hardware " + kMachine}) {
    CAPTURE(command);
    check_ends(run_shell("ooc-paleo " + command + " >&-"), 2,
               {"found standard output, which is closed"});
  }
}

TEST_CASE("the longest name that a file can have is one for an output") {
  const ScratchFolder scratch;
  const std::string name = std::string(250, 'n') + ".json";
  CHECK(predict_in(scratch, {"-o", name}).exit_code == 0);
  CHECK(scratch.entries() == Words{name});
}

TEST_CASE("several processes that write one output end, and one of their results is there") {
  const ScratchFolder scratch;
  const std::string command = "ooc-paleo inspect " + kNetwork + " -o r.json";
  CHECK(run_shell(command + " & " + command + " & " + command + "; wait", in(scratch)).exit_code == 0);
  CHECK(scratch.entries() == Words{"r.json"});
  CHECK(has(scratch.read("r.json"), "ooc-paleo/inspection"));
}

TEST_CASE("an output in the place of an input is refused, by whatever name, and the input stays") {
  const ScratchFolder scratch;
  const std::string network = read_file(kNetwork);
  const std::string machine = read_file(kMachine);
  const std::string times = "layer,forward_ms,backward_ms\n";
  scratch.file("n.json", network);
  scratch.file("m.json", machine);
  scratch.file("t.csv", times);
  std::filesystem::create_symlink("n.json", scratch.path() / "soft.json");
  std::filesystem::create_hard_link(scratch.path() / "m.json", scratch.path() / "hard.json");
  const auto refuses = [&](Words arguments, const std::string& flag) {
    const Ran ran = run_ooc_paleo(std::move(arguments), in(scratch));
    CAPTURE(ran.err);
    CHECK(ran.exit_code == 2);
    CHECK(ran.out == "");
    CHECK(has(ran.err, "error: " + flag + ": found"));
    CHECK(has(ran.err, "which is an input"));
    CHECK(scratch.read("n.json") == network);
    CHECK(scratch.read("m.json") == machine);
    CHECK(scratch.read("t.csv") == times);
    CHECK(scratch.entries().size() == 5);
  };
  for (const char* place : {"n.json", "./n.json", "soft.json", "m.json", "hard.json", "t.csv"}) {
    for (const char* flag : {"--output", "--trace", "--export-plan"}) {
      CAPTURE(place);
      refuses({"predict", "n.json", "--hardware", "m.json", "--layer-times", "t.csv", "--format",
               "json", flag, place},
              flag);
    }
  }
  refuses({"compare", "n.json", "--hardware", "m.json", "-o", "n.json"}, "--output");
  refuses({"inspect", "n.json", "--hardware", "m.json", "-o", "hard.json"}, "--output");
  refuses({"sweep", kNetwork, "n.json", "--hardware", kMachine + ",m.json", "-o", "hard.json"},
          "--output");
}

TEST_CASE("a name of a shipped file is an input like its path") {
  const ScratchFolder data;
  std::filesystem::create_directory(data.path() / "networks");
  const std::string path = data.file("networks/mine.json", read_file(kNetwork));
  check_ends(run_ooc_paleo({"inspect", "mine", "-o", path},
                           {.folder = "/", .environment = {{"OOC_PALEO_DATA", data.path()}}}),
             2, {"which is an input"});
  CHECK(read_file(path) == read_file(kNetwork));
}

TEST_CASE("a full disk is an error that says so") {
  const ScratchFolder scratch;
  for (const char* script :
       {"ooc-paleo list schedules > /dev/full", "ooc-paleo list schedules -o /dev/full",
        "ooc-paleo --version > /dev/full", "ooc-paleo schema network > /dev/full"}) {
    CAPTURE(script);
    check_ends(run_shell(script, in(scratch)), 2, {"No space left on device"});
  }
  CHECK(predict_in(scratch, {"-o", "/dev/full"}).exit_code == 2);
  CHECK(predict_in(scratch, {"-o", "/dev/null"}).exit_code == 0);
}

TEST_CASE("standard output can be named as - or /dev/stdout") {
  const ScratchFolder scratch;
  const Ran plain = predict_in(scratch, {"--format", "csv"});
  CHECK(plain.exit_code == 0);
  CHECK(predict_in(scratch, {"--format", "csv", "-o", "-"}).out == plain.out);
  CHECK(predict_in(scratch, {"--format", "csv", "-o", "/dev/stdout"}).out == plain.out);
}

TEST_CASE("a reader that goes away ends the program quietly") {
  const ScratchFolder scratch;
  const Ran ran =
      run_shell("{ ooc-paleo sweep " + kNetwork + " --hardware " + kMachine +
                    " --batch 1:3000:+1 --schedule all --quiet; echo code $? >&2; } | head -n 1",
                in(scratch));
  CHECK(ran.exit_code == 0);
  CHECK(ran.err == "code 0\n");
}

TEST_CASE("a reader that is gone leaves the exit status as it is") {
  for (const auto& [memory, code] : {std::pair{"1GB", "code 3\n"}, {"4GB", "code 0\n"}}) {
    const Ran ran =
        run_shell("{ sleep 0.3; ooc-paleo predict " + kNetwork + " --hardware " + kMachine +
                  " --memory " + memory + " --quiet; echo code $? >&2; } | true");
    CHECK(ran.err == code);
  }
}

TEST_CASE("two outputs in one place are refused") {
  const ScratchFolder scratch;
  for (const Words& flags : std::vector<Words>{{"--trace", "-"},
                                               {"-o", "x", "--trace", "x"},
                                               {"-o", "x", "--trace", "./x"},
                                               // said before any of them is made
                                               {"-o", "/proc/x", "--trace", "/proc/x"},
                                               {"--trace", "x", "--export-plan", "x"}}) {
    check_ends(predict_in(scratch, flags), 2, {"a place of its own"});
  }
  CHECK(scratch.entries().empty());
}

TEST_CASE("trace and plan are written beside the result") {
  const ScratchFolder scratch;
  const Ran ran = predict_in(
      scratch, {"--memory", "4GB", "-o", "r.csv", "--trace", "t.json", "--export-plan", "p.txt"});
  CAPTURE(ran.err);
  CHECK(ran.exit_code == 0);
  CHECK(scratch.entries() == Words{"p.txt", "r.csv", "t.json"});
  CHECK(has(scratch.read("t.json"), "traceEvents"));
  CHECK(has(scratch.read("p.txt"), "a.forward"));
  CHECK(scratch.read("r.csv").starts_with("network,"));
}

TEST_CASE("a job that does not fit writes its result but no trace") {
  const ScratchFolder scratch;
  const Ran ran = predict_in(scratch, {"--memory", "2GB", "-o", "r.json", "--trace", "t.json"});
  CHECK(ran.exit_code == 3);
  CHECK(scratch.entries() == Words{"r.json"});
  CHECK(ran.err == "ooc-paleo: the job does not fit: no trace is written\n");
  const Ran plan =
      predict_in(scratch, {"--memory", "2GB", "-o", "r.json", "--export-plan", "p.txt"});
  CHECK(plan.err == "ooc-paleo: the job does not fit: no plan is written\n");
}

TEST_CASE("networks are found from any directory, own data first") {
  const ScratchFolder data;
  std::filesystem::create_directory(data.path() / "networks");
  data.file("networks/mine.json", read_file(kNetwork));
  data.file("networks/vgg19.json", read_file(kNetwork));
  const std::vector<std::pair<std::string, std::string>> own{
      {"OOC_PALEO_DATA", data.path().string()}};
  const Ran mine = run_ooc_paleo({"list", "networks"}, {.folder = "/", .environment = own});
  CHECK(mine.exit_code == 0);
  CHECK(has(mine.out, "\nmine "));
  CHECK(has(mine.out, "\nvgg16 "));
  const Ran vgg19 =
      run_ooc_paleo({"inspect", "vgg19", "--format", "json"}, {.folder = "/", .environment = own});
  CHECK(has(vgg19.out, "\"worked_example\""));

  check_ends(run_ooc_paleo({"list", "networks"},
                           {.folder = "/", .environment = {{"OOC_PALEO_DATA", "/no"}}}),
             2, {"OOC_PALEO_DATA"});
}

}  // namespace
}  // namespace ooc::test
