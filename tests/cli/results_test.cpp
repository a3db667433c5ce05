// What the commands say about jobs that are in order: exit codes, help, the numbers of the worked
// example of docs/formats.md, 6, and the flags that change a prediction.
#include <doctest/doctest.h>

#include <regex>

#include "tests/cli/run_program.hpp"

namespace ooc::test {
namespace {

Ran result_predict(std::vector<std::string> more) {
  return run_ooc_paleo(Words{"predict", kNetwork, "--hardware", kMachine, "--format", "json"} +
                       more);
}

TEST_CASE("float32 where the machine has TF32 is remarked on once, and only there") {
  const auto said = [](std::vector<std::string> words) {
    const std::string err = run_ooc_paleo(std::move(words)).err;
    int count = 0;
    for (std::size_t at = err.find("TF32 there"); at != std::string::npos;
         at = err.find("TF32 there", at + 1)) {
      ++count;
    }
    return count;
  };
  for (const char* command : {"predict", "compare", "sweep", "inspect", "max-batch"}) {
    CAPTURE(command);
    std::vector<std::string> job{command, "alexnet", "--hardware", "a100-40gb-sxm"};
    const bool no_batch = command == std::string("max-batch");
    job.insert(job.end(), {no_batch ? "--schedule" : "--batch", no_batch ? "in-core" : "1"});
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.begin(), job.begin(), job.end());
      return more;
    };
    CHECK(said(with({})) == 1);
    CHECK(said(with({"--dtype", "tf32"})) == 0);
    CHECK(said(with({"--dtype", "float32"})) == 0);  // as asked for
    CHECK(said(with({"--quiet"})) == 0);
    job[3] = "v100-16gb-pcie3";
    CHECK(said(with({})) == 0);
  }
  CHECK(said({"sweep", "alexnet", "vgg16", "--hardware", "a100-40gb-sxm", "--batch", "1"}) == 1);
}

TEST_CASE("--dtype stands in for the network's in every command that reads one") {
  for (const char* command : {"predict", "compare", "max-batch"}) {
    std::vector<std::string> words{command,    "alexnet",  "--hardware",  "a100-40gb-sxm",
                                   "--dtype",  "bfloat16", "--schedules", "in-core",
                                   "--format", "json"};
    if (command != std::string("max-batch")) words.insert(words.end(), {"--batch", "1"});
    const std::string out = run_ooc_paleo(words).out;
    CAPTURE(command);
    CHECK(has(out, "\"dtype\": \"bfloat16\""));
  }
  const auto bytes = [](const char* dtype) {
    return json_number(
        run_ooc_paleo({"inspect", "alexnet", "--dtype", dtype, "--format", "json"}).out,
        "static_bytes");
  };
  CHECK(bytes("float16") * 2 == bytes("float32"));
  const auto time = [](const char* dtype) {
    return json_number(result_predict({"--dtype", dtype}).out, "iteration_time_ns");
  };
  CHECK(time("float32") == 600'000'000);  // its times are stated
  const Ran sweep = run_ooc_paleo({"sweep", "alexnet", "--hardware", "a100-40gb-sxm", "--batch",
                                   "1", "--dtype", "tf32", "--format", "csv"});
  CHECK(has(sweep.out, ",tf32,"));
  check_ends(run_ooc_paleo({"replay", "alexnet", "--hardware", "v100-16gb-pcie3", "--batch", "1",
                            "--dtype", "bfloat16"}),
             2, {"/compute/peak/bfloat16"});
}

TEST_CASE("with 16 bits it is said which copies of the weights are counted") {
  // AlexNet has 61,100,840 parameters (torchvision's count): of adam 2 + 2 + 8 bytes each.
  const Ran ran =
      run_ooc_paleo({"predict", "alexnet", "--hardware", "a100-40gb-sxm", "--batch", "1", "--dtype",
                     "bfloat16", "--optimizer", "adam", "--format", "json"});
  CHECK(json_number(ran.out, "static_bytes") == json_number(ran.out, "parameters") * 12);
  for (const std::string& text : {ran.err, ran.out}) {
    CHECK(has(text,
              "bfloat16: of each parameter 2 B of weight, 2 B of gradient and 8 B of float32 "
              "state of adam are counted; float32 master weights, 4 B a parameter, are not"));
  }
  const Ran table = run_ooc_paleo({"inspect", "alexnet", "--dtype", "float16"});
  CHECK(has(table.out, "no float32 master weights"));
}

