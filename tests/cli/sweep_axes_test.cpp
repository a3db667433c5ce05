// The axes of sweeps from outside: each says what predict says, zipped lists step together, studies are the same as
// flags, and a dry run writes nothing.
#include "model/base/spec_tree.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

using Texts = std::vector<std::string>;
/// A row by the names of its columns, as text.
using AxesRow = std::vector<std::pair<std::string, std::string>>;

std::string text_of(const SpecView& view) {
  std::string text = json_text(view.node());
  text.erase(text.find_last_not_of('\n') + 1);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::vector<AxesRow> axes_rows_of(const std::string& json) {
  const SpecDocument document = read_spec_text(json, "sweep.json");
  std::vector<AxesRow> rows;
  for (const SpecView& each : SpecView(document).get("results").items()) {
    AxesRow& row = rows.emplace_back();
    for (const auto& [key, value] : each.members()) row.emplace_back(key, text_of(value));
  }
  return rows;
}

std::string at(const AxesRow& row, const std::string& column) {
  for (const auto& [key, value] : row) {
    if (key == column) return value;
  }
  return "no " + column;
}

Ran sweep(Texts more, const Surroundings& surroundings = {}) {
  const Texts arguments = Texts{"sweep", kNetwork, "--hardware", kMachine} + more;
  return run_ooc_paleo(of_one_schedule(arguments), surroundings);
}

Texts column(const Texts& flags, const std::string& name) {
  const Texts all = flags + Texts{"--format", "json", "--quiet"};
  Texts values;
  for (const AxesRow& row : axes_rows_of(sweep(all).out)) values.push_back(at(row, name));
  return values;
}

TEST_CASE("a row at two values of an axis says what predict says of each") {
  struct Axis {
    const char* flag;
    Texts values;
    const char* column;
  };
  const std::vector<Axis> axes{{"--framework", {"ideal", "pytorch-2"}, "framework"},
                               {"--devices", {"1", "2"}, "devices"},
                               {"--compute-scale", {"1", "2.5"}, "compute_scale"},
                               {"--host-speed", {"1", "2.5"}, "host_speed"},
                               {"--far-throughput", {"5GB/s", "inf"}, "far_throughput_bytes_per_s"},
                               {"--latency", {"0us", "2ms"}, "latency_ns"},
                               {"--duplex", {"0.55", "1"}, "duplex"},
                               {"--link-to-far", {"6GB/s", "9GB/s"}, "link_to_far_bytes_per_s"},
                               {"--link-to-near", {"6GB/s", "9GB/s"}, "link_to_near_bytes_per_s"}};
  // A network of which much moves; of three links the middle one is not the first of its plan.
  const Texts job{"vgg16",    "--hardware", "v100-16gb-pcie3", "--batch",  "200",
                  "--memory", "12GiB",      "--schedule",      "vdnn-conv"};
  for (const Axis& axis : axes) {
    CAPTURE(axis.flag);
    const Texts all =
        Texts{"sweep"} + job + Texts{axis.flag,  axis.values[0] + "," + axis.values[1],
                                     "--link",   "8GB/s,9GB/s,10GB/s",
                                     "--format", "json",
                                     "--quiet"};
    const std::vector<AxesRow> rows = axes_rows_of(run_ooc_paleo(all).out);
    REQUIRE(rows.size() == 6);
    CHECK(at(rows[0], axis.column) != at(rows[3], axis.column));
    for (std::size_t i = 0; i < 2; ++i) {
      const Texts one = Texts{"predict"} + job +
                        Texts{axis.flag, axis.values[i], "--link", "9GB/s", "--format", "json"};
      const SpecDocument document = read_spec_text(run_ooc_paleo(one).out, "predict.json");
      const SpecView root(document);
      const AxesRow& row = rows[3 * i + 1];
      CHECK(at(row, axis.column) == text_of(root.get("inputs").get(axis.column)));
      for (const char* same : {"iteration_time_ns", "peak_near_bytes", "peak_far_bytes",
                               "to_far_bytes", "link_limited_by", "reference_time_ns"}) {
        CAPTURE(same);
        CHECK(at(row, same) == text_of(root.get(same)));
      }
    }
  }
}

TEST_CASE("a refusal's row says what predict says of it, whatever row came before") {
  const Texts job{"alexnet",     "--hardware", "v100-16gb-pcie3", "--batch",     "256",
                  "--memory",    "300MB",      "--far-memory",    "100MB",       "--schedule",
                  "capacity",    "--mode",     "pageable",        "--framework", "pytorch-2",
                  "--allocator", "ideal",      "--format",        "csv",         "--quiet"};
  const std::string rows =
      run_ooc_paleo(Texts{"sweep"} + job + Texts{"--link", "1GB/s,100GB/s"}).out;
  std::string alone = run_ooc_paleo(Texts{"predict"} + job + Texts{"--link", "100GB/s"}).out;
  alone = alone.substr(alone.find('\n') + 1, alone.rfind('\n') - alone.find('\n') - 1);
  CHECK(rows.ends_with("\n" + alone + ",\n"));  // no error
  CHECK(std::count(rows.begin(), rows.end(), ',') % 3 == 0);
}

TEST_CASE("a row at a length and a precision says what predict says of them") {
  const Texts job{"gpt2",       "--hardware", "rtx-3090", "--batch",  "2",
                  "--schedule", "capacity",   "--quiet",  "--format", "json"};
  const Texts all = Texts{"sweep", "--seq", "256:512:x2", "--precision", "fp32,amp-bf16"} + job;
  const std::vector<AxesRow> rows = axes_rows_of(run_ooc_paleo(all).out);
  REQUIRE(rows.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const Texts one = Texts{"predict", "--precision", i < 2 ? "fp32" : "amp-bf16", "--seq",
                            i % 2 == 0 ? "256" : "512"} +
                      job;
    const SpecDocument document = read_spec_text(run_ooc_paleo(one).out, "predict.json");
    const SpecView root(document);
    CHECK(at(rows[i], "precision") == (i < 2 ? "\"fp32\"" : "\"amp-bf16\""));
    CHECK(at(rows[i], "seq") == text_of(root.get("inputs").get("symbols").get("seq")));
    for (const char* same : {"iteration_time_ns", "peak_near_bytes", "static_bytes"}) {
      CHECK(at(rows[i], same) == text_of(root.get(same)));
    }
    for (const char* same : {"tokens_per_s", "mfu"}) {
      CHECK(at(rows[i], same) == text_of(root.get("sequence").get(same)));
    }
  }
}

/// Two blocks of whatever width and rank.
const std::string kRanks =
    R"({"format": "ooc-paleo/network", "version": 1, "name": "ranks",
        "symbols": {"rank": 4, "width": 16},
        "inputs": [{"name": "x", "shape": ["width"]}],
        "layers": [{"name": "down", "type": "linear", "units": "rank"},
                   {"name": "up", "type": "linear", "units": "width"}]})";

