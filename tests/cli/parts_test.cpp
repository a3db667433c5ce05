// The parts of the command line that are easier to reach from inside: layer times, suggestions, flags.
#include <iterator>
#include <regex>

#include "cli/command.hpp"
#include "cli/job_file.hpp"
#include "cli/layer_times.hpp"
#include "cli/options.hpp"
#include "cli/parse.hpp"
#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"
#include "model/network/network_json.hpp"
#include "simulator/predict/scheduled_case.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

Network two_layers() {
  return read_network_text(R"({
    "format": "ooc-paleo/network", "version": 1, "name": "two", "source": "made up",
    "dtype": "float32", "inputs": [{"name": "data", "shape": [4]}],
    "layers": [
      {"name": "fc, first", "type": "linear", "units": 2},
      {"name": "fc \"2\"", "type": "linear", "units": 2}
    ]})",
                           "two.json");
}

const Flag kPlain{.name = "--plain", .value = "X", .help = "", .brief = "-p"};
const Flag kMany{.name = "--many",
                 .value = "X",
                 .help = "",
                 .completes = Completes::kNothing,
                 .choices = {},
                 .many = true};
const Flag kSwitch{"--switch", "", ""};
const Flag kFlags[] = {kPlain, kMany, kSwitch};
const Command kCommand{.name = "try",
                       .summary = "",
                       .examples = "",
                       .positionals = {.name = "THING", .help = ""},
                       .flags = kFlags,
                       .run = nullptr};

Arguments parsed(std::vector<std::string> words) {
  words.insert(words.begin(), {"ooc-paleo", "try"});
  return std::get<Arguments>(parse_arguments(kCommand, words));
}

using Texts = std::vector<std::string>;

Texts all(std::span<const std::string> values) { return {values.begin(), values.end()}; }

TEST_CASE("a byte order mark before layer times is no part of them") {
  const Network network = two_layers();
  const auto times = read_layer_times_text(
      "\xef\xbb\xbflayer,forward_ms,backward_ms\r\n\"fc, first\",1,2\r\n", "t.csv", network);
  REQUIRE(times.size() == 1);
  CHECK(times[0].forward == Duration(1'000'000));
}

TEST_CASE("layer times are matched by name, quotes and commas included, rounded to nanoseconds") {
  const Network network = two_layers();
  const auto times = read_layer_times_text(
      "layer,forward_ms,backward_ms\n\"fc \"\"2\"\"\",0.0000014,2\n\"fc, first\",1.5,0\n", "t.csv",
      network);
  REQUIRE(times.size() == 2);  // in layer order, whatever the file's
  CHECK(times[0].layer == LayerId{0});
  CHECK(times[0].forward == Duration(1'500'000));
  CHECK(times[0].backward == Duration(0));
  CHECK(times[1].layer == LayerId{1});
  CHECK(times[1].forward == Duration(1));  // 1.4 ns
  CHECK(times[1].backward == Duration(2'000'000));
}

TEST_CASE("flags take their values in every usual spelling") {
  CHECK(parsed({"--plain", "a"}).value("--plain") == "a");
  CHECK(parsed({"--plain=a"}).value("--plain") == "a");
  CHECK(parsed({"-p", "a"}).value("--plain") == "a");
  CHECK(parsed({"-pa"}).value("--plain") == "a");
  CHECK(parsed({"--plain", "-5"}).value("--plain") == "-5");
  CHECK(parsed({"--plain", "-"}).value("--plain") == "-");
  CHECK(parsed({"--plain", ""}).value("--plain") == "");
  CHECK(parsed({"--plain", "a,b"}).value("--plain") == "a,b");
  CHECK(parsed({"--plain", "[a]"}).value("--plain") == "[a]");
  CHECK(!parsed({}).has("--plain"));
  CHECK(parsed({"--switch"}).has("--switch"));
  CHECK(all(parsed({"--many", "a", "b", "--many=c", "--switch"}).values("--many")) ==
        Texts{"a", "b", "c"});
  CHECK(parsed({"thing", "--switch"}).positionals == Texts{"thing"});
  CHECK(parsed({"--", "--plain"}).positionals == Texts{"--plain"});
  CHECK(parsed({"x"}).command_line == Texts{"ooc-paleo", "try", "x"});
}

