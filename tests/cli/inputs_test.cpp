// Where inputs come from: names and paths, data folders, standard input; and what is said about them.
#include <sys/stat.h>

#include <regex>

#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a name means what is shipped, a path a file, whatever lies in the current folder") {
  const ScratchFolder scratch;
  const Surroundings here = in(scratch);
  // Absent, vgg16.json is not the shipped one.
  check_ends(
      run_ooc_paleo({"inspect", "vgg16.json"}, here), 2,
      {"\"vgg16.json\", a file that is not there", "(vgg16 without .json is the shipped one)"});

  const std::string remark = "ooc-paleo: remark: vgg16 is the network " + kSource +
                             "/networks/vgg16.json; the file in this folder is ";
  for (const std::string spelling : {"./vgg16", "vgg16.json"}) {
    CAPTURE(spelling);
    scratch.file(spelling, "no JSON");
    const Ran ran = run_ooc_paleo({"inspect", "vgg16"}, here);
    CHECK(ran.exit_code == 0);
    CHECK(ran.err == remark + spelling + "\n");
    CHECK(run_ooc_paleo({"inspect", "vgg16", "--quiet"}, here).err == "");
    // As it is spelt there it is the file.
    const Ran file = run_ooc_paleo({"inspect", spelling}, here);
    check_ends(file, 2, {spelling + ": "});
  }

  scratch.file("mine.json", read_file(kNetwork));
  CHECK(run_ooc_paleo({"inspect", "mine.json"}, here).exit_code == 0);
  const Ran mine = run_ooc_paleo({"inspect", "mine"}, here);
  check_ends(mine, 2, {"(the file in this folder is mine.json)"});
}

TEST_CASE("inspect says whose weights a layer uses, and list has the kinds of layers") {
  const std::string network = kSource + "/tests/fuzz/seeds/network/valid_transformer.json";
  CHECK(has(run_ooc_paleo({"inspect", network}).out, " tied "));
  const std::string json = run_ooc_paleo({"inspect", network, "--format", "json"}).out;
  CHECK(has(json, "\"tied_to\": \"table\""));
  CHECK(json.find("tied_to") == json.rfind("tied_to"));  // the head alone
  CHECK(has(run_ooc_paleo({"list", "layers"}).out, "\nrms_norm "));
}

TEST_CASE("list and --version say where data comes from") {
  const Ran networks = run_ooc_paleo({"list", "networks"});
  CHECK(networks.err == "ooc-paleo: networks: in " + kSource + "/networks\n");
  CHECK(run_ooc_paleo({"list", "networks", "--quiet"}).err == "");
  CHECK(run_ooc_paleo({"list", "schedules"}).err == "");

  const ScratchFolder own;
  fs::create_directory(own.path() / "networks");
  own.file("networks/mine.json", read_file(kNetwork));
  const Surroundings with_own{.folder = "/",
                              .environment = {{"OOC_PALEO_DATA", own.path().string()}}};
  const std::string version = run_ooc_paleo({"--version"}, with_own).out;
  CHECK(has(version, "data: " + own.path().string() + "\ndata: " + kSource + "\n"));

  const std::string all = run_ooc_paleo({"list"}, with_own).out;
  for (const char* kind : {"networks", "hardware", "schedules", "rows"}) {
    CHECK(std::regex_search(all, std::regex("(^|\n)" + std::string(kind) + "( in /.*)?\n  \\S")));
  }
  CHECK(has(all, own.path().string() + "/networks"));
  CHECK(has(all, "\n  mine "));
  CHECK(has(all, "\n  v100-16gb-pcie3 "));
}

TEST_CASE("a copied program reads no other tree's data and says what to do") {
  const ScratchFolder scratch;
  fs::create_directory(scratch.path() / "bin");
  const std::string copy = (scratch.path() / "bin/ooc-paleo").string();
  fs::copy_file(OOC_PROGRAM, copy);
  const std::string advice =
      "no data folder was found: neither " + (scratch.path() / "share/ooc-paleo").string();
  for (const Words& words :
       {Words{"predict", "vgg16", "--hardware", kMachine}, {"schema", "network"}, {"validate"}}) {
    Words command = words;
    command.insert(command.begin(), copy);
    check_ends(run_program(command), 2, {"OOC_PALEO_DATA"});
  }
  CHECK(has(run_program({copy, "inspect", "vgg16"}).err, advice));
  CHECK(has(run_program({copy, "--version"}).out, advice));
  CHECK(has(run_program({copy, "list"}).out, advice));
  // Paths need no data folder.
  CHECK(run_program({copy, "predict", kNetwork, "--hardware", kMachine}).exit_code == 0);
}

