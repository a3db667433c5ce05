// Where inputs come from: data folders. (Names and paths, standard input, and what is said of them:
// tests/golden/cases/inputs.md.)
#include <regex>

#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

namespace fs = std::filesystem;

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
