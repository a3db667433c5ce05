// What reaches a terminal: nothing that it would obey, nothing endless, and lines that fit it.
#include <regex>

#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

/// A line break, an escape sequence, a C1 control and a change of direction, as JSON has them and as bytes.
const std::string kHostileJson = R"(x\u001b[31m\u009b2J\u202e\u0007\u007f)";
const Words kHostile{"\x1b", "\u009b", "\u202e", "\x07", "\x7f"};

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  const std::size_t at = text.find(old);
  REQUIRE_MESSAGE(at != std::string::npos, old);
  return text.replace(at, old.size(), by);
}

void check_clean(const std::string& text) {
  for (const std::string& bad : kHostile) CHECK_FALSE(has(text, bad));
}

/// Every text of both files that a command may show.
std::string hostile_network() {
  std::string text = read_file(kNetwork);
  text = replaced(text, "\"worked_example\"", "\"n" + kHostileJson + "\"");
  text = std::regex_replace(text, std::regex("\"name\": \"a\""),
                            "\"name\": \"a" + kHostileJson + "\"");
  return std::regex_replace(text, std::regex("\"source\": \""), "\"source\": \"" + kHostileJson);
}

std::string hostile_machine() {
  std::string text = read_file(kMachine);
  text = replaced(text, "\"worked_example_machine\"", "\"m" + kHostileJson + "\"");
  text = replaced(text, "\"made up\"", "\"c" + kHostileJson + "\"");
  text = replaced(text, "\"description\": \"", "\"description\": \"" + kHostileJson);
  return std::regex_replace(text, std::regex("\"source\": \""), "\"source\": \"" + kHostileJson);
}

TEST_CASE("names from files reach no output with what a terminal obeys") {
  const ScratchFolder scratch;
  const std::string network = scratch.file("n.json", hostile_network());
  const std::string machine = scratch.file("m.json", hostile_machine());
  const std::string trace = (scratch.path() / "trace").string();
  const std::string plan = (scratch.path() / "plan").string();
  for (const std::string format : {"table", "csv", "json"}) {
    for (const std::string command :
         {"predict", "compare", "max-batch", "need", "inspect", "sweep"}) {
      if (command == "sweep" && format == "table") continue;
      Words words{command, network, "--hardware", machine, "--format", format};
      if (command == "max-batch") words.insert(words.end(), {"--limit", "2"});
      if (command == "need") words.insert(words.begin() + 1, "link");
      if (command == "predict") {
        words.insert(words.end(), {"--trace", trace, "--export-plan", plan, "--memory", "3e9 B"});
      }
      const Ran ran = run_ooc_paleo(words);
      CAPTURE(format);
      CAPTURE(command);
      CAPTURE(ran.err);
      CHECK(ran.exit_code == 0);
      CHECK(ran.out.find('x') != std::string::npos);
      check_clean(ran.out);
      check_clean(ran.err);
    }
  }
  check_clean(read_file(trace));
  CHECK_FALSE(has(read_file(trace), "\\u001b"));  // viewers undo what JSON escapes
  check_clean(read_file(plan));
  // Too little memory names tensors.
  const Ran small = run_ooc_paleo({"predict", network, "--hardware", machine, "--memory", "1 GB"});
  CHECK(small.exit_code == 3);
  check_clean(small.out);
}

TEST_CASE("an echoed line is cut, however long it is") {
  const ScratchFolder scratch;
  const std::string endless(3'000'000, 'a');
  const std::string times = scratch.file("times.csv", endless + "\n");
  const std::string fields =
      scratch.file("fields.csv", "layer,forward_ms,backward_ms\n" + endless + ",1,2\n");
  const std::string samples = scratch.file("samples", endless + "\n");
  const std::vector<Words> commands{
      {"predict", kNetwork, "--hardware", kMachine, "--layer-times", times},
      {"predict", kNetwork, "--hardware", kMachine, "--layer-times", fields},
      {"replay", kNetwork, "--hardware", kMachine, "--import-measurements", samples},
      {"calibrate", "--probe", "none", "--from", samples, "-o",
       (scratch.path() / "profile.json").string()}};
  for (const Words& command : commands) {
    const Ran ran = run_ooc_paleo(command);
    CAPTURE(ran.err.substr(0, 1000));
    CHECK(ran.exit_code == 2);
    CHECK(ran.err.size() < 6000);
  }
}