TEST_CASE("a dash is standard input, for networks, profiles, rows and layer times") {
  const std::string plain =
      run_ooc_paleo({"predict", kNetwork, "--hardware", kMachine, "--format", "csv"}).out;
  const auto piped = [](const std::string& file, const std::string& command) {
    return run_shell("cat " + file + " | ooc-paleo " + command);
  };
  CHECK(piped(kNetwork, "predict - --hardware " + kMachine + " --format csv").out == plain);
  CHECK(piped(kMachine, "predict " + kNetwork + " --hardware - --format csv").out == plain);
  CHECK(
      run_shell("ooc-paleo predict - --hardware " + kMachine + " --format csv < " + kNetwork).out ==
      plain);
  CHECK(has(piped(kSource + "/validation/M1.json", "validate -").out, "4 rows: 4 hold"));
  const Ran times =
      run_shell("printf 'layer,forward_ms,backward_ms\\na,1,2\\n' | ooc-paleo predict " + kNetwork +
                " --layer-times - --hardware " + kMachine);
  CAPTURE(times.err);
  CHECK(times.exit_code == 0);

  // Errors have a name for it, also those for which the text is read a second time.
  const Ran broken = run_shell("echo '{' | ooc-paleo inspect -");
  CHECK(broken.exit_code == 2);
  CHECK(broken.err.starts_with("ooc-paleo: error: standard input: "));
  const std::string fork =
      R"({"format":"ooc-paleo/network","version":1,"name":"fork","source":"made up",)"
      R"("dtype":"float32","inputs":[{"name":"data","shape":[4]}],"layers":[)"
      R"({"name":"a","type":"linear","units":4},)"
      R"({"name":"r","type":"relu","inputs":["a"],"in_place":true},)"
      R"({"name":"s","type":"add","inputs":["a","r"]}]})";
  CHECK(has(run_shell("echo '" + fork + "' | ooc-paleo inspect -").err,
            "standard input: /layers/1/in_place: "));

  check_ends(piped(kNetwork, "predict - --hardware -"), 2,
             {"--hardware: found standard input, which is read already"});
  check_ends(run_shell("yes | ooc-paleo inspect - --max-input 1MiB"), 2, {"--max-input"});
}

TEST_CASE("a batch that nobody stated is asked for, where it matters") {
  const std::string said =
      "--batch: found none, and none in the network alexnet, expected the samples of an iteration, "
      "e.g. --batch 32 (`ooc-paleo max-batch` finds the largest that fits)";
  const ScratchFolder scratch;
  std::string text = read_file(kSource + "/networks/alexnet.json");
  text.replace(text.find("\"version\": 1,"), 13, "\"version\": 1, \"batch\": 8,");
  const std::string eight = scratch.file("eight.json", text);
  for (const Words& command :
       {Words{"predict"}, Words{"compare"}, Words{"need", "link"}, Words{"fit"}, Words{"sweep"}}) {
    CAPTURE(command[0]);
    const auto ask = [&](const std::string& network, const Words& more) {
      return run_ooc_paleo(of_one_schedule(
          command + Words{network, "--hardware", "v100-16gb-pcie3", "--quiet"} + more));
    };
    const Ran none = ask("alexnet", {});
    CHECK(none.exit_code == 2);
    CHECK_MESSAGE(has(none.err, said), none.err);
    CHECK(ask("alexnet", {"--batch", "1"}).err == "");
    CHECK(ask(eight, {}).err == "");
  }
  // Layers that state their times state them for the batch that is run.
  CHECK(run_ooc_paleo({"predict", kNetwork, "--hardware", kMachine}).exit_code == 0);
  CHECK(has(run_ooc_paleo({"inspect", "alexnet", "--hardware", "m40"}).out, "batch 1, "));
  CHECK(run_ooc_paleo({"max-batch", "alexnet", "--hardware", "m40", "--schedule", "in-core",
                       "--max-batch-limit", "4"})
            .exit_code == 0);
}

TEST_CASE("a sweep without --schedule runs the schedules that compare runs") {
  const Words job{kNetwork, "--hardware", kMachine, "--quiet", "--format", "csv"};
  const auto schedules = [&](const std::string& command) {
    Words found;
    for (CsvRow& row : csv_rows(run_ooc_paleo(Words{command} + job).out)) {
      found.push_back(row["schedule"]);
    }
    std::sort(found.begin(), found.end());
    return found;
  };
  CHECK(schedules("sweep") == schedules("compare"));
  CHECK(schedules("sweep").size() > 10);
}