TEST_CASE("every command's flags are unique, explained, and named like flags") {
  std::set<std::string_view> names;
  for (const Command* command : commands()) {
    CAPTURE(command->name);
    CHECK(names.insert(command->name).second);
    CHECK(!command->summary.empty());
    std::set<std::string_view> flags;
    for (const Flag& flag : command->flags) {
      CAPTURE(flag.name);
      CHECK(flags.insert(flag.name).second);
      CHECK(flag.name.substr(0, 2) == "--");
      CHECK(!flag.help.empty());
      if (!flag.brief.empty()) CHECK(flags.insert(flag.brief).second);
    }
  }
}

TEST_CASE("the texts for users name no flag that is not there") {
  std::set<std::string> known{"--help", "--version"};
  for (const Command* command : commands()) {
    for (const Flag& flag : command->flags)
      known.insert({std::string(flag.name), std::string(flag.brief)});
  }
  for (const std::string page :
       {"formats", "answers", "model", "tour", "transformers", "validation"}) {
    std::ifstream file(OOC_SOURCE_DIR "/docs/" + page + ".md");
    std::size_t named = 0;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("    sqlite3 ")) continue;  // has flags of its own
      const std::regex flag("--[a-z][a-z-]+");
      for (std::sregex_iterator each(line.begin(), line.end(), flag), end; each != end; ++each) {
        CAPTURE(page);
        CHECK_MESSAGE(known.contains(each->str()), each->str());
        ++named;
      }
    }
    CHECK(named > 0);
  }
}

TEST_CASE("the command line looks up no flag that is not there") {
  std::set<std::string> known;
  for (const Command* command : commands()) {
    for (const Flag& flag : command->flags) known.emplace(flag.name);
  }
  const std::regex looked_up(R"((has|value|values|refuse|_of)\((arguments, )?"(--[a-z-]+)\")");
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(OOC_SOURCE_DIR "/cli")) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    for (std::sregex_iterator each(text.begin(), text.end(), looked_up), end; each != end; ++each) {
      CHECK_MESSAGE(known.contains((*each)[3]), entry.path().string() << ": " << each->str());
      ++found;
    }
  }
  CHECK(found > 40);
}

TEST_CASE("predict --help has at most 40 flags, and its groups have the others") {
  const Command& predict = *find_command("predict");
  const auto in = [&](const std::string& word) {
    const auto text =
        std::get<HelpWanted>(
            parse_arguments(predict, word.empty() ? Texts{"ooc-paleo", "predict", "--help"}
                                                  : Texts{"ooc-paleo", "predict", "--help", word}))
            .text;
    std::size_t flags = 0;
    for (const Flag& flag : predict.flags) {
      const std::regex shown("\n  +(-o,)?" + std::string(flag.name) + "[ ,\n]");
      if (std::regex_search(text, shown)) ++flags;
    }
    return flags;
  };
  std::size_t sum = in("");
  CHECK(sum <= 40);
  for (const std::string& word : help_words(predict)) {
    if (word != "all") sum += in(word);
  }
  CHECK(sum == predict.flags.size());
  CHECK(in("all") == predict.flags.size());
  CHECK_THROWS_AS(static_cast<void>(in("transformer")), SpecError);
}

TEST_CASE("the schema of jobs beside the studies is the program's") {
  std::ifstream file(OOC_SOURCE_DIR "/studies/study.schema.json");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  CHECK_MESSAGE(text == job_schema(), "ooc-paleo schema job -o studies/study.schema.json");
}