TEST_CASE("layer times take the names that CSV shows") {
  const ScratchFolder scratch;
  const std::string network = scratch.file(
      "n.json", replaced(read_file(kNetwork), "\"name\": \"a\"", "\"name\": \"=a\\u001b\\n\""));
  const std::string listed = run_ooc_paleo({"inspect", network, "--format", "csv"}).out;
  CHECK(has(listed, "\n'=a\\u001b\\u000a,"));
  const std::string times =
      scratch.file("times.csv", "layer,forward_ms,backward_ms\n'=a\\u001b\\u000a,1,2\n");
  CHECK(run_ooc_paleo({"predict", network, "--hardware", kMachine, "--layer-times", times})
            .exit_code == 0);
}

TEST_CASE("on a terminal of 60 columns tables and help fit") {
  // script(1) gives the command a terminal.
  for (const std::string command :
       {"predict vgg16 --hardware v100-16gb-pcie3 --batch 256 --schedule vdnn-conv",
        "compare vgg16 --hardware v100-16gb-pcie3 --batch 256 --search 20 --quiet",
        "inspect alexnet", "sweep --help", "max-batch alexnet --hardware m40 --limit 64",
        "validate M4", "list", "predict --help", "--help",
        "sweep vgg16 alexnet --hardware v100-16gb-pcie3 --batch 8 --link 16GB/s,64GB/s "
        "--schedule capacity,vdnn-all,recompute --quiet -o /dev/null",
        "calibrate --probe none -o /dev/null --from " OOC_SOURCE_DIR
        "/tests/data/calibrate/stub.samples.jsonl"}) {
    CAPTURE(command);
    const Ran ran =
        run_shell("script -qec 'ooc-paleo " + command + "' /dev/null",
                  {.folder = "/", .environment = {{"COLUMNS", "60"}, {"TERM", "xterm"}}});
    CHECK(ran.exit_code == 0);
    CHECK(std::count(ran.out.begin(), ran.out.end(), '\n') > 5);
    const std::regex colour("\x1b\\[[0-9;]*m");
    std::string text = std::regex_replace(ran.out, colour, "");
    text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string line = text.substr(begin, end - begin);
      // A path longer than a line stays whole.
      const bool one_word = line.find(' ', line.find_first_not_of(' ')) == std::string::npos &&
                            line.find('/') != std::string::npos;
      const auto columns = std::count_if(line.begin(), line.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
      });
      if (!one_word) CHECK_MESSAGE(columns <= 60, line);
      begin = end + 1;
    }
    if (has(text, "no room for: ")) continue;
    // Nothing is lost: every word of the wide text is there.
    const std::string wide = run_shell("COLUMNS=60 ooc-paleo " + command).out;
    const std::regex word("[A-Za-z0-9_/.-]+");
    for (auto it = std::sregex_iterator(wide.begin(), wide.end(), word);
         it != std::sregex_iterator(); ++it) {
      const std::string each = it->str();
      CHECK_MESSAGE(has(text, each), each);
    }
  }
}

/// What a terminal of 80 columns shows, without colours.
std::string at_80_columns(const std::string& command) {
  const Ran ran = run_shell("script -qec 'ooc-paleo " + command + "' /dev/null",
                            {.folder = "/", .environment = {{"COLUMNS", "80"}, {"TERM", "xterm"}}});
  CHECK(ran.exit_code == 0);
  std::string text = std::regex_replace(ran.out, std::regex("\x1b\\[[0-9;]*m"), "");
  text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
  return text;
}

