// Is a policy what the plan does with each tensor, is it refused where hooks could not follow, and what is said
// where there is no plan? (That PyTorch does it: scripts/test-policy.)
#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

Ran export_policy(Words flags,
                  const std::string& network = OOC_SOURCE_DIR "/tests/data/worked_example.json",
                  const std::string& machine = OOC_SOURCE_DIR
                  "/tests/data/worked_example_machine.json") {
  return run_ooc_paleo(Words{"predict", network, "--hardware", machine, "--quiet"} + flags +
                       Words{"--export-policy", "-", "-o", "/dev/null"});
}

/// The object of that tensor on one line.
std::string entry_of(const std::string& json, const std::string& tensor) {
  const std::size_t from = json.find("\"name\": \"" + tensor + "\"", json.find("\"tensors\""));
  if (from == std::string::npos) return "";
  std::string line;
  for (const char letter : json.substr(from, json.find('}', from) - from)) {
    if (letter != '\n' && letter != ' ') line += letter;
  }
  return line;
}

}  // namespace

TEST_CASE(
    "a policy says of each tensor what is done, out behind which layer, back in whose backward") {
  // As in worked_example.md: a leaves when it is written, b behind it on the link, which is free when c ends; b comes
  // back while c.backward runs, a while b.backward does.
  const Ran ran = export_policy({"--memory", "3GB"});
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  CHECK(has(entry_of(ran.out, "a"), R"("offload","out_after":"a","back_at":"b")"));
  CHECK(has(entry_of(ran.out, "b"), R"("offload","out_after":"c","back_at":"c")"));
  CHECK(has(entry_of(ran.out, "c"), R"("keep","out_after":null,"back_at":null)"));
  CHECK(has(ran.out, "\"left_out\": []"));
}

TEST_CASE("a policy says what a layer is in PyTorch: its module, or else its functions") {
  const Ran ran = export_policy({"--precision", "fp16", "--seq", "16", "--schedule", "in-core"},
                                "gpt2", "v100-16gb-pcie3");
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  std::string layers;
  for (const char letter : ran.out.substr(0, ran.out.find("\"tensors\""))) {
    if (letter != '\n' && letter != ' ') layers += letter;
  }
  for (const char* said : {R"("module":"transformer.h.0.mlp.act","functions":["gelu","gelu_"])",
                           R"("module":"transformer.h.0.mlp_residual","functions":["add","add_",)",
                           R"("module":"loss","functions":["cross_entropy"])"}) {
    CHECK_MESSAGE(has(layers, said), said);
  }
}

TEST_CASE("what is made again names the layer that it is made for") {
  // Two blocks, a b and c d: a and c are made again.
  const Ran ran = export_policy({"--memory", "5GB", "--schedule", "checkpoint", "--blocks", "2"});
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  CHECK(has(entry_of(ran.out, "c"), R"("recompute","out_after":null,"back_at":"c")"));
  // Its block is made from the data, which backward does not read.
  CHECK(has(entry_of(ran.out, "data"), R"("saved":false,"action":"keep")"));
}

TEST_CASE("a policy is refused where the plan does what hooks cannot") {
  const auto refused = [](const std::string& network, const Words& flags, const std::string& why) {
    check_refused(export_policy(flags, network, "v100-16gb-pcie3"),
                  {"--export-policy: found a plan " + why});
  };
  refused("vgg16", {"--devices", "2", "--batch", "2"}, "for 2 devices");
  refused("vgg16", {"--schedule", "unified", "--batch", "2"}, "that moves pages");
  refused("vgg16", {"--sub-batch", "64", "--batch", "256"}, "in rounds");
  refused("vgg16", {"--schedule", "lms", "--lms-action", "compress", "--batch", "256"},
          "that compresses tensors");
  refused("gpt2", {"--state", "stream", "--precision", "fp16"}, "whose weights");
}

TEST_CASE("without a plan no policy is written, and that is said") {
  const std::string example = OOC_SOURCE_DIR "/tests/data/worked_example";
  const Ran ran = run_ooc_paleo({"predict", example + ".json", "--hardware",
                                 example + "_machine.json", "--memory", "2GB", "-o", "/dev/null",
                                 "--export-policy", "-", "--trace", "/dev/null"});
  CHECK(ran.exit_code == 3);
  CHECK_MESSAGE(has(ran.err, "no trace and no policy are written"), ran.err);
}

}  // namespace ooc::test
