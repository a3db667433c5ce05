// Which framework a command runs under: --framework, else the machine's, else ideal.
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

/// The worked example's machine, under another name, with a framework.
std::string machine_with(const std::string& framework, const std::string& name) {
  std::string text = read_file(kMachine);
  const std::size_t at = text.find("\"compute\"");
  text.insert(at, "\"framework\": \"" + framework + "\", ");
  const std::size_t begin = text.find("\"name\": \"") + 9;
  text.replace(begin, text.find('"', begin) - begin, name);
  return text;
}

TEST_CASE("inspect says of memory what predict says, with a machine and without") {
  const auto numbers = [](Words words) {
    words.insert(words.end(), {"--batch", "4", "--format", "json", "--quiet"});
    const auto json = nlohmann::json::parse(run_ooc_paleo(words).out);
    return std::pair{json["static_bytes"].get<std::int64_t>(),
                     json["in_core_peak_bytes"].get<std::int64_t>()};
  };
  for (const std::string network : {"vgg16", "gpt2"}) {
    for (const std::string framework : {"ideal", "pytorch-2", "deepspeed-zero-2", "tensorflow-1"}) {
      CAPTURE(network);
      CAPTURE(framework);
      const Words job{network, "--framework", framework};
      const Words on{"--hardware", "h100-sxm"};
      const auto predicted =
          numbers(Words{"predict"} + job + on + Words{"--schedule", "in-core", "--memory", "60GB"});
      CHECK(numbers(Words{"inspect"} + job + on) == predicted);
      CHECK(numbers(Words{"inspect"} + job) == predicted);
    }
  }
}

TEST_CASE("--framework, else the profile's, else ideal; every result says which") {
  const ScratchFolder folder;
  folder.file("named.json", machine_with("chainer-5", "named"));
  const auto run = [&](Words more) {
    return run_ooc_paleo(Words{"predict", kNetwork, "--memory", "4GB", "--quiet"} + more,
                         in(folder))
        .out;
  };
  CHECK(has(run({"--hardware", kMachine}), "framework ideal"));
  CHECK(has(run({"--hardware", "./named.json"}), "framework chainer-5"));
  CHECK(has(run({"--hardware", "./named.json", "--framework", "ideal"}), "framework ideal"));
  CHECK(has(run({"--hardware", kMachine, "--framework", "tensorflow-1", "--format", "json"}),
            "\"framework\": \"tensorflow-1\""));
  CHECK(has(run({"--hardware", kMachine, "--format", "csv"}), "framework"));
}

TEST_CASE("machines that name different frameworks are not compared unasked") {
  const ScratchFolder folder;
  folder.file("one.json", machine_with("chainer-5", "one"));
  folder.file("two.json", machine_with("tensorflow-1", "two"));
  const auto sweep = [&](Words more) {
    return run_ooc_paleo(of_one_schedule(Words{"sweep", kNetwork, "--hardware", "./one.json",
                                               "./two.json", "--memory", "4GB", "--quiet"} +
                                         more),
                         in(folder));
  };
  check_ends(sweep({}), 2, {"/framework", "--framework"});
  const Ran asked = sweep({"--framework", "tensorflow-1"});
  CHECK(asked.exit_code == 0);
  CHECK(has(asked.out, "tensorflow-1"));
  CHECK_FALSE(has(asked.out, "chainer-5"));
}

TEST_CASE("a framework that is not there, and one that says what --accounting says") {
  check_ends(
      run_ooc_paleo({"predict", kNetwork, "--hardware", kMachine, "--framework", "pytorch2"}), 2,
      {"did you mean pytorch-2?"});
  check_ends(run_ooc_paleo({"predict", kNetwork, "--hardware", kMachine, "--framework", "pytorch-2",
                            "--accounting", "define-by-run"}),
             2, {"--accounting"});
}

// How a framework's copies wait, what they cost its host and what they take of far memory, from the command line. The
// sums are those of the worked example (docs/formats.md, section 6).

