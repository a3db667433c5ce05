// ONNX models from outside: `import`, and a model in place of a network.
#include "tests/cli/run_program.hpp"
#include "tests/support/onnx_text.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

const std::string kTinyModel = R"(input x 1 N 3 8 8
weight w 1 4 3 3 3
weight v 1 10 144
node Conv x w -> y kernel_shape=3,3
node Softplus y -> z
node Flatten z -> f
node Gemm f v -> out transB=1
output out)";

TEST_CASE("an ONNX model and the file that import writes of it give one answer") {
  const ScratchFolder folder;
  const std::string model = folder.file("tiny.onnx", onnx_model(kTinyModel));
  const std::string file = (folder.path() / "tiny.json").string();
  const Ran import = run_ooc_paleo({"import", model, "-o", file});
  CHECK(import.exit_code == 0);
  CHECK(has(import.err, "tiny.onnx: no layer kind, costed by their elements: 1 of Softplus"));
  CHECK(has(folder.read("tiny.json"), "\"parameters\": 1548, \"forward_macs\": 5328"));
  const auto predict = [](const std::string& network) {
    return run_ooc_paleo({"predict", network, "--hardware", "rtx-4090", "--batch", "16", "--format", "csv", "--quiet"});
  };
  const Ran of_model = predict(model);
  CHECK(of_model.exit_code == 0);
  CHECK(csv_rows(of_model.out)[0].at("iteration_time_ns") == csv_rows(predict(file).out)[0].at("iteration_time_ns"));
  CHECK(has(run_ooc_paleo({"inspect", model}).err, "1 of Softplus"));
  check_refused(run_ooc_paleo({"predict", (folder.path() / "no.onnx").string(), "--hardware", "rtx-4090"}), {"no.onnx"});
}

TEST_CASE("a broken ONNX model is refused with its place") {
  const ScratchFolder folder;
  const std::string bytes = onnx_model(kTinyModel);
  const Ran cut = run_ooc_paleo({"inspect", folder.file("cut.onnx", bytes.substr(0, bytes.size() / 2))});
  check_refused(cut, {"cut.onnx: byte", "is the file complete, and ONNX?"});
}

}  // namespace
}  // namespace ooc::test