TEST_CASE("lists are split at commas and may not hold an empty element") {
  CHECK(split_list("a,b", "--x") == Texts{"a", "b"});
  CHECK(split_list("a", "--x") == Texts{"a"});
  for (const char* bad : {"", ",", "a,", ",a", "a,,b"}) {
    CHECK_THROWS_AS(static_cast<void>(split_list(bad, "--x")), SpecError);
  }
}

TEST_CASE("blanks around a value, alone or in a list, mean nothing") {
  CHECK(split_list(" a ,b\t, c", "--x") == Texts{"a", "b", "c"});
  CHECK(bytes_of(" 12 GiB ", "--x") == Bytes(12LL << 30));
  CHECK(parse_batch(" 8 ", "--x") == 8);
  CHECK_THROWS_AS(static_cast<void>(split_list("a, ,b", "--x")), SpecError);
}

TEST_CASE(
    "an unfinished word is answered with those that begin so, a misspelt one with the nearest") {
  const Texts known{"vdnn-all", "vdnn-conv", "vdnn-like", "capacity"};
  CHECK(did_you_mean("vdn", known) == "did you mean vdnn-all, vdnn-conv or vdnn-like?");
  CHECK(did_you_mean("cap", known) == "did you mean capacity?");
  CHECK(did_you_mean("capcity", known) == "did you mean capacity?");
  CHECK(did_you_mean("banana", known) == "");
  CHECK(did_you_mean("x", {"x1", "x2", "x3", "x4", "x5", "x6", "x7"}) ==
        "did you mean x1, x2, x3, x4, x5 or x6?");
  CHECK(did_you_mean("", known) == "");
}

TEST_CASE("the end of an output's name says json or csv, in any case, or nothing") {
  for (const char* name : {"a.json", "b/a.JSON", "a.b.Json"}) CHECK(format_of_name(name) == "json");
  CHECK(format_of_name("a.CSV") == "csv");
  for (const char* name : {"-", "a", "a.xyz", "a.table", "b.json/a", "a.json.txt"}) {
    CAPTURE(name);
    CHECK(format_of_name(name) == "");
  }
  CHECK_THROWS_AS(static_cast<void>(format_of_name("a.sqlite")), SpecError);
}

TEST_CASE("all means every schedule in the order of the table") {
  Arguments arguments{.command = find_command("compare")};
  read_schedules(arguments);
  CHECK(std::ranges::equal(arguments.schedules, schedules()));
}

// Schedules that search by trial see their plans as the framework will run them.

const std::string kPartsData = std::string(OOC_SOURCE_DIR) + "/tests/data/";

/// Returns capacity's plan, having tried it; the trial's time is left here.
Duration tried;

PlanResult try_capacity(const PlanningProblem& problem) {
  PlanResult made = find_schedule("capacity")->make_plan(problem);
  tried = problem.evaluate(std::get<Plan>(made)).iteration_time.value();
  return made;
}

TEST_CASE("a trial runs with copies that wait as the plan's will") {
  const Schedule trying{.name = "trying",
                        .summary = "",
                        .source = "",
                        .traits = {Trait::kSearchesByTrial},
                        .make_plan = try_capacity};
  const Workload workload = read_workload(kPartsData + "worked_example.json");
  const Machine machine = read_machine(kPartsData + "worked_example_machine.json");
  CaseOptions options;
  options.memory = Bytes(4'000'000'000);
  struct Row {
    CopyStreams streams;
    int milliseconds;
  };
  for (const Row& row : {Row{CopyStreams::kOverlap, 600}, Row{CopyStreams::kFramework, 700},
                         Row{CopyStreams::kSerial, 800}}) {
    CAPTURE(static_cast<int>(row.streams));
    Framework framework;
    framework.copies.streams = row.streams;
    options.framework = std::make_shared<const Framework>(framework);
    const RunReport report = predict(make_case(workload, machine, options), trying);
    CHECK(tried == Duration(row.milliseconds * 1'000'000LL));
    CHECK(report.iteration_time == tried);
  }
}

}  // namespace
}  // namespace ooc::test
