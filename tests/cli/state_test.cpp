// Does the program say what moving state goes with, what a job that does not fit would need, and how its export reads?
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

Ran predict_state(Words flags) {
  return run_ooc_paleo(Words{"predict", "gpt2", "--hardware", "v100-16gb-pcie3", "--precision",
                             "fp16", "--optimizer", "adam", "--quiet"} +
                       flags);
}

TEST_CASE("DeepSpeed's far updates go at 54 GB/s at most, if the profile states no rate") {
  const auto time = [](const std::string& machine, const Words& state) {
    const Ran ran =
        run_ooc_paleo(Words{"predict", "gpt2", "--hardware", machine, "--precision", "bf16",
                            "--optimizer", "adam", "--format", "csv", "--quiet"} +
                      state);
    return csv_rows(ran.out).at(0).at("iteration_time_ns");
  };
  const Words zero{"--state", "zero-offload"};
  const Words stated{"--far-compute", "54GB/s"};
  CHECK(time("h100-sxm", zero) == time("h100-sxm", zero + stated));
  CHECK(time("gh200", zero) != time("gh200", zero + stated));
  const Words stream{"--state", "stream"};
  CHECK(time("h100-sxm", stream) != time("h100-sxm", stream + stated));
  // Single operations move 80 bytes for the kernel's 28, at most 67 GB/s a process.
  const Words loop = stream + Words{"--adam", "foreach"};
  CHECK(time("h100-sxm", {"--adam", "loop"}) != time("h100-sxm", {}));
  CHECK(time("h100-sxm", loop) == time("h100-sxm", stream + Words{"--far-compute", "23.45GB/s"}));
  CHECK(time("a100-40gb-sxm", loop + Words{"--far-throughput", "100GB/s"}) ==
        time("a100-40gb-sxm",
             stream + Words{"--far-throughput", "100GB/s", "--far-compute", "15.75GB/s"}));
}

Ran predict_experts(Words flags) {
  return run_ooc_paleo(Words{"predict", "mixtral-8x7b", "--hardware", "h200-sxm", "--batch", "8",
                             "--schedule", "checkpoint", "--seq", "2048", "--quiet"} +
                       flags);
}

TEST_CASE("experts are split where there are experts, and devices that share state") {
  const Words eight{"--devices", "8", "--shard", "weights"};
  for (const char* format : {"table", "csv"}) {
    const Words all = eight + Words{"--format", format};
    const Ran one = predict_experts(all + Words{"--expert-parallel", "1"});
    CHECK(one.exit_code == 0);
    CHECK(one.out == predict_experts(all).out);
    CHECK(one.out != predict_experts(all + Words{"--expert-parallel", "2"}).out);
  }
}

TEST_CASE(
    "compute and stalls are the iteration where state moves, in JSON, CSV and rows of sweeps") {
  const Words flags{"unet",       "--hardware", "t4",           "--batch",     "16",
                    "--schedule", "lms",        "--algorithms", "performance", "--quiet"};
  const auto run = [&](const std::string& command, Words more) {
    return run_ooc_paleo(Words{command} + flags + more).out;
  };
  const auto json =
      nlohmann::json::parse(run("predict", {"--offload", "optimizer", "--format", "json"}));
  std::int64_t sum = json["compute_time_ns"];
  for (const auto& [cause, time] : json["stalls_ns"].items()) sum += time.get<std::int64_t>();
  CHECK(sum == json["iteration_time_ns"]);
  CHECK(json["stalls_ns"]["update"] == json["state"]["wait_for_updates_ns"]);
  CHECK(json["stalls_ns"]["update"] > 0);
  for (const std::string& csv :
       {run("predict", {"--offload", "optimizer", "--format", "csv"}),
        run("sweep", {"--offload", "none;optimizer", "--format", "csv"})}) {
    const std::vector<CsvRow> rows = csv_rows(csv);
    CHECK(!rows.empty());
    for (const CsvRow& row : rows) {
      std::int64_t rest = std::stoll(row.at("iteration_time_ns"));
      for (const auto& [column, field] : row) {
        if (column == "compute_time_ns" || column.starts_with("stall_")) rest -= std::stoll(field);
      }
      CHECK(rest == 0);
    }
  }
}