TEST_CASE("any symbol is an axis: every combination of the values of several") {
  const ScratchFolder scratch;
  const std::string file = scratch.file("ranks.json", kRanks);
  const auto run = [&](const std::string& symbols) {
    return run_ooc_paleo({"sweep", file, "--hardware", kMachine, "--batch", "1", "--schedule",
                          "capacity", "--symbol", symbols, "--format", "json", "--quiet"});
  };
  const Ran ran = run("rank=1:4:x2,width=8,32");
  CAPTURE(ran.err);
  Texts symbols;
  Texts parameters;
  for (const AxesRow& row : axes_rows_of(ran.out)) {
    symbols.push_back(at(row, "symbols"));
    parameters.push_back(at(row, "parameters"));
  }
  CHECK(symbols == Texts{"\"rank=1,width=8\"", "\"rank=1,width=32\"", "\"rank=2,width=8\"",
                         "\"rank=2,width=32\"", "\"rank=4,width=8\"", "\"rank=4,width=32\""});
  // 2 x rank x width, and biases.
  CHECK(parameters == Texts{"25", "97", "42", "162", "76", "292"});
}

TEST_CASE(
    "a length that a network cannot have is that row's error, and names that are none are "
    "refused") {
  const Texts job{"sweep",    "gpt2",     "--hardware", "rtx-3090", "--schedule",
                  "capacity", "--format", "json",       "--quiet"};
  const auto run = [&](const Texts& more) {
    const Texts all = job + more;
    return run_ooc_paleo(all);
  };
  const Ran ran = run({"--seq", "4096,512", "--link", "8GB/s,16GB/s"});
  CHECK(ran.exit_code == 0);
  const std::vector<AxesRow> rows = axes_rows_of(ran.out);
  REQUIRE(rows.size() == 4);
  CHECK(at(rows[0], "seq") == "4096");
  CHECK(has(at(rows[0], "error"), "1024 positions for 4096 steps"));
  CHECK(at(rows[0], "tokens_per_s") == "null");
  CHECK(at(rows[3], "error") == "null");
  CHECK(run({"--seq", "4096"}).exit_code == 2);
  // So is a precision that a machine has no peak for, wherever it stands.
  for (const char* precisions : {"fp8,fp32", "fp32,fp8"}) {
    const Ran some = run({"--seq", "512", "--precision", precisions});
    CHECK(some.exit_code == 0);
    const std::vector<AxesRow> each = axes_rows_of(some.out);
    REQUIRE(each.size() == 2);
    const bool fp8_first = at(each[0], "precision") == "\"fp8\"";
    CHECK(has(at(each[fp8_first ? 0 : 1], "error"), "peak/float8"));
    CHECK(at(each[fp8_first ? 1 : 0], "error") == "null");
  }
  CHECK(has(run({"--precision", "fp32:bf16:x2"}).err, "--precision: found \"fp32:bf16:x2\""));
  CHECK(has(run({"--precision", "fp32,fp32"}).err, "fp32 comes twice"));
  CHECK(has(run({"--seq", "8", "--symbol", "seq=9"}).err, "symbol seq for the second time"));
  CHECK(has(run({"--seq", "1:100001:+1"}).err, "sweep: found 100001 graphs"));
  // A network without the symbol is no row's error alone.
  CHECK(has(run_ooc_paleo({"sweep", "gpt2", "vgg16", "--hardware", "rtx-3090", "--seq", "512"}).err,
            "found no symbol seq"));
}

