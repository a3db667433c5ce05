// Sweeps into files: killed at any moment they go on to the same table; a file of something else is never touched.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <regex>
#include <sstream>

#include "tests/cli/run_program.hpp"

namespace ooc::test {
namespace {

using Texts = std::vector<std::string>;

Texts sweep_command(const Texts& more) {
  Texts arguments{"sweep", kNetwork, "--hardware", kMachine};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return of_one_schedule(arguments);
}

Ran sweep_in(const ScratchFolder& scratch, const Texts& more) {
  return run_ooc_paleo(sweep_command(more), {.folder = scratch.path(), .environment = {}});
}

/// Starts the program and kills it after that long. What happens in it until then is anybody's guess.
void run_and_kill(const ScratchFolder& scratch, const Texts& arguments, std::int64_t milliseconds) {
  Texts words{OOC_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string folder = scratch.path().string();
  const pid_t child = fork();
  if (child == 0) {
    const bool there = chdir(folder.c_str()) == 0 && dup2(open("/dev/null", O_WRONLY), 1) == 1;
    if (there) execv(argv[0], argv.data());
    _exit(127);
  }
  REQUIRE(child > 0);
  const struct timespec delay { milliseconds / 1000, milliseconds % 1000 * 1'000'000 };
  nanosleep(&delay, nullptr);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
}

/// All there is in a database, in the order in which it is given out.
std::string dumped(const ScratchFolder& scratch, const std::string& name) {
  const Ran ran =
      run_shell("python3 -c \"import sqlite3\ndb = sqlite3.connect('" + name +
                    "')\nfor table in ('points', 'knees', 'files'):\n"
                    "  rows = db.execute('select * from ' + table)\n  print([each[0] for each in "
                    "rows.description])\n  for row in rows: print(row)\"",
                {.folder = scratch.path(), .environment = {}});
  CHECK(ran.err == "");
  return ran.out;
}

/// Two budgets, one of which nothing fits in from the third batch on.
Texts rows_into(const std::string& file, int batches) {
  return sweep_command({"--batch", "1:" + std::to_string(batches) + ":+1", "--memory", "3GB,20GB",
                        "--link", "1GB/s:100GB/s:+1GB/s", "--jobs", "1", "--quiet", "-o", file});
}

TEST_CASE("a sweep that is killed at 20 random moments ends with the table of one that is not") {
  struct Format {
    std::string file;
    int batches;  ///< of 200 rows each
    int kills;
  };
  std::mt19937 random(20);
  std::uniform_int_distribution<std::int64_t> delay(10, 120);
  for (const Format& format : std::vector<Format>{
           {"r.csv", 500, 20}, {"r.sqlite", 300, 20}, {"r.jsonl", 100, 4}, {"r.json", 100, 4}}) {
    const std::string& file = format.file;
    const int batches = format.batches;
    CAPTURE(file);
    const ScratchFolder whole;
    const ScratchFolder killed;
    const Ran undisturbed =
        run_ooc_paleo(rows_into(file, batches), {.folder = whole.path(), .environment = {}});
    CHECK(undisturbed.exit_code == 0);
    for (int i = 0; i < format.kills; ++i)
      run_and_kill(killed, rows_into(file, batches), delay(random));
    const Ran last =
        run_ooc_paleo(rows_into(file, batches), {.folder = killed.path(), .environment = {}});
    CHECK(last.exit_code == 0);
    CHECK(last.out == undisturbed.out);  // the knees
    CHECK(killed.entries() == whole.entries());
    if (file == "r.sqlite") {
      CHECK(dumped(killed, file) == dumped(whole, file));
    } else {
      CHECK((killed.read(file) == whole.read(file)));
    }
  }
}

/// As a kill after `rows` rows leaves it.
void leave_unfinished(const ScratchFolder& scratch, const Texts& command, const char* name) {
  const Ran ran =
      run_shell("timeout -s INT 0.3 ooc-paleo sweep " + kNetwork + " --hardware " + kMachine + " " +
                    [&] {
                      std::string words;
                      for (const std::string& word : of_one_schedule(command)) words += " " + word;
                      return words;
                    }(),
                {.folder = scratch.path(), .environment = {}});
  CAPTURE(ran.err);
  REQUIRE(std::filesystem::exists(scratch.path() / (std::string(name) + ".part")));
}

/// Far more rows than anybody waits for.
const Texts kLong{"--batch", "1:40000:+1", "--link", "1GB/s:200GB/s:+1GB/s", "--jobs", "1"};

TEST_CASE("what stands behind the last row that is known to be whole is cut off, whatever it is") {
  const ScratchFolder scratch;
  const Texts small{"--batch", "1:60:+1", "--link", "1GB/s:100GB/s:+1GB/s",
                    "-o",      "r.csv",   "--quiet"};
  const ScratchFolder whole;
  CHECK(sweep_in(whole, small).exit_code == 0);
  const std::string table = whole.read("r.csv");
  const std::string log = whole.read("r.csv.run");
  const std::size_t header = log.find('\n') + 1;
  const std::size_t first = log.find('\n', header) + 1;
  const std::size_t second = log.find('\n', first) + 1;
  // Rows that no state speaks of, half a row, half a state, states without their rows.
  const std::vector<std::pair<std::string, std::string>> left{
      {table.substr(0, 5000), log.substr(0, first)},
      {table.substr(0, table.size() - 3), log.substr(0, second - 3)},
      {table.substr(0, table.size() - 3), log},
      {table.substr(0, 100), log},
      {"what a power cut left", log.substr(0, first)},
      {table, log.substr(0, header)},
      {table, log},
      {"", log},
      {"", ""}};
  for (const auto& each : left) {
    const std::string& rows = each.first;
    const std::string& states = each.second;
    CAPTURE(rows.size());
    CAPTURE(states.size());
    scratch.file("r.csv.part", rows);
    scratch.file("r.csv.part.run", states);
    CHECK(sweep_in(scratch, small).exit_code == 0);
    CHECK((scratch.read("r.csv") == table));
    CHECK(scratch.entries() == Texts{"r.csv", "r.csv.run"});
    std::filesystem::remove(scratch.path() / "r.csv");
    std::filesystem::remove(scratch.path() / "r.csv.run");
  }
  // Between the two names.
  scratch.file("r.csv", table);
  scratch.file("r.csv.part.run", log);
  const Ran between = sweep_in(scratch, {small.begin(), small.end() - 1});
  CHECK(between.err.find("nothing to do") != std::string::npos);
  CHECK(scratch.entries() == Texts{"r.csv", "r.csv.run"});
}

TEST_CASE("a complete file of the same inputs is left as it is, with --overwrite made anew") {
  for (const std::string file : {"r.csv", "r.jsonl", "r.json", "r.sqlite"}) {
    CAPTURE(file);
    const ScratchFolder scratch;
    const Texts command{"--memory", "1GB,3GB", "--link", "10GB/s,20GB/s", "-o", file};
    const Ran first = sweep_in(scratch, command);
    CHECK(first.exit_code == 0);
    CHECK(first.err ==
          "ooc-paleo: 4 rows, framework ideal (no overhead, exact memory): 2 ran, 2 do not fit (2 "
          "lack near memory)\n");
    const std::string text = scratch.read(file);
    const auto made = std::filesystem::last_write_time(scratch.path() / file);
    // The number of threads is no input.
    Texts again = command;
    again.insert(again.end(), {"--jobs", "1"});
    const Ran second = sweep_in(scratch, again);
    CHECK(second.exit_code == 0);
    CHECK(second.out == first.out);
    CHECK(second.err.find("nothing to do") != std::string::npos);
    CHECK(std::filesystem::last_write_time(scratch.path() / file) == made);
    Texts anew = command;
    anew.emplace_back("--overwrite");
    CHECK(sweep_in(scratch, anew).err == first.err);
    CHECK(std::filesystem::last_write_time(scratch.path() / file) != made);
    if (file != "r.sqlite" && file != "r.json") CHECK(scratch.read(file) == text);
  }
}

TEST_CASE("other inputs under an existing file are refused, and the difference is named") {
  const ScratchFolder scratch;
  scratch.file("n.json", read_file(kNetwork));
  scratch.file("m.json", read_file(kMachine));
  const auto run = [&](const Texts& more) {
    Texts arguments{"sweep", "n.json", "--hardware", "m.json", "--batch", "1,2", "-o"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_ooc_paleo(of_one_schedule(arguments), {.folder = scratch.path(), .environment = {}});
  };
  for (const std::string file : {"r.csv", "r.sqlite"}) {
    CAPTURE(file);
    scratch.file("n.json", read_file(kNetwork));
    REQUIRE(run({file}).exit_code == 0);
    const std::string text = scratch.read(file);
    const auto refuses = [&](const Ran& ran, const std::string& difference) {
      CAPTURE(ran.err);
      CHECK(ran.exit_code == 2);
      CHECK(ran.err.find("--output: found \"" + file +
                         "\", the result of another sweep: " + difference) != std::string::npos);
      CHECK(ran.err.find("--overwrite") != std::string::npos);
      CHECK((scratch.read(file) == text));
      CHECK(scratch.entries().size() == (file == "r.csv" ? 4 : 5));
    };
    refuses(run({file, "--memory", "3GB"}), "--memory was not given, is 3GB");
    refuses(run({file, "--allocator", "best-fit", "--memory", "4GB"}),
            "--allocator was not given, is best-fit; --memory was not given, is 4GB");
    scratch.file("n.json", read_file(kNetwork) + "\n");
    refuses(run({file}), "network worked_example was another text (sha256 ");
    const Ran other = run_ooc_paleo({"sweep", kNetwork, "--hardware", "m.json", "--batch", "1",
                                     "--schedule", "capacity", "-o", file},
                                    {.folder = scratch.path(), .environment = {}});
    refuses(other, "--batch was 1,2, is 1; NETWORK was n.json, is " + kNetwork);
    CHECK(run({file, "--overwrite"}).exit_code == 0);
    if (file == "r.csv") std::filesystem::remove(scratch.path() / "no");
  }
}

TEST_CASE("a file that no sweep wrote, or that was changed since, is refused and untouched") {
  const ScratchFolder scratch;
  for (const std::string file : {"r.csv", "r.sqlite", "r.json"}) {
    scratch.file(file, "mine\n");
    const Ran ran = sweep_in(scratch, {"-o", file});
    CHECK(ran.exit_code == 2);
    CHECK(ran.err.find("found \"" + file +
                       "\", which is there already and not known as the result of a sweep") !=
          std::string::npos);
    CHECK(scratch.read(file) == "mine\n");
    CHECK(sweep_in(scratch, {"-o", file, "--overwrite"}).exit_code == 0);
  }
  scratch.file("r.csv", scratch.read("r.csv") + "a note\n");
  const Ran noted = sweep_in(scratch, {"-o", "r.csv"});
  CHECK(noted.exit_code == 2);
  CHECK(noted.err.find("that the sweep wrote") != std::string::npos);
  // Nor is what merely has the name under which rows grow.
  scratch.file("s.csv.part", "mine\n");
  CHECK(sweep_in(scratch, {"-o", "s.csv"}).exit_code == 2);
  CHECK(scratch.read("s.csv.part") == "mine\n");
}

TEST_CASE("rows of other inputs that were not finished are refused too") {
  const ScratchFolder scratch;
  Texts command = kLong;
  command.insert(command.end(), {"-o", "r.csv"});
  leave_unfinished(scratch, command, "r.csv");
  const std::string rows = scratch.read("r.csv.part");
  const Ran other = sweep_in(scratch, {"-o", "r.csv"});
  CHECK(other.exit_code == 2);
  CHECK(other.err.find("found \"r.csv.part\", the result of another sweep: --batch was 1:40000:+1, "
                       "is not given; --link was") != std::string::npos);
  CHECK((scratch.read("r.csv.part") == rows));
  CHECK(sweep_in(scratch, {"-o", "r.csv", "--overwrite"}).exit_code == 0);
  CHECK(scratch.entries() == Texts{"r.csv", "r.csv.run"});
}

TEST_CASE(
    "what --overwrite began and did not finish goes on without it; until then the old stays") {
  const ScratchFolder scratch;
  CHECK(sweep_in(scratch, {"-o", "r.csv"}).exit_code == 0);
  const std::string old = scratch.read("r.csv");
  Texts command = kLong;
  command.insert(command.end(), {"-o", "r.csv"});
  CHECK(sweep_in(scratch, command).exit_code == 2);
  Texts anew = command;
  anew.emplace_back("--overwrite");
  leave_unfinished(scratch, anew, "r.csv");
  CHECK(scratch.read("r.csv") == old);
  const auto size = std::filesystem::file_size(scratch.path() / "r.csv.part");
  leave_unfinished(scratch, command, "r.csv");
  CHECK(std::filesystem::file_size(scratch.path() / "r.csv.part") > size);
  CHECK(scratch.read("r.csv") == old);
}

TEST_CASE("two processes on one file: the second is refused") {
  const ScratchFolder scratch;
  // A named pipe as network: the first waits for it with its output already open.
  const Ran ran = run_shell("mkfifo pipe; ooc-paleo sweep ./pipe --hardware " + kMachine +
                                " --schedule capacity -o r.csv & first=$!; while ! [ -e r.csv.part ]; do sleep 0.05; "
                                "done; ooc-paleo sweep " +
                                kNetwork + " --hardware " + kMachine +
                                " --schedule capacity -o r.csv; code=$?; kill -KILL $first; wait $first; exit $code",
                            {.folder = scratch.path(), .environment = {}});
  CHECK(ran.exit_code == 2);
  CHECK(ran.err.find("which another process is writing") != std::string::npos);
  CHECK(sweep_in(scratch, {"-o", "r.csv"}).exit_code == 0);
  CHECK(scratch.entries() == Texts{"pipe", "r.csv", "r.csv.run"});
}

TEST_CASE("an interrupted sweep says how to go on, and does") {
  const std::vector<std::string> signals{"INT", "TERM", "HUP"};
  const ScratchFolder scratch;
  std::size_t before = 0;
  for (const std::string& signal : signals) {
    CAPTURE(signal);
    // The signal comes once there are more rows than before, however slow the machine; 60 s at most.
    const Ran ran = run_shell(
        "(i=0; until [ $(cat r.csv.part 2> /dev/null | wc -l) -gt " + std::to_string(before) +
            " ] || [ $((i += 1)) -gt 3000 ]; do sleep 0.02; done; kill -" + signal +
            " $$) & exec ooc-paleo sweep " + kNetwork + " --hardware " + kMachine +
            " --schedule capacity --batch 1:40000:+1 --link 1GB/s:200GB/s:+1GB/s -o r.csv",
        {.folder = scratch.path(), .environment = {}});
    CAPTURE(ran.err);
    CHECK(ran.exit_code == 130);
    CHECK(
        ran.err.find(" of 8000000 rows are in r.csv.part: the same command goes on from there\n") !=
        std::string::npos);
    CHECK(scratch.entries() == Texts{"r.csv.part", "r.csv.part.run"});
    const std::string csv = scratch.read("r.csv.part");
    CHECK(csv.back() == '\n');
    const auto lines = static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n'));
    CHECK(lines > before);
    before = lines;
    // Whole and in order, the rows of a batch being 200.
    std::istringstream in(csv);
    std::string line;
    for (std::size_t i = 0; std::getline(in, line); ++i) {
      if (i % 997 != 1) continue;
      CHECK(line.rfind("worked_example,worked_example_machine," + std::to_string((i - 1) / 200 + 1),
                       0) == 0);
    }
  }
}

TEST_CASE("a line of jsonl is a result of json") {
  const Texts common{"--memory", "2GB,3GB", "--link", "10GB/s,inf", "--quiet", "--format"};
  Texts lines = common;
  lines.emplace_back("jsonl");
  Texts json = common;
  json.emplace_back("json");
  const ScratchFolder scratch;
  std::istringstream in(sweep_in(scratch, lines).out);
  const std::string whole = sweep_in(scratch, json).out;
  int count = 0;
  for (std::string line; std::getline(in, line); ++count) {
    CHECK(line.rfind("{\"network\": \"worked_example\"", 0) == 0);
    CHECK(whole.find("\n" + line) != std::string::npos);
  }
  CHECK(count == 4);
}

TEST_CASE("a database says by itself what its points are: types, units, inputs, version, command") {
  const ScratchFolder scratch;
  CHECK(sweep_in(scratch, {"--memory", "2GB,3GB", "--link", "10GB/s,inf", "-o", "r.sqlite"})
            .exit_code == 0);
  const auto ask = [&](const std::string& sql) {
    const Ran ran = run_shell(
        "python3 -c \"import sqlite3\nfor row in "
        "sqlite3.connect('r.sqlite').execute(\\\"" +
            sql + "\\\"): print(*row)\"",
        {.folder = scratch.path(), .environment = {}});
    CHECK(ran.err == "");
    return ran.out;
  };
  CHECK(ask("select point, network, memory_bytes, link_bytes_per_s, feasible, iteration_time_ns "
            "from points") ==
        "0 worked_example 2000000000 10000000000 0 None\n"
        "1 worked_example 2000000000 inf 0 None\n"
        "2 worked_example 3000000000 10000000000 1 850000000\n"
        "3 worked_example 3000000000 inf 1 602000000\n");
  CHECK(ask("select distinct typeof(batch), typeof(schedule), typeof(slowdown), "
            "typeof(memory_given), typeof(error) from points where feasible") ==
        "integer text real integer null\n");
  CHECK(ask("select distinct version, command from points").find("sweep " + kNetwork) !=
        std::string::npos);
  const std::string sum = run_shell("sha256sum < " + kNetwork).out.substr(0, 64);
  CHECK(ask("select distinct network_sha256 from points") == sum + "\n");
  CHECK(ask("select role, name from files order by role") ==
        "hardware worked_example_machine\nnetwork worked_example\n");
  CHECK(
      ask("select schedule, within_5_percent_link_bytes_per_s, not_within_1_percent from knees") ==
      "capacity None does_not_fit\ncapacity inf None\n");
  CHECK(ask("select name, type from pragma_table_info('points') where type = ''") == "");
}

TEST_CASE("a database needs a file") {
  const ScratchFolder scratch;
  for (const Texts& flags : {Texts{"--format", "sqlite"}, Texts{"--format", "sqlite", "-o", "-"},
                             Texts{"--format", "sqlite", "-o", "/dev/null"}}) {
    const Ran ran = sweep_in(scratch, flags);
    CHECK(ran.exit_code == 2);
    CHECK(ran.err.find("a file, which a database needs") != std::string::npos);
  }
}

TEST_CASE("a sweep that runs out of disk keeps the rows that are whole, and goes on with room") {
  for (const std::string file : {"r.csv", "r.sqlite"}) {
    CAPTURE(file);
    const ScratchFolder scratch;
    const std::string command = "ooc-paleo sweep " + kNetwork + " --hardware " + kMachine +
                                " --schedule capacity --batch 1:100:+1 --link 1GB/s:100GB/s:+1GB/s --quiet -o " +
                                file;
    // A limit on the size of files is a disk that is full; its signal is ignored.
    const Ran ran = run_shell("trap '' XFSZ; ulimit -f 1000; " + command,
                              {.folder = scratch.path(), .environment = {}});
    CAPTURE(ran.err);
    CHECK(ran.exit_code == 2);
    CHECK(ran.err.find("rows are in " + file + ".part: the same command goes on from there") !=
          std::string::npos);
    CHECK(run_shell(command, {.folder = scratch.path(), .environment = {}}).exit_code == 0);
    const ScratchFolder whole;
    CHECK(run_shell(command, {.folder = whole.path(), .environment = {}}).exit_code == 0);
    if (file == "r.csv") {
      CHECK((scratch.read(file) == whole.read(file)));
    } else {
      CHECK((dumped(scratch, file) == dumped(whole, file)));
    }
  }
}

/// 6 lines of 10 links.
Texts shard_into(const std::string& file, const std::string& shard) {
  Texts command = sweep_command(
      {"--batch", "1,2", "--memory", "2GB,3GB,5GB", "--link", "1GB/s:10GB/s:+1GB/s", "--quiet"});
  if (!shard.empty()) command.insert(command.end(), {"--shard", shard});
  command.insert(command.end(), {"-o", file});
  return command;
}

Ran run_in(const ScratchFolder& scratch, const Texts& arguments) {
  return run_ooc_paleo(arguments, {.folder = scratch.path(), .environment = {}});
}

TEST_CASE("shards that are merged are the table of one run, however many there are") {
  for (const std::string ending : {".csv", ".jsonl", ".sqlite"}) {
    // 4: of whole lines; 7: more than lines, which are cut; 25: some within a line; 100: some without rows.
    for (const int count : {1, 4, 7, 25, 100}) {
      if (count == 100 && ending != ".csv") continue;
      if (count == 25 && ending != ".sqlite") continue;
      CAPTURE(ending);
      CAPTURE(count);
      const ScratchFolder scratch;
      const ScratchFolder whole;
      const std::string out = "all" + ending;
      REQUIRE(run_in(whole, shard_into(out, "")).exit_code == 0);
      Texts merge{"sweep", "merge", out};
      for (int i = count; i > 0; --i) {  // in any order
        const std::string part = std::to_string(i) + ending;
        const Ran ran =
            run_in(scratch, shard_into(part, std::to_string(i) + "/" + std::to_string(count)));
        CHECK((ran.exit_code == 0 || ran.exit_code == 3));  // nothing fits 2 GB
        merge.push_back(part);
      }
      const Ran merged = run_in(scratch, merge);
      CAPTURE(merged.err);
      CHECK(merged.exit_code == 0);
      CHECK(merged.err == "ooc-paleo: 60 rows: 20 ran, 40 do not fit (40 lack near memory)\n");
      if (ending == ".sqlite") {
        const auto points = [&](const ScratchFolder& folder) {
          const std::string text = dumped(folder, out);
          // The command says where the first part went.
          return std::regex_replace(text, std::regex("-o [a-z0-9]+\\.sqlite"), "");
        };
        CHECK((points(scratch) == points(whole)));
      } else {
        CHECK((scratch.read(out) == whole.read(out)));
      }
      CHECK(run_in(scratch, merge).err.find("nothing to do") != std::string::npos);
    }
  }
}

TEST_CASE("shards that are missing, overlap or are of another sweep are refused by name") {
  const ScratchFolder scratch;
  for (const char* shard : {"1/3", "2/3", "3/3", "1/2"}) {
    const std::string file = std::string(1, shard[0]) + "of" + shard[2] + ".csv";
    static_cast<void>(run_in(scratch, shard_into(file, shard)));
  }
  Texts other = shard_into("other.csv", "3/3");
  other.insert(other.end(), {"--optimizer", "adam"});
  static_cast<void>(run_in(scratch, other));
  scratch.file("mine.csv", "network\n");
  const auto refuses = [&](const Texts& parts, const std::string& why) {
    Texts merge{"sweep", "merge", "all.csv"};
    merge.insert(merge.end(), parts.begin(), parts.end());
    const Ran ran = run_in(scratch, merge);
    CAPTURE(ran.err);
    CHECK(ran.exit_code == 2);
    CHECK(ran.err.find(why) != std::string::npos);
    CHECK(!std::filesystem::exists(scratch.path() / "all.csv"));
    CHECK(!std::filesystem::exists(scratch.path() / "all.csv.part"));
  };
  refuses({"1of3.csv", "3of3.csv"}, "found \"3of3.csv\" behind rows 20 to 39 that no file has");
  refuses({"1of3.csv", "2of3.csv"}, "found \"2of3.csv\" as the last, and none with rows 40 to 59");
  refuses({"2of3.csv", "3of3.csv"}, "found \"2of3.csv\" behind rows 0 to 19 that no file has");
  refuses({"1of2.csv", "2of3.csv", "3of3.csv"},
          "found \"2of3.csv\" and \"1of2.csv\", which both have rows 20 to 29");
  refuses(
      {"1of3.csv", "2of3.csv", "other.csv"},
      "found \"other.csv\", not of the sweep of \"1of3.csv\": --optimizer was not given, is adam");
  refuses({"1of3.csv", "no.csv"}, "found \"no.csv\", which is not there");
  refuses({"1of3.csv", "mine.csv"}, "found \"mine.csv\", which no sweep wrote");
  refuses({"1of3.csv", "2of3.jsonl"}, "expected files of one format");
  refuses({}, "PARTS: found none");
  refuses({"all.csv"}, "which is one of PARTS");
  CHECK(run_in(scratch, {"sweep", "merge", "all.csv", "1of3.csv", "--batch", "3"})
            .err.find("only --overwrite and --quiet") != std::string::npos);
}

TEST_CASE("a task of a Slurm array knows its shard, wherever the array begins") {
  const ScratchFolder scratch;
  const auto rows_of_task = [&](std::vector<std::pair<std::string, std::string>> environment) {
    Texts command = shard_into("-", "slurm");
    const Ran ran =
        run_ooc_paleo(command, {.folder = scratch.path(), .environment = std::move(environment)});
    CHECK((ran.exit_code == 0 || ran.exit_code == 3));
    return ran.out;
  };
  const std::string second = run_in(scratch, shard_into("-", "2/3")).out;
  CHECK(rows_of_task({{"SLURM_ARRAY_TASK_ID", "2"}, {"SLURM_ARRAY_TASK_COUNT", "3"}}) == second);
  CHECK(rows_of_task({{"SLURM_ARRAY_TASK_ID", "1"},
                      {"SLURM_ARRAY_TASK_COUNT", "3"},
                      {"SLURM_ARRAY_TASK_MIN", "0"}}) == second);
  CHECK(rows_of_task({{"SLURM_ARRAY_TASK_ID", "14"},
                      {"SLURM_ARRAY_TASK_COUNT", "3"},
                      {"SLURM_ARRAY_TASK_MIN", "10"},
                      {"SLURM_ARRAY_TASK_STEP", "4"}}) == second);
  for (const std::string bad : {"0/3", "4/3", "1", "a/b", "1/", "-1/3", "1/2/3", "", "1/1000001"}) {
    CAPTURE(bad);
    CHECK(run_in(scratch, shard_into("r.csv", bad.empty() ? " " : bad)).exit_code == 2);
  }
  const Ran outside = run_in(scratch, shard_into("r.csv", "slurm"));
  CHECK(outside.err.find("found no SLURM_ARRAY_TASK_ID") != std::string::npos);
  const Ran uneven = run_ooc_paleo(
      shard_into("r.csv", "slurm"),
      {.folder = scratch.path(),
       .environment = {{"SLURM_ARRAY_TASK_ID", "9"}, {"SLURM_ARRAY_TASK_COUNT", "3"}}});
  CHECK(uneven.exit_code == 2);
  CHECK(run_in(scratch, shard_into("r.json", "1/2")).err.find("sqlite, csv or jsonl") !=
        std::string::npos);
  CHECK(scratch.entries().empty());
}

}  // namespace
}  // namespace ooc::test