TEST_CASE("--far-memory stands in for the capacity of the profile") {
  // Two tensors of 1 GB move at 3 GB.
  const Ran enough = result_predict({"--memory", "3GB", "--far-memory", "2GB"});
  CHECK(enough.exit_code == 0);
  CHECK(json_number(enough.out, "far_memory_bytes") == 2'000'000'000);
  CHECK(json_number(enough.out, "peak_far_bytes") == 2'000'000'000);
  CHECK(json_number(result_predict({"--memory", "3GB"}).out, "far_memory_bytes") == 64'000'000'000);
  for (const char* command : {"predict", "replay", "compare", "max-batch"}) {
    CAPTURE(command);
    const Ran ran =
        run_ooc_paleo({command, kNetwork, "--hardware", kMachine, "--memory", "3GB", "--schedule",
                       "capacity", "--far-memory", "1999999999 B", "--format", "json", "--quiet"});
    CHECK(ran.exit_code == 3);
    CHECK(json_number(ran.out, "far_memory_bytes") == 1'999'999'999);
  }
  const Ran little = result_predict({"--memory", "3GB", "--far-memory", "1999999999 B"});
  CHECK(has(little.out, "\"tier\": \"far\""));
  CHECK(json_number(little.out, "smallest_budget_bytes") == 2'000'000'000);
  CHECK(result_predict({"--far-memory", "16"}).exit_code == 2);
}

TEST_CASE("compare says what far memory every row needs") {
  const auto compare_with = [](std::vector<std::string> more) {
    return run_ooc_paleo(Words{"compare", kNetwork, "--hardware", kMachine, "--memory", "3GB",
                               "--schedules", "capacity", "--quiet"} +
                         more)
        .out;
  };
  const std::string usual = compare_with({});
  CHECK(has(usual, " far "));
  CHECK(has(usual, "3.000 GB  2.000 GB  4.000 GB"));  // peak, far, copied
  const std::string json = compare_with({"--format", "json"});
  // First reached at 100 ms: a, which leaves till 150, b, and c, which is being written.
  CHECK(json_number(json.substr(json.find("peak_near_by_category")), "saved") == 3'000'000'000);
  // At 150 ms: a is there, b leaves.
  const std::string far = json.substr(json.find("peak_far_by_category"));
  CHECK(json_number(far, "saved") == 1'000'000'000);
  CHECK(json_number(far, "in_flight") == 1'000'000'000);
  CHECK_FALSE(has(json, "\"moved\""));
  const std::string most = run_ooc_paleo({"max-batch", kNetwork, "--hardware", kMachine, "--memory",
                                          "3GB", "--schedules", "capacity", "--format", "json"})
                               .out;
  CHECK(json_number(most.substr(most.find("peak_near_by_category")), "saved") == 3'000'000'000);
  CHECK(json_number(most.substr(most.find("peak_far_by_category")), "in_flight") == 1'000'000'000);
}

TEST_CASE("link, latency and far throughput change the copies") {
  const auto time = [](std::vector<std::string> more) {
    more.insert(more.end(), {"--schedule", "vdnn-like"});
    return json_number(result_predict(std::move(more)).out, "iteration_time_ns");
  };
  // Copies of 50 ms: 50 + 3 x 50 + 50 + 50 + 3 x 100 + 100.
  CHECK(time({"--link", "20 GB/s"}) == 700'000'000);
  // Near and far memory bind at 1000 GB/s, 1 ms a copy: 50 + 3 x 50 + 1 + 1 + 3 x 100 + 100.
  CHECK(time({"--link", "inf"}) == 602'000'000);
  // Copies of 200 ms: 50 + 3 x 200 + 200 + 200 + 3 x 200 + 100.
  CHECK(time({"--far-throughput", "5 GB/s"}) == 1'750'000'000);
  // Copies of 101 ms: 50 + 3 x 101 + 101 + 101 + 3 x 101 + 100.
  CHECK(time({"--latency", "1 ms"}) == 958'000'000);
}

TEST_CASE("measured layer times replace the model's, and the report says how many") {
  const ScratchFolder scratch;
  const std::string times = scratch.file(
      "times.csv", "layer,forward_ms,backward_ms\r\na,10,20\r\n\"b\",0.000001,1e1\r\n");
  const Ran ran = result_predict({"--schedule", "in-core", "--layer-times", times});
  // a: 10 + 20, b: 1 ns + 10, c and d: 150 each.
  CHECK(json_number(ran.out, "iteration_time_ns") == 340'000'001);
  CHECK(json_number(ran.out, "timed_layers") == 2);
}

TEST_CASE("every command's help begins with examples and goes to stdout") {
  for (const char* command : {"predict", "compare", "sweep", "inspect", "list", "schema"}) {
    const Ran ran = run_ooc_paleo({command, "--help"});
    CAPTURE(command);
    CHECK(ran.exit_code == 0);
    CHECK(ran.err == "");
    CHECK(ran.out.rfind("Examples:\n  ooc-paleo " + std::string(command), 0) == 0);
  }
  const std::string result_predict = run_ooc_paleo({"predict", "--help"}).out;
  CHECK(result_predict.find("--batch N") < result_predict.find("--help schedules"));
  CHECK(has(run_ooc_paleo({"predict", "--help", "schedules"}).out, "--algorithms RULE"));
  const Ran top = run_ooc_paleo({"--help"});
  CHECK(top.exit_code == 0);
  CHECK(top.out.rfind("Examples:\n", 0) == 0);
  CHECK(std::regex_match(run_ooc_paleo({"--version"}).out,
                         std::regex("ooc-paleo [0-9]+\\.[0-9]+\\.[0-9]+\ndata: /.*\n")));
}

TEST_CASE("list shows few parameters as few") {
  const std::string networks = run_ooc_paleo({"list", "networks"}).out;
  CHECK_FALSE(has(networks, "0.00 M"));
  CHECK(has(networks, "138.36 M parameters"));
}

TEST_CASE("schemas are printed as they are shipped") {
  CHECK(run_ooc_paleo({"schema", "network"}).out ==
        read_file(std::string(OOC_SOURCE_DIR) + "/networks/network.schema.json"));
  CHECK(run_ooc_paleo({"schema", "hwprofile"}).out ==
        read_file(std::string(OOC_SOURCE_DIR) + "/hwprofiles/hwprofile.schema.json"));
}

TEST_CASE("the format follows the file's name unless it is asked for") {
  const ScratchFolder scratch;
  const auto first_line = [&](const std::string& file, std::vector<std::string> more) {
    const Words arguments = Words{"predict", kNetwork, "--hardware", kMachine, "-o", file} + more;
    CHECK(run_ooc_paleo(arguments, {.folder = scratch.path(), .environment = {}}).exit_code == 0);
    const std::string text = scratch.read(file);
    return text.substr(0, text.find('\n'));
  };
  CHECK(first_line("a.json", {}) == "{");
  CHECK(first_line("a.csv", {}).rfind("network,hardware,", 0) == 0);
  CHECK(first_line("b.json", {"--format", "csv"}).rfind("network,hardware,", 0) == 0);
  CHECK(first_line("A.JSON", {}) == "{");
  CHECK(first_line("a.xyz", {}).rfind("worked_example on ", 0) == 0);
  const auto sweep_line = [&](const std::string& file) {
    CHECK(run_ooc_paleo({"sweep", kNetwork, "--hardware", kMachine, "-o", file, "--quiet"},
                        {.folder = scratch.path(), .environment = {}})
              .exit_code == 0);
    const std::string text = scratch.read(file);
    return text.substr(0, text.find('\n'));
  };
  CHECK(sweep_line("s.JSON") == "{");
  CHECK(sweep_line("s").rfind("network,hardware,", 0) == 0);
  CHECK(sweep_line("s.JSONL").rfind("{\"network\": ", 0) == 0);
  CHECK(sweep_line("s.SQLite").rfind("SQLite format 3", 0) == 0);
  check_ends(run_ooc_paleo({"predict", kNetwork, "--hardware", kMachine, "-o", "r.sqlite"}), 2,
             {"r.sqlite"});
}

TEST_CASE("a far memory that is given is not warned of as assumed") {
  const auto predicted = [](std::vector<std::string> more) {
    return run_ooc_paleo(Words{"predict", "alexnet", "--hardware", "p100-nvlink1-power8", "--batch",
                               "8", "--format", "json", "--quiet"} +
                         more)
        .out;
  };
  CHECK(has(predicted({}), "\"far_memory.capacity\""));
  CHECK_FALSE(has(predicted({"--far-memory", "1GB"}), "\"far_memory.capacity\""));
}

TEST_CASE("an assumed number that a flag stands in for is not warned of") {
  const ScratchFolder scratch;
  const std::string mode =
      "\"fields\": \"connection.modes.pinned\", \"kind\": \"assumed\", "
      "\"source\": \"a guess\" }, { ";
  std::string text = read_file(kMachine);
  const std::size_t at = text.find("\"fields\"");
  REQUIRE(at != std::string::npos);
  const std::string machine = scratch.file("m.json", text.insert(at, mode));
  const auto warned = [&](std::vector<std::string> more) {
    const Words arguments = Words{"predict", kNetwork, "--hardware", machine} + more;
    return has(run_ooc_paleo(arguments).out, "connection.modes.pinned");
  };
  CHECK(warned({}));
  CHECK(warned({"--link", "4GB/s"}));
  CHECK(warned({"--latency", "1us"}));
  CHECK_FALSE(warned({"--link", "4GB/s", "--latency", "1us"}));
}

TEST_CASE(
    "a schedule that needs what the profile lacks says which field to add; of all it is left out") {
  check_ends(run_ooc_paleo({"predict", kNetwork, "--hardware", kMachine, "--schedule", "unified"}),
             2, {"/connection/modes/unified_fault: found nothing"});
  for (const char* command : {"compare", "max-batch"}) {
    const Ran all = run_ooc_paleo({command, kNetwork, "--hardware", kMachine});
    CAPTURE(all.err);
    CHECK(all.exit_code == 0);
    CHECK(all.err.starts_with(
        "ooc-paleo: remark: without unified, unified-prefetch, unified-prefetch+: "));
    CHECK(has(all.err, "/connection/modes/unified_fault"));
    CHECK_FALSE(has(all.out, "unified"));
    CHECK(has(all.out, "capacity"));
    CHECK(run_ooc_paleo({command, kNetwork, "--hardware", kMachine, "--quiet"}).err == "");
  }
}

TEST_CASE("a machine with more devices than are simulated is remarked on, unless --quiet") {
  const ScratchFolder scratch;
  const std::string text =
      std::regex_replace(read_file(kMachine), std::regex("\"devices\": 1"), "\"devices\": 2");
  const std::string two = scratch.file("two.json", text);
  for (const char* command : {"predict", "compare", "sweep"}) {
    CAPTURE(command);
    // Not all: those that need what the machine lacks are remarked on, too.
    const bool list = command == std::string("compare");
    const std::string schedule = list ? "--schedules=capacity" : "--schedule=capacity";
    const Ran one = run_ooc_paleo({command, kNetwork, "--hardware", kMachine, schedule});
    const std::string closing =
        command == std::string("sweep")
            ? "ooc-paleo: 1 row, framework ideal (no overhead, exact memory): 1 ran\n"
            : "";
    CHECK(one.err == closing);
    const Ran ran = run_ooc_paleo({command, kNetwork, "--hardware", two, schedule});
    CHECK(ran.exit_code == 0);
    CHECK(ran.err == "ooc-paleo: remark: " + two +
                         ": /devices: 2 devices, of which one is simulated; --devices N splits "
                         "the batch\n" +
                         closing);
    CHECK(run_ooc_paleo({command, kNetwork, "--hardware", two, "--quiet"}).err == "");
    const Ran json = run_ooc_paleo({command, kNetwork, "--hardware", two, "--format", "json"});
    CHECK(has(json.out,
              "/devices: 2 devices, of which one is simulated; --devices N splits the batch"));
    CHECK(has(json.out, "\"remarks\": ["));
  }
}

}  // namespace
}  // namespace ooc::test
