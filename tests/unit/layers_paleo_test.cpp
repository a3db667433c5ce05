// PALEO's counts for convolutions against its own output (tests/data/paleo-ref), and the few rules
// that its data does not show. Its numbers of backward-filter carry floating-point noise, hence the
// tolerance of 1e-9.
#include "model/layers/convolution.hpp"
#include "tests/support/kernel_table.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/layers_support.hpp"

using namespace ooc;
using Counts = std::vector<std::int64_t>;
using Row = test::TableRow;
using test::number_of;

namespace {

const std::string kCases = OOC_SOURCE_DIR "/tests/data/paleo-ref/convcases.csv";

std::int64_t integer(const Row& row, const std::string& column) {
  return std::strtoll(row.at(column).c_str(), nullptr, 10);
}

std::string conv_text(const Row& row) {
  return R"({"type": "conv", "filters": )" + row.at("Cout") + R"(, "kernel": [)" + row.at("kh") +
         ", " + row.at("kw") + R"(], "stride": [)" + row.at("sh") + ", " + row.at("sw") +
         R"(], "padding": ")" + (row.at("padding") == "SAME" ? "same" : "valid") + "\"}";
}

void check_task(const Row& row, const std::string& name, const TaskWork& work) {
  const std::int64_t batch = integer(row, "N");
  const auto flops = static_cast<double>(batch * work.flops_per_sample);
  const auto bytes = static_cast<double>(batch * work.bytes_per_sample + work.bytes_fixed);
  CAPTURE(name);
  CHECK(flops == doctest::Approx(number_of(row, name + "_flops")).epsilon(1e-9));
  CHECK(bytes == doctest::Approx(number_of(row, name + "_bytes")).epsilon(1e-9));
}

}  // namespace

TEST_CASE("convolutions count what PALEO counts wherever it has an answer") {
  int compared = 0;
  for (const Row& row : test::read_table(kCases)) {
    if (!row.at("error").empty()) continue;
    CAPTURE(row.at("case"));
    const TensorShape input{{integer(row, "Cin"), integer(row, "H"), integer(row, "W")}};
    const LayerModel conv = read_layer(conv_text(row), {input});
    CHECK(conv.output.dims ==
          Counts{integer(row, "Cout"), integer(row, "out_h"), integer(row, "out_w")});
    check_task(row, "fwd", conv.paleo_work.forward);
    check_task(row, "bwd_data", conv.paleo_work.backward_data);
    check_task(row, "bwd_filter", conv.paleo_work.backward_weights);
    CHECK(conv.paleo_work.forward.flops_per_sample ==
          conv.paleo_work.backward_weights.flops_per_sample);
    ++compared;
  }
  CHECK(compared == 309);
}

TEST_CASE("padding in numbers is the padding that PALEO counts") {
  const LayerModel conv = read_layer(
      R"({"type": "conv", "filters": 2, "kernel": [3, 3], "padding": [1, 1], "bias": true})",
      {{{1, 4, 4}}});
  CHECK(counts(conv.paleo_work.forward) == Counts{576, 272, 72});  // 4 (6 x 6 + 32); 9 x 2 x 4
  CHECK(counts(conv.paleo_work.backward_data) == Counts{576, 352, 72});  // 4 (36 x 2 + 16)
}

TEST_CASE("a transposed convolution costs what PALEO takes for the convolution turned round") {
  const std::vector<TensorShape> small{{{2, 4, 4}}};
  const LayerModel up = read_layer(
      R"({"type": "conv_transpose", "filters": 3, "kernel": [2, 2], "stride": 2})", small);
  CHECK(up.output.dims == Counts{3, 8, 8});
  const LayerModel down =
      read_layer(R"({"type": "conv", "filters": 2, "kernel": [2, 2], "stride": 2})", {up.output});
  CHECK(down.output == small[0]);
  CHECK(counts(up.paleo_work.forward) == counts(down.paleo_work.backward_data));
  CHECK(counts(up.paleo_work.backward_data) == counts(down.paleo_work.forward));
  CHECK(counts(up.paleo_work.backward_weights) == counts(down.paleo_work.backward_weights));
}

TEST_CASE("PALEO's inner product counts 2 N D K three times") {
  const LayerModel linear = read_layer(R"({"type": "linear", "units": 3})", {{{5}}});
  CHECK(counts(linear.paleo_work.forward) == Counts{30, 32, 60});  // no bias
  CHECK(counts(linear.paleo_work.backward_data) == Counts{30, 32, 60});
  CHECK(counts(linear.paleo_work.backward_weights) == Counts{30, 32, 60});
}

TEST_CASE("PALEO counts nothing for the other kinds") {
  for (const std::string text :
       {R"({"type": "relu"})", R"({"type": "gelu"})", R"({"type": "sigmoid"})",
        R"({"type": "tanh"})", R"({"type": "silu"})", R"({"type": "batch_norm"})",
        R"({"type": "layer_norm"})", R"({"type": "lrn"})", R"({"type": "softmax"})",
        R"({"type": "softmax_cross_entropy"})", R"({"type": "flatten"})",
        R"({"type": "upsample", "scale": 2})", R"({"type": "transpose", "axes": [1, 0, 2]})"}) {
    CAPTURE(text);
    const LayerModel model = read_layer(text, {{{2, 3, 4}}});
    CHECK(counts(model.paleo_work.forward) == Counts{0, 0, 0});
    CHECK(counts(model.paleo_work.backward_data) == Counts{0, 0, 0});
    CHECK(counts(model.paleo_work.backward_weights) == Counts{0, 0, 0});
  }
}
