// Sweeps from outside: order, threads, knees, interruption.
#include "model/base/spec_tree.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

Ran run_sweep(std::vector<std::string> more, const Surroundings& surroundings = {}) {
  const Words arguments = Words{"sweep", kNetwork, "--hardware", kMachine} + more;
  return run_ooc_paleo(of_one_schedule(arguments), surroundings);
}

std::vector<std::string> grid_lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// One column of a CSV without quoted fields.
std::vector<std::string> column(const std::string& csv, const std::string& name) {
  std::vector<std::string> values;
  std::size_t place = 0;
  for (const std::string& line : grid_lines_of(csv)) {
    std::vector<std::string> fields(1);
    for (const char c : line) {
      if (c == ',') {
        fields.emplace_back();
      } else {
        fields.back() += c;
      }
    }
    if (values.empty() && place == 0 && fields.front() == "network") {
      place =
          static_cast<std::size_t>(std::find(fields.begin(), fields.end(), name) - fields.begin());
      REQUIRE(place < fields.size());
      continue;
    }
    values.push_back(fields.at(place));
  }
  return values;
}

using Texts = std::vector<std::string>;

TEST_CASE("rows come in the order of the lists, the link changing fastest") {
  const Ran ran = run_sweep({"--memory", "3GB,5GB", "--schedule", "in-core,capacity", "--link",
                             "10GB/s,20GB/s", "--quiet"});
  CHECK(ran.exit_code == 0);
  CHECK(ran.err == "");
  CHECK(column(ran.out, "memory_bytes") == Texts{"3000000000", "3000000000", "3000000000",
                                                 "3000000000", "5000000000", "5000000000",
                                                 "5000000000", "5000000000"});
  CHECK(column(ran.out, "schedule") == Texts{"in-core", "in-core", "capacity", "capacity",
                                             "in-core", "in-core", "capacity", "capacity"});
  CHECK(column(ran.out, "link_bytes_per_s") == Texts{"10000000000", "20000000000", "10000000000",
                                                     "20000000000", "10000000000", "20000000000",
                                                     "10000000000", "20000000000"});
  CHECK(column(ran.out, "feasible") ==
        Texts{"false", "false", "true", "true", "true", "true", "true", "true"});
  // capacity at 3 GB and 10 GB/s is the worked example's 850 ms.
  CHECK(column(ran.out, "iteration_time_ns")[2] == "850000000");
}

TEST_CASE("the number of threads does not change a byte") {
  const Texts common{"--batch",       "1:2:+1", "--memory",
                     "2GB:20GB:+3GB", "--link", "1GB/s:512GB/s:x1.5",
                     "--schedule",    "all"};
  for (const char* format : {"csv", "json"}) {
    const Texts one = common + Texts{"--format", format, "--jobs", "1"};
    const Texts many = common + Texts{"--format", format, "--jobs", "7"};
    std::string first = run_sweep(one).out;
    std::string second = run_sweep(many).out;
    // The command line is echoed.
    const auto cut = [](std::string& text) { text.erase(0, text.find("\"results\"")); };
    if (std::string(format) == "json") cut(first), cut(second);
    CHECK(grid_lines_of(first).size() > 2 * 7 * 100);
    CHECK(first == second);
  }
}

TEST_CASE("the knee is reported at the end and in JSON") {
  const ScratchFolder scratch;
  // capacity at 3 GB moves a and b. At 10 GB/s d.backward waits 50 ms until b is out; always both come
  // back with nothing else to do. A copy takes t ms: 600 + 2 t where t <= 50. So 40 GB/s gives 650
  // ms, 80 GB/s 625 (4.2 %), 320 GB/s 606.25 (1.04 %), 640 GB/s 603.125 (0.5 %).
  const Ran ran = run_sweep({"--memory", "3GB", "--link", "10GB/s:640GB/s:x2", "-o", "r.json"},
                            {.folder = scratch.path(), .environment = {}});
  CHECK(ran.exit_code == 0);
  CHECK(ran.out ==
        "The slowest link of the list that comes within 1 % and 5 % of computing alone:\n"
        "  job                                                       within 1 %  within 5 %\n"
        "  worked_example on worked_example_machine, 3 GB, capacity  640 GB/s    80.0 GB/s\n");
  const std::string json = scratch.read("r.json");
  CHECK(has(json,
            "\"within_1_percent_link_bytes_per_s\": 640000000000, "
            "\"within_5_percent_link_bytes_per_s\": 80000000000}"));
  CHECK(has(json, "\"complete\": true"));
}

TEST_CASE("a knee has the keys of its rows, with the same values") {
  const Ran ran = run_sweep({"--link", "10GB/s,640GB/s", "--schedule", "in-core,capacity",
                             "--format", "json", "--quiet"});
  const SpecDocument document = read_spec_text(ran.out, "sweep.json");
  const SpecView root(document);
  const auto rows = root.get("results").items();
  const auto knees = root.get("knees").items();
  REQUIRE(rows.size() == 4);
  REQUIRE(knees.size() == 2);
  for (std::size_t i = 0; i < 4; ++i) {
    for (const char* key : {"network", "hardware", "schedule"}) {
      CHECK(knees[i / 2].get(key).as_text() == rows[i].get(key).as_text());
    }
    for (const char* key : {"batch", "memory_bytes"}) {
      CHECK(knees[i / 2].get(key).node().text == rows[i].get(key).node().text);
    }
  }
}

