// Does a policy name layers as PyTorch does? (What it says of tensors: tests/golden/cases/remarks.md; that PyTorch does
// it: scripts/test-policy.)
#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
TEST_CASE("a policy says what a layer is in PyTorch: its module, or else its functions") {
  const Ran ran = run_ooc_paleo({"predict", "gpt2", "--hardware", "v100-16gb-pcie3", "--precision",
                                 "fp16", "--seq", "16", "--schedule", "in-core", "--quiet",
                                 "--export-policy", "-", "-o", "/dev/null"});
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

}  // namespace ooc::test