std::ptrdiff_t lines_with(const std::string& text, const std::string& line) {
  const std::regex begins("(^|\n)" + line);
  return std::distance(std::sregex_iterator(text.begin(), text.end(), begins),
                       std::sregex_iterator());
}

TEST_CASE("on a terminal of 80 columns an answer is one table") {
  const std::string job = "vgg16 --hardware v100-16gb-pcie3 --batch 256 --memory 12GiB --quiet";
  const std::string one = at_80_columns("predict " + job);
  CHECK(lines_with(one, "  iteration time +[0-9.]+ m?s +[0-9.]+ samples/s\n") == 1);
  CHECK(lines_with(one, "  iteration time") == 1);
  CHECK(lines_with(one, "  Layers|  layer ") == 1);
  const std::string all =
      at_80_columns("compare " + job + " --schedules in-core,capacity,vdnn-all,vdnn++,modnn");
  CHECK(lines_with(all, "  schedule .* time  slowdown .* largest loss\n") == 1);
  CHECK(lines_with(all, "  schedule ") == 2);  // those that do not fit have the other
  CHECK(lines_with(all, "  no room for: .*far, ") == 1);
  CHECK(lines_with(all, "  gap: ") == 0);  // of columns that are not there nothing is said
  CHECK(
      lines_with(
          at_80_columns(
              "need link vgg16 --hardware v100-16gb-pcie3 --batch 256 --schedules capacity,vdnn++"),
          "  schedule .* link .* time ") == 1);
  CHECK(lines_with(at_80_columns("max-batch alexnet --hardware m40 --schedules in-core,capacity"),
                   "  schedule .* batch .* time ") == 1);
}

TEST_CASE("every answer begins with its framework and what that means") {
  const std::string ideal = "framework ideal (no overhead, exact memory)";
  const std::string pytorch = "framework pytorch-2 (PyTorch 2, caching allocator)";
  const Words machine{"--hardware", "m40", "--quiet"};
  const Words job = Words{"alexnet"} + machine + Words{"--batch", "8"};
  for (const Words& command :
       {Words{"predict"} + job, Words{"compare"} + job, Words{"need", "link"} + job,
        Words{"fit"} + job, Words{"max-batch", "alexnet", "--limit", "4"} + machine,
        Words{"inspect"} + job}) {
    CAPTURE(command[0]);
    const auto first_line = [&](const Words& more) {
      const std::string out = run_ooc_paleo(of_one_schedule(command) + more).out;
      return out.substr(0, out.find('\n'));
    };
    if (command[0] == "inspect") {  // has no schedules
      const std::string out = run_ooc_paleo(command).out;
      CHECK(has(out.substr(0, out.find('\n')), ideal));
      continue;
    }
    CHECK(has(first_line({}), ideal));
    CHECK(has(first_line({"--framework", "pytorch-2"}), pytorch));
  }
  const Ran sweep = run_ooc_paleo({"sweep", "alexnet", "--hardware", "m40", "--batch", "8",
                                   "--schedule", "capacity", "--framework", "ideal,pytorch-2"});
  CHECK_MESSAGE(has(sweep.err, "2 rows, " + ideal + ", " + pytorch + ": 2 ran"), sweep.err);
  CHECK(has(run_ooc_paleo(Words{"predict"} + job + Words{"--format", "json"}).out,
            R"("framework_meaning": "no overhead, exact memory")"));
  for (const auto& file : std::filesystem::directory_iterator(kSource + "/hwprofiles/software")) {
    CAPTURE(file.path().string());
    CHECK(has(read_file(file.path()), "\"meaning\": "));
  }
}

TEST_CASE("what is no terminal gets the same bytes whatever COLUMNS is") {
  const std::string command =
      "ooc-paleo compare vgg16 --hardware v100-16gb-pcie3 --batch 256 --search 20";
  CHECK(run_shell("COLUMNS=60 " + command).out == run_shell(command).out);
}

