// Sweeps into files: killed at any moment they lose nothing that was written and go on behind it; a file of something
// else is never touched.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

using Texts = std::vector<std::string>;

Texts sweep_command(const Texts& more) {
  return of_one_schedule(Texts{"sweep", kNetwork, "--hardware", kMachine} + more);
}

Ran sweep_in(const ScratchFolder& scratch, const Texts& more) {
  return run_ooc_paleo(sweep_command(more), {.folder = scratch.path(), .environment = {}});
}

/// Far more rows than anybody waits for, 200 a batch.
const Texts kLong{"--batch", "1:40000:+1", "--link", "1GB/s:200GB/s:+1GB/s", "--jobs", "1"};
/// 60 rows, of which 20 fit.
const Texts kShort{"--batch", "1,2", "--memory", "2GB,3GB,5GB", "--link", "1GB/s:10GB/s:+1GB/s",
                   "--quiet"};

/// What Python's print says of the rows of an answer.
std::string ask(const ScratchFolder& scratch, const std::string& file, const std::string& sql) {
  const Ran ran = run_shell("python3 -c \"import sqlite3\nfor row in sqlite3.connect('" + file +
                                "').execute(\\\"" + sql + "\\\"): print(*row)\"",
                            {.folder = scratch.path(), .environment = {}});
  CHECK(ran.err == "");
  return ran.out;
}

void change(const ScratchFolder& scratch, const std::string& file, const std::string& sql) {
  CHECK(run_shell("python3 -c \"import sqlite3\nwith sqlite3.connect('" + file +
                      "') as file: file.execute('" + sql + "')\"",
                  {.folder = scratch.path(), .environment = {}})
            .err == "");
}

/// All rows, whatever the format.
std::string rows_of(const ScratchFolder& scratch, const std::string& file) {
  return file.ends_with(".sqlite") ? ask(scratch, file, "select * from points order by point")
                                   : scratch.read(file);
}