Ran sweep_state(Words flags) {
  return run_ooc_paleo(
      of_one_schedule(Words{"sweep", "gpt2", "--hardware", "v100-16gb-pcie3", "--precision", "fp16",
                            "--optimizer", "adam", "--format", "csv", "--quiet"} +
                      flags));
}

/// The column of a row, counted from 0.
std::string field_of(const std::string& csv, std::size_t row, const std::string& column) {
  return csv_rows(csv).at(row).at(column);
}

TEST_CASE("sweeps take placements of state, presets and rates of far updates as axes") {
  const Ran placed = sweep_state({"--offload", "none;optimizer:0.5,gradients", "--far-compute",
                                  "50GB/s,2Gparam/s", "--prefetch", "2"});
  REQUIRE_MESSAGE(placed.exit_code == 0, placed.err);
  CHECK(field_of(placed.out, 0, "offload").empty());
  CHECK(field_of(placed.out, 2, "offload") == "optimizer:0.5,gradients; update far, after all");
  CHECK(field_of(placed.out, 3, "far_compute_bytes_per_s") == "56000000000");
  // Each is what predict says of that job alone.
  const Ran alone = predict_state({"--offload", "optimizer:0.5,gradients", "--far-compute",
                                   "2Gparam/s", "--prefetch", "2", "--format", "csv"});
  CHECK(field_of(placed.out, 3, "iteration_time_ns") ==
        field_of(alone.out, 0, "iteration_time_ns"));
  CHECK(field_of(placed.out, 0, "iteration_time_ns") ==
        field_of(placed.out, 1, "iteration_time_ns"));
  CHECK(field_of(placed.out, 2, "iteration_time_ns") !=
        field_of(placed.out, 3, "iteration_time_ns"));

  const Ran threads = sweep_state({"--state", "zero-offload", "--host-threads", "1,64"});
  CHECK_MESSAGE(field_of(threads.out, 0, "offload").ends_with(", 1 host threads"), threads.err);
  CHECK(field_of(threads.out, 0, "iteration_time_ns") !=
        field_of(threads.out, 1, "iteration_time_ns"));

  const Ran presets = sweep_state(
      {"--state", "stream,megatron-hybrid:0.25", "--update-delay", "0", "--schedule", "all"});
  CHECK(presets.exit_code == 0);
  CHECK_MESSAGE(!has(presets.out, "vdnn"), presets.out);
  CHECK(has(presets.out, "optimizer:0.25; update far, after all, nothing beside them"));
  CHECK(has(sweep_state({"--offload", "optimizer,optimizer"}).err, "twice"));
  CHECK(has(sweep_state({"--state", "stream,stream"}).err, "stream comes twice"));
  const Ran all = sweep_state({"--state", "all"});
  CHECK_MESSAGE(csv_rows(all.out).size() == 8, all.err);
}

TEST_CASE("updates that run far are no part of what a job with state far is compared with") {
  for (const char* link : {"16GB/s", "4TB/s"}) {
    const Ran ran = predict_state({"--state", "stream", "--link", link, "--far-throughput", "inf",
                                   "--batch", "8", "--format", "csv"});
    REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
    CAPTURE(field_of(ran.out, 0, "slowdown"));
    CHECK(std::stod(field_of(ran.out, 0, "slowdown")) >= 1);
  }
  // The link that sweep says suffices has the slowdown that it says.
  const Ran swept =
      run_ooc_paleo({"sweep",  "gpt2",         "--hardware", "v100-16gb-pcie3", "--precision",
                     "fp16",   "--optimizer",  "adam",       "--state",         "none,stream",
                     "--link", "16GB/s,4TB/s", "--schedule", "capacity",        "--far-throughput",
                     "inf",    "--batch",      "8",          "--format",        "json",
                     "--quiet"});
  REQUIRE_MESSAGE(swept.exit_code == 0, swept.err);
  const auto json = nlohmann::json::parse(swept.out);
  REQUIRE(json["knees"].size() == 2);
  for (std::size_t line = 0; line < 2; ++line) {
    const auto& knee = json["knees"][line]["within_1_percent_link_bytes_per_s"];
    for (std::size_t link = 0; link < 2; ++link) {
      const auto& row = json["results"][2 * line + link];
      const bool suffices = row["slowdown"].get<double>() <= 1.01;
      const bool known = !knee.is_null() && knee <= row["link_bytes_per_s"];
      CHECK(suffices == known);
    }
  }
}