// Completion as a shell would use it.

/// What bash offers when the cursor is behind the last of `words`, one a line.
std::string offered(const std::string& words,
                    const Surroundings& surroundings = {
                        .folder = std::string(OOC_SOURCE_DIR) + "/tests/data", .environment = {}}) {
  const Ran ran =
      run_program({"/bin/bash", "-c",
                   "source <(ooc-paleo completion bash)\nCOMP_WORDS=(" + words +
                       ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_ooc_paleo\nprintf '%s\\n' "
                       "\"${COMPREPLY[@]}\"\n"},
                  surroundings);
  CHECK(ran.err == "");
  return ran.out;
}

TEST_CASE("bash offers commands, flags, choices and shipped names") {
  CHECK(offered("ooc-paleo pre") == "predict\n");
  CHECK(offered("ooc-paleo predict --har") == "--hardware\n");
  CHECK(offered("ooc-paleo predict vgg16 --format j") == "json\n");
  CHECK(offered("ooc-paleo predict vgg16 --hardware v100-16") == "v100-16gb-pcie3\n");
  CHECK(offered("ooc-paleo compare vgg16 --schedules vdnn-l") == "vdnn-like\n");
  CHECK(offered("ooc-paleo max-b") == "max-batch\n");
  CHECK(offered("ooc-paleo max-batch resnet50 --max") ==
        "--max-swaps\n--max-input\n");
  CHECK(offered("ooc-paleo max-batch resnet50 --schedules unified-") ==
        "unified-prefetch\nunified-prefetch+\n");
  CHECK(offered("ooc-paleo need link-to") == "link-to-far\nlink-to-near\n");
  CHECK(offered("ooc-paleo need link google") == "googlenet\n");
  CHECK(offered("ooc-paleo max --of b") == "batch\n");
  CHECK(offered("ooc-paleo predict google") == "googlenet\n");
  CHECK(offered("ooc-paleo predict vgg16 -o missp") == "misspelt.json\n");
  CHECK(offered("ooc-paleo list net") == "networks\n");
  CHECK(offered("ooc-paleo hardware n") == "new\n");
  CHECK(offered("ooc-paleo hardware new mine --mem") == "--memory\n--memory-rate\n");
  CHECK(offered("ooc-paleo predict vgg16 --batch 1") == "\n");
  CHECK(offered("ooc-paleo predict --help tr") == "transformers\n");
}

TEST_CASE("completion runs nothing that a file is called, and keeps names of files whole") {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch.path() / "data/networks");
  for (const char* name :
       {"$(touch${IFS}PWNED)", "`touch${IFS}PWNED`", "x(e:touch PWNED:)", "own"}) {
    scratch.file("data/networks/" + std::string(name) + ".json", read_file(kNetwork));
  }
  scratch.file("my $(touch PWNED).json", "");
  const Surroundings there{scratch.path(),
                           {{"OOC_PALEO_DATA", (scratch.path() / "data").string()}}};
  const std::string all = offered("ooc-paleo predict ''", there);
  CHECK(has(all, "\nown\n"));
  CHECK_FALSE(has(all, "touch$"));
  CHECK_FALSE(has(all, "(e:"));
  CHECK(has(all, "\nmy $(touch PWNED).json\n"));
  CHECK(offered("ooc-paleo predict own -o my", there) == "my $(touch PWNED).json\n");
  CHECK(scratch.entries() == Words{"data", "my $(touch PWNED).json"});
}

TEST_CASE("each shell gets its own script, an unknown one is refused") {
  CHECK(has(run_ooc_paleo({"completion", "zsh"}).out, "bashcompinit"));
  check_ends(run_ooc_paleo({"completion", "bahs"}), 2, {"did you mean bash?"});
}

}  // namespace
}  // namespace ooc::test