TEST_CASE("bytes of the command line that are no UTF-8 do not break the JSON of a sweep") {
  const ScratchFolder scratch;
  const Ran ran =
      run_sweep({"-o", "r\xff\"\n.json"}, {.folder = scratch.path(), .environment = {}});
  CHECK(ran.exit_code == 0);
  const std::string text = scratch.read("r\xff\"\n.json");
  CHECK(has(text, "\"r\xef\xbf\xbd\\\"\\n.json\""));
  CHECK_NOTHROW(static_cast<void>(read_spec_text(text, "sweep.json")));
}

TEST_CASE("a sweep in which nothing fits exits 3, one in which something fits 0") {
  CHECK(run_sweep({"--memory", "1GB,2GB"}).exit_code == 3);
  CHECK(run_sweep({"--memory", "1GB,3GB"}).exit_code == 0);
}

TEST_CASE("a list without a link that is fast enough says so") {
  // 600 + 2 t ms, 5 % of 600 ms at t = 15, 1 % at 3: 80 GB/s is enough for one, not for the other.
  const Ran one = run_sweep({"--memory", "2GB,3GB", "--link", "40GB/s,80GB/s", "--far-throughput",
                             "inf", "-o", "/dev/null"});
  CHECK(has(one.out, "2 GB, capacity  none        none\n"));
  CHECK(has(one.out, "3 GB, capacity  none        80.0 GB/s\n"));
}

/// As RFC 8259 has it.
bool is_number(const std::string& text) {
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  double value = 0;
  return text.find_first_not_of("0123456789.e+-") == std::string::npos && in >> value && in.eof();
}

TEST_CASE("what is a number in one row is a number or empty in all, infinite links too") {
  const Ran ran = run_ooc_paleo({"sweep", "vgg16", "--hardware", "v100-16gb-pcie3", "--batch",
                                 "16,100000,2000000000", "--schedule", "in-core,unified,recompute",
                                 "--link", "8GB/s,inf", "--far-throughput", "inf", "--quiet"});
  const Texts lines = grid_lines_of(ran.out);
  REQUIRE(lines.size() == 1 + 3 * 3 * 2);
  std::istringstream header(lines.front());
  int numeric = 0;
  for (std::string name; std::getline(header, name, ',');) {
    if (name == "error") continue;
    Texts cells;
    for (const std::string& cell : column(ran.out, name)) {
      if (!cell.empty()) cells.push_back(cell);
    }
    const auto numbers = std::count_if(cells.begin(), cells.end(), &is_number);
    CAPTURE(name);
    CHECK((numbers == 0 || numbers == static_cast<std::ptrdiff_t>(cells.size())));
    numeric += numbers > 0 ? 1 : 0;
    // Units say that it is one.
    for (const char* unit : {"_ns", "_bytes", "_per_s"}) {
      if (name.ends_with(unit)) CHECK(numbers == static_cast<std::ptrdiff_t>(cells.size()));
    }
  }
  CHECK(numeric > 30);
  CHECK(column(ran.out, "link_bytes_per_s")[1] == "1e308");
}

/// A sweep that takes far longer than anybody waits.
const std::string kLongSweep =
    "ooc-paleo sweep " + kNetwork + " --hardware " + kMachine +
    " --schedule capacity --batch 1:40000:+1 --link 1GB/s:200GB/s:+1GB/s ";

TEST_CASE("an interrupt is answered even where nobody reads what is written") {
  const ScratchFolder scratch;
  // Whoever opened the pipe sleeps; the sweep waits to write more. timeout ends with 124 after its first
  // signal, with 137 where it had to kill.
  check_ends(run_shell("mkfifo pipe; sleep 20 <> pipe & reader=$!; timeout -k 5 -s INT 0.5 " +
                           kLongSweep + "-o pipe; code=$?; kill $reader; exit $code",
                       {.folder = scratch.path(), .environment = {}}),
             124, {"interrupted"});
}

TEST_CASE("an interrupted prediction leaves no temporary file") {
  const ScratchFolder scratch;
  // A named pipe as network: the program waits for it with its output already open.
  const Ran ran = run_shell(
      "mkfifo pipe; ooc-paleo predict ./pipe --hardware " + kMachine +
          " -o r.json & sleep 0.5; ls | grep -c 'r.json'; kill -TERM $!; wait $!; code=$?; "
          "ls; exit $code",
      {.folder = scratch.path(), .environment = {}});
  CHECK(ran.exit_code == 143);
  CHECK(ran.out == "1\npipe\n");
}

}  // namespace
}  // namespace ooc::test
