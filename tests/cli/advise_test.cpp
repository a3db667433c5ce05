// `advise`: what is tried, what is told, and that its rows are those of `predict`.
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

using Json = nlohmann::json;

const Words kJob{"gpt2", "--hardware", "rtx-4090", "--batch", "64", "--quiet"};

Json advice(const Words& more, int exit_code = 0) {
  const Ran ran = run_ooc_paleo(Words{"advise", "--format", "json"} + more);
  CHECK_MESSAGE(ran.exit_code == exit_code, ran.err);
  return Json::parse(ran.out)["advice"];
}

/// Row of that name; null: none.
Json row_of(const Json& rows, const std::string& what) {
  for (const Json& row : rows) {
    if (row["what"] == what) return row;
  }
  return nullptr;
}

TEST_CASE("advice is what predict says of the same job, best first") {
  const Json rows = advice(kJob);
  const auto same = [&](const std::string& what, const Words& flags) {
    const Json row = row_of(rows, what);
    REQUIRE_MESSAGE(!row.is_null(), what);
    const Words framework{"--framework", "pytorch-2", "--format", "json"};
    const Json ran = Json::parse(run_ooc_paleo(Words{"predict"} + kJob + framework + flags).out);
    CHECK(row["iteration_time_ns"] == ran["iteration_time_ns"]);
    CHECK(row["feasible"] == ran["feasible"]);
  };
  same("as it is", {"--schedule", "in-core"});
  same("checkpointing", {"--schedule", "checkpoint", "--blocks", "layer"});
  same("optimiser offload", {"--schedule", "in-core", "--state", "zero-offload"});
  double before = 1e30;
  for (const Json& row : rows) {
    if (!row["feasible"]) continue;
    CHECK(row["samples_per_s"] <= before);
    before = row["samples_per_s"];
  }
}

TEST_CASE("of what fits a larger batch is told, of what does not its micro-batches") {
  const Json small = advice({"resnet18", "--hardware", "rtx-4090", "--batch", "64", "--quiet"});
  CHECK(has(small.dump(), "\"batch 1024\""));
  const Json large = advice({"resnet18", "--hardware", "rtx-4090", "--batch", "4096", "--quiet"});
  CHECK(has(large.dump(), "accumulation, "));
  for (const Json& row : large) {
    if (has(row["what"].dump(), "accumulation"))
      CHECK(row["changes_result"] == true);  // batch norms
  }
  CHECK(row_of(large, "as it is")["feasible"] == false);
}

TEST_CASE("a network in float32 is told mixed precision, in the type that the machine has") {
  const Words job{"resnet18", "--batch", "64", "--quiet", "--hardware"};
  const Json ampere = advice(job + Words{"rtx-3090"});
  CHECK_FALSE(row_of(ampere, "mixed precision").is_null());
  CHECK(row_of(ampere, "mixed precision, float16").is_null());
  CHECK_FALSE(row_of(ampere, "torch.compile").is_null());
  CHECK_FALSE(row_of(advice(job + Words{"p100-pcie-16gb"}), "mixed precision, float16").is_null());
  const Json chosen =
      advice(job + Words{"rtx-3090", "--framework", "ideal", "--precision", "amp-bf16"});
  CHECK_FALSE(has(chosen.dump(), "torch.compile"));
  CHECK_FALSE(has(chosen.dump(), "mixed precision"));
}

TEST_CASE("advice leaves alone what was chosen, and says where nothing helps") {
  CHECK_FALSE(row_of(advice(kJob + Words{"--optimizer", "adam"}), "8-bit optimiser").is_null());
  const Json rows = advice(kJob + Words{"--optimizer", "adafactor"});
  for (const Json& row : rows) CHECK_FALSE(has(row["what"].dump(), "8-bit"));
  (void)advice(kJob + Words{"--memory", "200MB", "--far-memory", "100MB"}, 3);
  const Ran refused = run_ooc_paleo({"advise", "resnet18", "--hardware", "rtx-4090"});
  CHECK(refused.exit_code == 2);
}

}  // namespace
}  // namespace ooc::test