/// Starts the program and kills it once the file is larger than it was.
void kill_when_it_grows(const ScratchFolder& scratch, const Texts& arguments,
                        const std::filesystem::path& file) {
  std::error_code none;
  const auto size = [&] {
    const auto bytes = std::filesystem::file_size(file, none);
    return none ? 0 : bytes;
  };
  const auto before = size();
  Texts words = Texts{OOC_PROGRAM} + arguments;
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
  using Clock = std::chrono::steady_clock;
  const Clock::time_point give_up = Clock::now() + std::chrono::seconds(60);
  // Where it goes on a torn row is cut off first.
  while (size() <= before + 100'000 && Clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  CHECK(size() > before);
}

TEST_CASE("a kill loses no row that was written, and the same command goes on behind it") {
  for (const std::string file : {"r.csv", "r.jsonl", "r.sqlite"}) {
    CAPTURE(file);
    const ScratchFolder scratch;
    const Texts command = sweep_command(kLong + Texts{"--quiet", "-o", file});
    std::string before;
    for (int kill = 0; kill < 2; ++kill) {
      kill_when_it_grows(scratch, command, scratch.path() / file);
      std::string rows = rows_of(scratch, file);
      rows.resize(rows.rfind('\n') + 1);  // the last may be torn
      CHECK(rows.size() > before.size());
      CHECK(rows.starts_with(before));
      before = rows;
    }
    // One behind the other, the batch of 200 rows the same.
    std::istringstream in(before);
    std::string line;
    const std::size_t head = file == "r.csv" ? 1 : 0;
    for (std::size_t i = 0; std::getline(in, line); ++i) {
      if (i % 97 != head) continue;
      const std::string batch = std::to_string((i - head) / 200 + 1);
      const bool is_there = has(line, "," + batch + ",") ||
                            has(line, "\"batch\": " + batch + ",") ||
                            has(line, " worked_example_machine " + batch + " ");
      CHECK_MESSAGE(is_there, line);
    }
  }
}

TEST_CASE("a file that ends anywhere is gone on with behind its last whole row") {
  const ScratchFolder whole;
  for (const std::string file : {"r.csv", "r.jsonl"}) {
    REQUIRE(sweep_in(whole, kShort + Texts{"-o", file}).exit_code == 0);
    const std::string table = whole.read(file);
    const std::size_t second = table.find('\n', table.find('\n') + 1) + 1;
    for (const std::size_t size : {std::size_t{0}, std::size_t{9}, second - 3, second, second + 3,
                                   table.size() / 2, table.size() - 1}) {
      CAPTURE(size);
      const ScratchFolder scratch;
      scratch.file(file, table.substr(0, size));
      CHECK(sweep_in(scratch, kShort + Texts{"-o", file}).exit_code == 0);
      CHECK((scratch.read(file) == table));
      CHECK(scratch.entries() == Texts{file});
    }
  }
  REQUIRE(sweep_in(whole, kShort + Texts{"-o", "r.sqlite"}).exit_code == 0);
  const std::string rows = rows_of(whole, "r.sqlite");
  for (const char* last : {"-1", "0", "7", "58"}) {
    CAPTURE(last);
    change(whole, "r.sqlite", std::string("delete from points where point > ") + last);
    CHECK(sweep_in(whole, kShort + Texts{"-o", "r.sqlite"}).exit_code == 0);
    CHECK((rows_of(whole, "r.sqlite") == rows));
  }
  change(whole, "r.sqlite", "delete from points where point = 7");
  check_ends(sweep_in(whole, kShort + Texts{"-o", "r.sqlite"}), 2,
             {"with rows that lack others before them"});
}

TEST_CASE("a file with all rows is left as it is, with --overwrite made anew, with more refused") {
  for (const std::string file : {"r.csv", "r.jsonl", "r.sqlite"}) {
    CAPTURE(file);
    const ScratchFolder scratch;
    const Texts command{"--memory", "1GB,3GB", "--link", "10GB/s,20GB/s", "-o", file};
    const Ran first = sweep_in(scratch, command);
    CHECK(first.exit_code == 0);
    CHECK(first.err ==
          "ooc-paleo: 4 rows, framework ideal (no overhead, exact memory): 2 ran, 2 do not fit (2 "
          "lack near memory)\n");
    const std::string rows = rows_of(scratch, file);
    const auto made = std::filesystem::last_write_time(scratch.path() / file);
    // The number of threads is no input.
    const Ran second = sweep_in(scratch, command + Texts{"--jobs", "1"});
    CHECK(second.exit_code == 0);
    CHECK(second.err == "ooc-paleo: nothing to do: all 4 rows are there\n");
    CHECK(std::filesystem::last_write_time(scratch.path() / file) == made);
    CHECK(sweep_in(scratch, command + Texts{"--overwrite"}).err == first.err);
    CHECK(rows_of(scratch, file) == rows);
    check_ends(sweep_in(scratch, {"--memory", "1GB", "--link", "10GB/s,20GB/s", "-o", file}), 2,
               {"with 4 rows, expected at most 2"});
    const Ran more =
        sweep_in(scratch, {"--memory", "1GB,3GB,5GB", "--link", "10GB/s,20GB/s", "-o", file});
    CHECK(more.exit_code == 0);
    CHECK(more.err ==
          "ooc-paleo: 2 rows behind 4 from before, framework ideal (no overhead, exact memory): 2 "
          "ran\n");
  }
}

TEST_CASE("rows of another sweep are refused, and what differs is named") {
  const ScratchFolder scratch;
  scratch.file("n.json", read_file(kNetwork));
  const auto run = [&](const Texts& more) {
    return run_ooc_paleo(
        of_one_schedule(Texts{"sweep", "n.json", "--hardware", kMachine, "--batch", "1,2", "-o"} +
                        more),
        {.folder = scratch.path(), .environment = {}});
  };
  for (const std::string file : {"r.csv", "r.jsonl", "r.sqlite"}) {
    CAPTURE(file);
    scratch.file("n.json", read_file(kNetwork));
    REQUIRE(run({file}).exit_code == 0);
    const std::string text = scratch.read(file);
    const auto refuses = [&](const Ran& ran, const std::string& found, const std::string& name) {
      check_ends(ran, 2, {"--output: found \"" + file + "\" with ", name, found, "--overwrite"});
      CHECK((scratch.read(file) == text));
    };
    refuses(run({file, "--memory", "3GB"}), "3000000000", "memory_bytes");
    refuses(run({file, "--optimizer", "adam"}), "adam", "optimizer");
    // The same job of another network.
    std::string network = read_file(kNetwork);
    const std::size_t time = network.find("\"backward_time\"");
    REQUIRE(time != std::string::npos);
    network.replace(network.find_first_of("0123456789", time), 1, "9");
    scratch.file("n.json", network);
    refuses(run({file}), " in row 0", "_ns");
    CHECK(run({file, "--overwrite"}).exit_code == 0);
    // Of the last row alone.
    CHECK(run({file, "--overwrite", "--link", "1GB/s,2GB/s"}).exit_code == 0);
    const Ran last = run({file, "--link", "1GB/s,3GB/s"});
    CHECK(has(last.err, "2000000000"));
    CHECK(has(last.err, " in row 3"));
  }
}

TEST_CASE("a file that no sweep wrote is refused and untouched") {
  const ScratchFolder scratch;
  for (const std::string file : {"r.csv", "r.jsonl", "r.sqlite"}) {
    for (const std::string text : {"mine\n", "mine", "network,hardware\nmine\n"}) {
      scratch.file(file, text);
      CHECK(sweep_in(scratch, {"-o", file}).exit_code == 2);
      CHECK(scratch.read(file) == text);
    }
    CHECK(sweep_in(scratch, {"-o", file, "--overwrite"}).exit_code == 0);
  }
  CHECK(sweep_in(scratch, {"-o", "r.csv"}).exit_code == 0);
  scratch.file("r.csv", scratch.read("r.csv") + "a note\n");
  CHECK(sweep_in(scratch, {"-o", "r.csv"}).exit_code == 2);
  change(scratch, "r.sqlite", "create view other as select 1");
  CHECK(sweep_in(scratch, {"-o", "r.sqlite"}).exit_code == 0);
  change(scratch, "r.sqlite", "alter table points add column mine");
  CHECK(sweep_in(scratch, {"-o", "r.sqlite"}).exit_code == 2);
}

TEST_CASE("two processes on one file: the second is refused") {
  const ScratchFolder scratch;
  // A named pipe as network: the first waits for it with its output already open.
  check_ends(run_shell("mkfifo pipe; ooc-paleo sweep ./pipe --hardware " + kMachine +
                           " --schedule capacity -o r.csv & first=$!; while ! [ -e r.csv ]; "
                           "do sleep 0.05; done; ooc-paleo sweep " +
                           kNetwork + " --hardware " + kMachine +
                           " --schedule capacity -o r.csv; code=$?; kill -KILL $first; wait "
                           "$first; exit $code",
                       {.folder = scratch.path(), .environment = {}}),
             2, {"which another process is writing"});
  CHECK(sweep_in(scratch, {"-o", "r.csv"}).exit_code == 0);
  CHECK(scratch.entries() == Texts{"pipe", "r.csv"});
}

TEST_CASE("an interrupted sweep says how to go on, and does") {
  const ScratchFolder scratch;
  std::size_t before = 0;
  for (const std::string signal : {"INT", "TERM", "HUP"}) {
    CAPTURE(signal);
    // The signal comes once there are more rows than before, however slow the machine; 60 s at most.
    const Ran ran = run_shell(
        "(i=0; until [ $(cat r.csv 2> /dev/null | wc -l) -gt " + std::to_string(before) +
            " ] || [ $((i += 1)) -gt 3000 ]; do sleep 0.02; done; kill -" + signal +
            " $$) & exec ooc-paleo sweep " + kNetwork + " --hardware " + kMachine +
            " --schedule capacity --batch 1:40000:+1 --link 1GB/s:200GB/s:+1GB/s -o r.csv",
        {.folder = scratch.path(), .environment = {}});
    CAPTURE(ran.err);
    CHECK(ran.exit_code == 130);
    const std::string csv = scratch.read("r.csv");
    CHECK(csv.back() == '\n');
    const auto lines = static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n'));
    CHECK(has(ran.err, std::to_string(lines - 1) +
                           " of 8000000 rows are in r.csv: the same command goes on from there\n"));
    CHECK(lines > before);
    before = lines;
  }
}

TEST_CASE("an interrupted JSON document ends as one") {
  const ScratchFolder scratch;
  const Ran ran = run_shell("timeout -s INT 0.5 ooc-paleo sweep " + kNetwork + " --hardware " +
                                kMachine + " --schedule capacity --batch 1:40000:+1 -o r.json",
                            {.folder = scratch.path(), .environment = {}});
  CHECK(has(ran.err, " of 40000 rows are in r.json\n"));
  CHECK(scratch.read("r.json").ends_with("\n\"complete\": false\n}\n"));
}

TEST_CASE("a line of jsonl is a result of json") {
  const Texts common{"--memory", "2GB,3GB", "--link", "10GB/s,inf", "--quiet", "--format"};
  const ScratchFolder scratch;
  std::istringstream in(sweep_in(scratch, common + Texts{"jsonl"}).out);
  const std::string whole = sweep_in(scratch, common + Texts{"json"}).out;
  int count = 0;
  for (std::string line; std::getline(in, line); ++count) {
    CHECK(line.rfind("{\"network\": \"worked_example\"", 0) == 0);
    CHECK(has(whole, "\n" + line));
  }
  CHECK(count == 4);
}

TEST_CASE("a database has the rows of CSV as values of their types") {
  const ScratchFolder scratch;
  std::string network = read_file(kNetwork);
  network.replace(network.find("\"worked_example\""), 16, R"("=a, \"b\"")");
  scratch.file("n.json", network);
  CHECK(run_ooc_paleo({"sweep", "n.json", "--hardware", kMachine, "--schedule", "capacity",
                       "--memory", "2GB,3GB", "--link", "10GB/s,inf", "-o", "r.sqlite"},
                      {.folder = scratch.path(), .environment = {}})
            .exit_code == 0);
  const auto said = [&](const std::string& sql) { return ask(scratch, "r.sqlite", sql); };
  CHECK(said("select point, network, memory_bytes, link_bytes_per_s, feasible, iteration_time_ns "
             "from points") ==
        "0 =a, \"b\" 2000000000 10000000000 0 None\n"
        "1 =a, \"b\" 2000000000 inf 0 None\n"
        "2 =a, \"b\" 3000000000 10000000000 1 850000000\n"
        "3 =a, \"b\" 3000000000 inf 1 602000000\n");
  CHECK(said("select distinct typeof(batch), typeof(schedule), typeof(slowdown), "
             "typeof(memory_given), typeof(error) from points where feasible") ==
        "integer text real integer null\n");
  CHECK(said("select name, type from pragma_table_info('points') where type = ''") == "");
  CHECK(said("select name from sqlite_master") == "points\n");
}

TEST_CASE("a database needs a file") {
  const ScratchFolder scratch;
  for (const Texts& flags : {Texts{"--format", "sqlite"}, Texts{"--format", "sqlite", "-o", "-"},
                             Texts{"--format", "sqlite", "-o", "/dev/null"}}) {
    check_ends(sweep_in(scratch, flags), 2, {"a file, which a database needs"});
  }
}

TEST_CASE("a sweep that runs out of disk keeps the rows that are whole, and goes on with room") {
  const ScratchFolder whole;
  for (const std::string file : {"r.csv", "r.sqlite"}) {
    CAPTURE(file);
    const ScratchFolder scratch;
    const std::string command = "ooc-paleo sweep " + kNetwork + " --hardware " + kMachine +
                                " --schedule capacity --batch 1:20:+1 --link "
                                "1GB/s:100GB/s:+1GB/s --quiet -o " +
                                file;
    // A limit on the size of files is a disk that is full; its signal is ignored.
    check_ends(run_shell("trap '' XFSZ; ulimit -f 500; " + command,
                         {.folder = scratch.path(), .environment = {}}),
               2, {" of 2000 rows are in " + file + ": the same command goes on from there"});
    CHECK(run_shell(command, {.folder = scratch.path(), .environment = {}}).exit_code == 0);
    CHECK(run_shell(command, {.folder = whole.path(), .environment = {}}).exit_code == 0);
    CHECK((rows_of(scratch, file) == rows_of(whole, file)));
    CHECK(scratch.entries() == Texts{file});
  }
}

TEST_CASE("parts of the rows one behind the other are the table of one run") {
  for (const std::string ending : {".csv", ".jsonl"}) {
    const ScratchFolder scratch;
    REQUIRE(sweep_in(scratch, kShort + Texts{"-o", "all" + ending}).exit_code == 0);
    std::string table;
    int part = 0;
    // Of whole lines of ten links, within one, none, and up to an end that lies behind the last row.
    for (const char* rows : {":20", "20:27", "27:27", "27:31", "31:1000"}) {
      const std::string file = std::to_string(++part) + ending;
      const Ran ran = sweep_in(scratch, kShort + Texts{"--rows", rows, "-o", file});
      CHECK((ran.exit_code == 0 || ran.exit_code == 3));  // nothing fits 2 GB
      if (std::string_view(rows) == "27:27") continue;
      table += scratch.read(file);
      const Ran again = sweep_in(scratch, kShort + Texts{"--rows", rows, "-o", file});
      CHECK(again.exit_code == 0);
    }
    CHECK((table == scratch.read("all" + ending)));
    // Whoever has put them together may ask whether they are all there.
    scratch.file("all" + ending, table);
    CHECK(sweep_in(scratch, kShort + Texts{"-o", "all" + ending}).exit_code == 0);
    // A part is no beginning.
    CHECK(sweep_in(scratch, kShort + Texts{"-o", "2" + ending}).exit_code == 2);
  }
  const ScratchFolder scratch;
  CHECK(sweep_in(scratch, kShort + Texts{"--rows", "20:27", "-o", "r.sqlite"}).exit_code == 0);
  CHECK(ask(scratch, "r.sqlite", "select min(point), max(point) from points") == "20 26\n");
  CHECK(sweep_in(scratch, kShort + Texts{"--rows", "20:", "-o", "r.sqlite"}).exit_code == 0);
  CHECK(ask(scratch, "r.sqlite", "select min(point), max(point) from points") == "20 59\n");
  for (const char* bad : {"3", "a:b", "4:3", "-1:3", "1/2", ""}) {
    CAPTURE(bad);
    CHECK(sweep_in(scratch, kShort + Texts{"--rows", bad}).exit_code == 2);
  }
}

TEST_CASE("tasks of a job array, one of them killed and requeued, make the table of one run") {
  const ScratchFolder scratch;
  const Texts words = sweep_command(kShort);
  std::string sweep;
  for (std::size_t i = 1; i < words.size(); ++i) sweep += " '" + words[i] + "'";
  // As Slurm starts examples/sweep.sbatch for --array=4-8:2. A kill leaves half a line.
  const Ran ran = run_shell(
      "export SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=4 SLURM_ARRAY_TASK_STEP=2; mkdir "
      "parts; "
      "task() { SLURM_ARRAY_TASK_ID=$1 bash " OOC_SOURCE_DIR "/examples/sweep.sbatch" +
          sweep +
          "; }; task 4 && task 6 && task 8 && head -c 2000 parts/00006.csv >cut && "
          "mv cut parts/00006.csv && task 6 && cat parts/*.csv >all.csv",
      {.folder = scratch.path(), .environment = {}});
  CHECK_MESSAGE(ran.exit_code == 0, ran.err);
  REQUIRE(sweep_in(scratch, kShort + Texts{"-o", "one.csv"}).exit_code == 0);
  CHECK((scratch.read("all.csv") == scratch.read("one.csv")));
}

}  // namespace
}  // namespace ooc::test
