// ONNX models that are refused: each error names a node, an input or an offset, and nothing that a length claims is allocated.
#include "model/base/errors.hpp"
#include "model/onnx/import_onnx.hpp"
#include "tests/support/onnx_text.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace ooc;
using namespace ooc::test;

std::string refusal_of_bytes(const std::string& bytes) {
  std::istringstream stream(bytes);
  NetworkOptions options;
  try {
    (void)import_onnx(stream, "bad.onnx", options);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}
std::string onnx_refusal(const std::string& text) { return refusal_of_bytes(onnx_model(text)); }

/// That the error is about `place`, and has `part`.
void check_about(const std::string& error, const std::string& place, const std::string& part) {
  CAPTURE(error);
  CHECK(error.starts_with("bad.onnx: " + place));
  CHECK(error.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("onnx: what is no model is refused with its offset") {
  check_about(refusal_of_bytes(""), "byte 0", "no graph");
  check_about(refusal_of_bytes(R"({"format": "ooc-paleo/network"})"), "byte", "expected");
  const std::string model = onnx_model("input x 1 N 3\nnode Relu x -> out\noutput out");
  CHECK(refusal_of_bytes(model).empty());
  int incomplete = 0;
  for (std::size_t size = 0; size < model.size(); ++size) {  // every prefix: refused, never a crash
    incomplete += refusal_of_bytes(model.substr(0, size)).empty() ? 0 : 1;
  }
  CHECK(incomplete == static_cast<int>(model.size()));
  check_about(refusal_of_bytes("\x3a\xff\xff\xff\xff\x07"), "byte", "a length of 2147483647 where 0 bytes are left");
}

TEST_CASE("onnx: unknown opsets, unknown operators and graphs out of order are refused") {
  check_about(onnx_refusal("opset 9\ninput x 1 N 3\nnode Relu x -> out\noutput out"), "opset_import", "an opset from 11 to 21");
  check_about(onnx_refusal("input x 1 N 3\nnode Mystery x -> out\noutput out"), "node \"out\" (Mystery)", "unknown shape");
  check_about(onnx_refusal("input x 1 N 3\nnode Add x b -> a\nnode Relu a -> b\noutput b"), "node \"a\" (Add)",
              "nothing before it writes");
  check_about(onnx_refusal("input x 1 N 3\nnode Relu x -> a\nnode Relu x -> a\noutput a"), "node \"a\" (Relu)", "second time");
}

TEST_CASE("onnx: sizes that are missing or impossible are refused where they stand") {
  check_about(onnx_refusal("input x 1 N seq\nnode Relu x -> out\noutput out"), "input \"x\"", "--symbol seq=N");
  check_about(onnx_refusal("input x 1 N -5\nnode Relu x -> out\noutput out"), "input \"x\"", "size -5");
  check_about(onnx_refusal("input x 1 N 1152921504606846976\nnode Relu x -> out\noutput out"), "input \"x\"", "2^48");
  check_about(onnx_refusal("weight w 1 1152921504606846976 4\noutput w"), "byte", "less than 2^48 elements");
  check_about(onnx_refusal("input x 1 N 3 8 8\nweight w 1 4 5 3 3\nnode Conv x w -> out\noutput out"), "node \"out\" (Conv)",
              "shapes that fit together");
  check_about(onnx_refusal("input x 1 N 6\ninput n 7 N\nnode Reshape x n -> out\noutput out"), "node \"out\" (Reshape)",
              "sizes that depend on data");
  check_about(onnx_refusal("input x 1 N 6\nnode Transpose x -> t perm=1,0\nnode MatMul x t -> out\noutput out"), "tensor \"out\"",
              "does not grow with the batch");
}