TEST_CASE("rows without a sequence have its columns where others have one") {
  const Ran ran = run_ooc_paleo({"sweep", "vgg16", "gpt2", "--hardware", "rtx-3090", "--batch", "1",
                                 "--schedule", "capacity", "--quiet"});
  std::istringstream lines(ran.out);
  std::string head;
  std::string vgg16;
  std::getline(lines, head);
  std::getline(lines, vgg16);
  CHECK(head.ends_with(",far_taken_bytes,precision,seq,tokens_per_s,mfu,error"));
  CHECK(vgg16.ends_with(",,,,,"));
  CHECK(std::count(vgg16.begin(), vgg16.end(), ',') == std::count(head.begin(), head.end(), ','));
}

TEST_CASE("columns of rare inputs are there where they are given") {
  CHECK_FALSE(has(sweep({"--quiet"}).out, "compute_scale"));
  const std::string given = sweep({"--compute-scale", "2", "--quiet"}).out;
  CHECK(given.substr(0, given.find('\n')).ends_with(",far_taken_bytes,compute_scale,error"));
  CHECK(given.substr(given.find('\n') + 1).ends_with(",,2,\n"));
  // 600 ms of computing, twice as fast.
  CHECK(column({"--memory", "5GB", "--compute-scale", "2,0.5"}, "iteration_time_ns") ==
        Texts{"300000000", "1200000000"});
}

TEST_CASE("one direction of the link alone: before --link, which the other keeps") {
  // capacity at 3 GB moves two tensors of 1 GB, copied in behind each other at the turn.
  const Texts both = column({"--memory", "3GB", "--link", "10GB/s"}, "iteration_time_ns");
  CHECK(column({"--memory", "3GB", "--link", "20GB/s", "--link-to-far", "10GB/s", "--link-to-near",
                "10GB/s"},
               "iteration_time_ns") == both);
  CHECK(column({"--memory", "3GB", "--link", "10GB/s", "--link-to-near", "20GB/s"},
               "iteration_time_ns") != both);
}

TEST_CASE("a price that one row cannot have is that row's error alone") {
  // Half duplex of 10 GB/s and 30 GB/s: 0.75.
  const Ran ran = sweep({"--link-to-far", "30GB/s,10GB/s", "--link", "10GB/s", "--duplex", "0.6",
                         "--far-throughput", "inf", "--format", "json"});
  CHECK(ran.exit_code == 0);
  const std::vector<AxesRow> rows = axes_rows_of(ran.out);
  REQUIRE(rows.size() == 2);
  CHECK(has(at(rows[0], "error"), "--duplex: found 0.6, expected a ratio from 0.75 to 1"));
  CHECK(at(rows[1], "error") == "null");
}