/// A framework with these fields.
std::string framework(const ScratchFolder& scratch, const std::string& fields) {
  return scratch.file("mine.json",
                      R"({"format":"ooc-paleo/framework","version":1,"name":"mine",)" + fields +
                          R"(,"provenance":[{"fields":"*","kind":"assumed","source":"a test",)"
                          R"("date":"2026-11"}]})");
}

Ran copies_predict(const Words& arguments) {
  return run_ooc_paleo(
      Words{"predict", kData + "worked_example.json", "--memory", "4 GB", "--format", "json"} +
      arguments);
}

TEST_CASE("pinning memory for every copy costs host time, in predict and in sweeps") {
  const ScratchFolder scratch;
  const std::string file = framework(scratch, R"("pinned":{"per_copy":"3 ms"})");
  CHECK(has(copies_predict({"--hardware", kMachine, "--framework", file}).out,
            "\"iteration_time_ns\": 603000000"));
  const Ran sweep =
      run_ooc_paleo({"sweep", kData + "worked_example.json", "--hardware", kMachine, "--memory",
                     "4 GB", "--schedule", "capacity", "--link", "10GB/s", "--framework", file});
  CHECK(has(sweep.out, ",603000000,"));
  // Pageable copies are not pinned.
  const std::string pool = framework(scratch, R"("pinned":"pool")");
  CHECK(has(copies_predict({"--hardware", kMachine, "--framework", pool}).out,
            "\"iteration_time_ns\": 600000000"));
}

TEST_CASE("far memory in powers of two is counted so where it is reported and where it ends") {
  const ScratchFolder scratch;
  const std::string file = framework(scratch, R"("far_sizes":"powers_of_two")");
  CHECK(has(copies_predict({"--hardware", kMachine, "--framework", file}).out,
            "\"peak_far_bytes\": 1073741824"));
  CHECK(has(copies_predict({"--hardware", kMachine}).out, "\"peak_far_bytes\": 1000000000"));
  std::string machine = read_file(kMachine);
  machine.replace(machine.find("64 GB"), 5, "1 GB");
  const std::string small = scratch.file("small.json", machine);
  CHECK(copies_predict({"--hardware", small}).exit_code == 0);
  const Ran full = copies_predict({"--hardware", small, "--framework", file});
  CHECK(full.exit_code == 3);
  CHECK(has(full.out, "\"tier\": \"far\""));
  CHECK(has(full.out, "\"wanted_bytes\": 1073741824"));
}

TEST_CASE("copies that page faults ask for wait for no framework: unified memory refuses one") {
  const Words job{"vgg16", "--hardware",  "v100-16gb-pcie3", "--batch",
                  "8",     "--framework", "tensorflow-1",    "--quiet"};
  const auto run = [&](const std::string& command, const Words& more) {
    return run_ooc_paleo(Words{command} + job + more);
  };
  check_ends(run("predict", {"--schedule", "unified"}), 2,
             {"--framework", "tensorflow-1 with the schedule unified", "copies overlap"});
  const Ran all = run("compare", {"--search", "20"});
  CHECK(all.exit_code == 0);
  CHECK_FALSE(has(all.out, "unified"));
  // One whose copies overlap does not mind.
  CHECK(run_ooc_paleo({"predict", "vgg16", "--hardware", "v100-16gb-pcie3", "--batch", "8",
                       "--framework", "chainer-5", "--schedule", "unified", "--quiet"})
            .exit_code == 0);
}

TEST_CASE("compare says without which schedules it goes, and why") {
  const Ran all = run_ooc_paleo({"compare", "alexnet", "--hardware", "v100-16gb-pcie3", "--batch",
                                 "8", "--framework", "tensorflow-1", "--search", "20"});
  CHECK(has(all.err, "remark: without unified, unified-prefetch"));
}

}  // namespace
}  // namespace ooc::test
