// A plan whose blocks need more room in one arena than they have bytes: in pages, and where pages fail.
#include <doctest/doctest.h>

#include <filesystem>

#include "tests/cli/replay_support.hpp"

using namespace ooc::test;
using nlohmann::json;

namespace {

/// GoogLeNet with branches everywhere, in little more than it can do with.
Words job(const Words& more) {
  Words words{"replay",       "googlenet", "--hardware", kStubMachine, "--batch",     "4",
              "--memory",     "93MB",      "--schedule", "capacity",   "--page-size", "4KiB",
              "--iterations", "1",         "--warmup",   "0"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Ran run(const ScratchFolder& folder, const Words& more, const std::string& stub = "",
        std::vector<std::pair<std::string, std::string>> environment = {}) {
  environment.emplace_back("OOC_STUB", stub);
  return run_ooc_paleo(job(more), {.folder = folder.path(), .environment = environment});
}

json result_of(const Ran& ran) {
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  return replay_json(ran);
}

const Words kJson{"--probe", OOC_GPU_STUB, "--format", "json"};

}  // namespace

TEST_CASE("the pool of pages is the predicted peak, but for half a per cent") {
  const ScratchFolder folder;
  const json result = result_of(run(folder, kJson));
  const json& memory = result["memory"];
  const double peak = memory["peak_near_bytes"]["predicted"];
  const double pool = memory["near_pool_bytes"];
  CHECK(result["run"]["verified"] == true);
  CHECK(memory["near_page_bytes"] == 4096);
  CHECK(memory["near_pool_pages"].get<double>() * 4096 ==
        pool - memory["static_bytes"].get<double>());
  CHECK(pool >= peak);
  CHECK(pool <= 1.005 * peak);
  CHECK(memory["peak_near_bytes"]["measured"] <= memory["peak_near_bytes"]["predicted"]);
}

TEST_CASE("a replay places blocks itself, whatever allocator the machine's framework has") {
  const ScratchFolder folder;
  const std::string profile = read_file(kStubMachine);
  const auto script_with = [&](const std::string& allocator) {
    const std::string framework = folder.file(allocator + ".json", R"({
        "format": "ooc-paleo/framework", "version": 1, "name": "any", "description": "made up",
        "allocator": ")" + allocator + R"(",
        "provenance": [{"fields": "*", "kind": "assumed", "source": "made up", "date": "2026-11"}]})");
    const std::string machine =
        folder.file("machine.json", "{ \"framework\": \"" + framework + "\"," +
                                        profile.substr(profile.find('{') + 1));
    const Ran ran = run_ooc_paleo({"replay", "googlenet", "--hardware", machine, "--batch", "4",
                                   "--memory", "93MB", "--export-plan", "a.script"},
                                  {.folder = folder.path(), .environment = {}});
    REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
    return folder.read("a.script");
  };
  const std::string ideal = script_with("ideal");
  REQUIRE(!ideal.empty());
  CHECK(script_with("caching") == ideal);
}

TEST_CASE("a device that maps no pages, or fails to, runs the plan in an arena and says so") {
  const ScratchFolder folder;
  const auto in_arena = [&](const Ran& ran, const std::string& why) {
    const json result = result_of(ran);
    CHECK(result["memory"]["near_pool_pages"] == 0);
    CHECK(result["memory"]["near_pool_bytes"].get<double>() >
          1.005 * result["memory"]["peak_near_bytes"]["predicted"].get<double>());
    CHECK(has(result["run"]["notes"].dump(), why));
  };
  in_arena(run(folder, kJson, "page_bytes=0"), "the device has no virtual memory management");
  in_arena(run(folder, kJson, "page_bytes=65536"), "are no multiple of the device's, 65536");
  in_arena(run(folder, kJson, "", {{"OOC_STUB_FAIL", "cuMemMap:100"}}), "cuMemMap: out of memory");
}

TEST_CASE("a plan in pages goes out as a file and comes back as measurements") {
  const ScratchFolder folder;
  const Ran out = run(folder, {"--export-plan", "a.script"});
  REQUIRE_MESSAGE(out.exit_code == 0, out.err);
  CHECK(has(read_file((folder.path() / "a.script").string()),
            " version=2 page_bytes=4096 pool_pages="));
  const Ran there = run_program({OOC_GPU_STUB, "--script", "a.script", "--output", "a.log"},
                                {.folder = folder.path(), .environment = {}});
  REQUIRE_MESSAGE(there.exit_code == 0, there.err);
  json imported = result_of(run(folder, {"--import-measurements", "a.log", "--format", "json"}));
  json direct = result_of(run(folder, kJson));
  CHECK(imported["memory"] == direct["memory"]);
  CHECK(imported["iteration_time_ns"] == direct["iteration_time_ns"]);
}

TEST_CASE("a measuring program that reads no pages is told apart before it is asked") {
  const ScratchFolder folder;
  folder.file("old",
              "#!/bin/sh\nprintf 'hello protocol=1 program=ooc-paleo-gpu version=0.1.0 "
              "backend=stub\\nmachine device_name=old\\nready\\n'\ncat >asked\n");
  std::filesystem::permissions(folder.path() / "old", std::filesystem::perms::owner_all);
  const Ran ran = run(folder, {"--probe", "./old"});
  CHECK(ran.exit_code == 5);
  CHECK(has(ran.err, "ooc-paleo-gpu 0.1.0 reads plans of version 1, this one is of version 2"));
}

TEST_CASE("a page size is checked") {
  const ScratchFolder folder;
  for (const char* wrong : {"5000B", "2GiB", "1B"}) {
    const Ran ran = replay_without(folder, {"--page-size", wrong});
    CHECK(ran.exit_code == 2);
    CHECK(has(ran.err, "expected a multiple of 4 KiB up to 1 GiB, or 0"));
  }
}