TEST_CASE("a part of a name is enough to be asked for the whole") {
  const std::string said = run_ooc_paleo({"predict", "vgg16", "--hardware", "4090"}).err;
  CHECK_MESSAGE(has(said, "did you mean rtx-4090?"), said);
  // A list is what `sweep` takes, a comma of our own is none.
  CHECK_FALSE(
      has(run_ooc_paleo({"predict", "vgg16", "--hardware", "nothing-like-it"}).err, "sweep"));
}

TEST_CASE("what --state cannot go with is told of --state") {
  const Words job{"need", "link", "gpt2", "--hardware", "v100-16gb-pcie3", "--state"};
  const Ran ran = run_ooc_paleo(job + Words{"zero-offload", "--schedule", "vdnn-all"});
  CHECK(ran.exit_code == 2);
  CHECK_MESSAGE(has(ran.err, "error: --state cannot be combined with --schedule vdnn-all"),
                ran.err);
}

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

TEST_CASE("what a machine cannot have is left out without a word, what a profile lacks with one") {
  CHECK(run_ooc_paleo({"compare", "alexnet", "--hardware", "m40", "--batch", "8"}).err == "");
  check_ends(run_ooc_paleo({"predict", "alexnet", "--hardware", "m40", "--batch", "8", "--schedule",
                            "unified"}),
             2, {"this machine cannot have it"});
  // Beside a machine that could, it is said, and once.
  const std::string mixed = run_ooc_paleo({"sweep", "alexnet", "--hardware", "m40", "k40m",
                                           "v100-16gb-pcie3", "--batch", "8", "--schedule", "all"})
                                .err;
  const std::regex remark("remark: without unified, unified-prefetch");
  CHECK(std::distance(std::sregex_iterator(mixed.begin(), mixed.end(), remark),
                      std::sregex_iterator()) == 1);
}

TEST_CASE("an error about unified memory names the profile's file") {
  const ScratchFolder scratch;
  std::string text = read_file(kSource + "/hwprofiles/v100-16gb-pcie3.json");
  const std::regex fault("\"fault\": \"[^\"]*\"");
  text = std::regex_replace(text, fault, "\"fault\": \"1e5 s\"");
  const std::string slow = scratch.file("slow.json", text);
  const Ran ran = run_ooc_paleo({"predict", "vgg16", "--hardware", slow, "--batch", "256",
                                 "--schedule", "unified", "--quiet"});
  check_ends(ran, 2, {"error: " + slow + ": /connection/modes/unified_fault/fault"});
  CHECK_FALSE(has(ran.err, "v100-16gb-pcie3"));
}

TEST_CASE("several errors of a profile are shown at once, a line each") {
  const ScratchFolder scratch;
  std::string text = read_file(kMachine);
  for (const auto& [old, by] : {std::pair("\"1 TFLOP/s\"", "1"),
                                {"\"64 GB\"", "\"64\""},
                                {"\"duplex\": 1", "\"duplex\": 7"}}) {
    text.replace(text.find(old), std::string(old).size(), by);
  }
  const std::string bad = scratch.file("bad.json", text);
  const Ran ran = run_ooc_paleo({"predict", kNetwork, "--hardware", bad});
  CHECK(ran.exit_code == 2);
  const std::regex lines("ooc-paleo: error: " + bad + ": /compute/peak/float32: .*\n" +
                         "ooc-paleo: error: " + bad + ": /far_memory/capacity: .*\n" +
                         "ooc-paleo: error: " + bad + ": /connection/duplex: .*\n");
  CAPTURE(ran.err);
  CHECK(std::regex_match(ran.err, lines));
}

TEST_CASE("an implausible number of a profile is a remark, and the prediction is made") {
  const ScratchFolder scratch;
  std::string text = read_file(kSource + "/hwprofiles/v100-16gb-pcie3.json");
  text.replace(text.find("15.7 TFLOP/s"), 12, "15.7 GFLOP/s");
  const std::string slow = scratch.file("slow.json", text);
  for (const std::string command : {"predict", "compare", "sweep", "max-batch", "inspect"}) {
    CAPTURE(command);
    Words words{command, "alexnet", "--hardware", slow};
    if (command != "max-batch") words.insert(words.end(), {"--batch", "8"});
    if (command == "max-batch") words.insert(words.end(), {"--max-batch-limit", "4"});
    check_ends(
        run_ooc_paleo(words), 0,
        {"ooc-paleo: remark: " + slow + ": /compute/peak/float32: found \"15.7 GFLOP/s\", expected",
         "is \"15.7 TFLOP/s\" meant?"});
    words.emplace_back("--quiet");
    CHECK(run_ooc_paleo(words).err == "");
  }
}

}  // namespace
}  // namespace ooc::test