TEST_CASE("zipped lists step together, those of one value stay, and names may come again") {
  const Texts flags{"--memory", "5GB,3GB,5GB", "--link", "10GB/s,20GB/s,10GB/s",
                    "--batch",  "1",           "--zip"};
  CHECK(column(flags, "memory_bytes") == Texts{"5000000000", "3000000000", "5000000000"});
  CHECK(column(flags, "link_bytes_per_s") == Texts{"10000000000", "20000000000", "10000000000"});
  const Ran names = run_ooc_paleo({"sweep", kNetwork, kNetwork, "--hardware", kMachine, "--batch",
                                   "1,2", "--schedule", "capacity", "--zip", "--format", "json"});
  CHECK(axes_rows_of(names.out).size() == 2);
  check_ends(sweep({"--memory", "3GB,5GB", "--batch", "1,2,3", "--zip"}), 2,
             {"--zip: found 3 values of --batch and 2 of --memory, expected lists of one "
              "length, or of one value"});
  CHECK(sweep({"--memory", "3GB,3GB"}).exit_code == 2);
}

TEST_CASE("knees are told apart by every axis of several values") {
  const Ran ran = sweep(
      {"--memory", "3GB", "--latency", "0us,1ms", "--link", "10GB/s,640GB/s", "--format", "json"});
  CHECK(has(ran.err, "3 GB, latency 1.000 ms, capacity  "));
  const SpecDocument document = read_spec_text(ran.out, "sweep.json");
  const auto knees = SpecView(document).get("knees").items();
  REQUIRE(knees.size() == 2);
  CHECK(knees[1].get("latency_ns").node().integer == 1'000'000);
}

std::string study(const std::string& members) {
  return R"({"format": "ooc-paleo/job", "version": 1, "network": ")" + kNetwork +
         R"(", "hardware": [")" + kMachine + R"("])" + (members.empty() ? "" : ", " + members) +
         "}";
}

Ran run_study(const std::string& text, Texts more = {}) {
  const ScratchFolder scratch;
  scratch.file("s.json", text);
  const Texts arguments = Texts{"sweep", "./s.json"} + more;
  const bool named = has(text, "\"schedule\"");
  return run_ooc_paleo(named ? arguments : of_one_schedule(arguments),
                       {.folder = scratch.path(), .environment = {}});
}

TEST_CASE("a study says what flags say, and flags take the place of its lists") {
  const std::string text = study(
      R"("batch": [1, "2:4:x2"], "memory": ["3 GB", "40 GB"], "schedule": "capacity",
         "compute_scale": 2, "link": "10GB/s:20GB/s:x2", "optimizer": "adam")");
  const Texts flags{"--batch",         "1,2:4:x2", "--memory",         "3GB,40GB",    "--schedule",
                    "capacity",        "--link",   "10GB/s:20GB/s:x2", "--optimizer", "adam",
                    "--compute-scale", "2",        "--quiet"};
  const Ran run = run_study(text, {"--quiet"});
  CHECK(run.exit_code == 0);
  CHECK(run.out == sweep(flags).out);
  Texts fewer = flags;
  fewer[1] = "2";
  CHECK(run_study(text, {"--quiet", "--batch", "2"}).out == sweep(fewer).out);
  const Ran zipped = run_study(study(R"("batch": [1, 2], "memory": ["3GB", "40GB"], "zip": true)"),
                               {"--format", "json"});
  CHECK(axes_rows_of(zipped.out).size() == 2);
}

TEST_CASE("a dry run counts and writes nothing") {
  const ScratchFolder scratch;
  scratch.file("r.csv", "good\n");
  const Ran ran = sweep({"--batch", "1,2", "--memory", "20GB:29GB:+1GB", "--link",
                         "1GB/s:50GB/s:+1GB/s", "-o", "r.csv", "--dry-run"},
                        {.folder = scratch.path(), .environment = {}});
  CHECK(ran.exit_code == 0);
  CHECK(ran.out.find("1000 rows: 2 of --batch x 10 of --memory x 50 of --link\n") == 0);
  CHECK(has(ran.out, "nothing was written\n"));
  CHECK(scratch.read("r.csv") == "good\n");
  CHECK(scratch.entries().size() == 1);
  CHECK(sweep({"--batch", "x", "--dry-run"}).exit_code == 2);
}

}  // namespace
}  // namespace ooc::test