TEST_CASE("micro-batches are an axis, and their gradients add up near or far") {
  const Ran swept =
      sweep_state({"--batch", "4", "--accumulate", "1,2:far,2:near", "--state", "zero-infinity"});
  REQUIRE_MESSAGE(swept.exit_code == 0, swept.err);
  const auto time = [](const Ran& ran, std::size_t row) {
    return std::stoll(field_of(ran.out, row, "iteration_time_ns"));
  };
  CHECK(field_of(swept.out, 1, "rounds") == "2");
  // Far sums cost time that gradients near do not, and each round fetches weights anew.
  CHECK(time(swept, 0) < time(swept, 2));
  CHECK(time(swept, 2) < time(swept, 1));
  const Ran alone = predict_state({"--batch", "4", "--sub-batch", "2", "--accumulate", "near",
                                   "--state", "zero-infinity", "--format", "csv"});
  CHECK(time(alone, 0) == time(swept, 2));
  const Ran most = run_ooc_paleo({"max", "--of", "batch", "gpt2", "--hardware", "v100-16gb-pcie3",
                                  "--precision", "fp16", "--accumulate", "4", "--schedule",
                                  "in-core", "--quiet", "--format", "csv"});
  REQUIRE_MESSAGE(most.exit_code == 0, most.err);
  CHECK(std::stoll(field_of(most.out, 0, "batch")) % 4 == 0);
}

TEST_CASE("need, fit, max and best answer about state that moves") {
  const auto ask = [](Words words) {
    return run_ooc_paleo(words + Words{"gpt2", "--hardware", "v100-16gb-pcie3", "--precision",
                                       "fp16", "--optimizer", "adam", "--state", "stream",
                                       "--quiet", "--schedule", "capacity"});
  };
  CHECK_MESSAGE(has(ask({"need", "link"}).out, "waits for updates in far memory"),
                ask({"need", "link"}).out);
  CHECK(has(ask({"fit"}).out, "fits: gpt2"));
  CHECK(ask({"max", "--of", "batch"}).exit_code == 0);
  const Ran best = predict_state({"--state", "stream", "--schedule", "best", "--search", "50"});
  CHECK_MESSAGE(best.exit_code == 0, best.err);
  CHECK(has(best.out, "State that moves"));
  // Capacity books by task, best for the worst of them: its answer is the better of both.
  const auto with_memory = [](const std::string& schedule, const std::string& memory) {
    return predict_state({"--state", "zero-infinity", "--schedule", schedule, "--memory", memory,
                          "--search", "20", "--format", "csv"});
  };
  const std::string least =
      field_of(with_memory("best", "1MB").out, 0, "smallest_budget_bytes") + "B";
  CHECK(least ==
        field_of(
            predict_state({"--state", "zero-infinity", "--memory", "1MB", "--format", "csv"}).out,
            0, "smallest_budget_bytes") +
            "B");
  CHECK(with_memory("best", least).exit_code == 0);
  // A checkpoint's plan is refused only where its own runs of tasks find no room.
  const auto layers = [](Words more) {
    return predict_state(Words{"--state", "zero-infinity", "--schedule", "checkpoint", "--blocks",
                               "layer", "--format", "csv"} +
                         more);
  };
  const std::string peak = field_of(layers({}).out, 0, "peak_near_bytes");
  CHECK(layers({"--memory", peak + "B"}).exit_code == 0);
  const Ran within = predict_state({"--update-in-backward", "--format", "json"});
  CHECK_MESSAGE(has(within.out, "\"offload_meaning\": \"update near, in backward\""), within.err);
}

}  // namespace
}  // namespace ooc::test
