// Sizes by name: what a symbol changes, what the command line may change of it, and what is refused.
#include "tests/support/test.hpp"
#include "tests/unit/network_support.hpp"

using namespace ooc;

namespace {

std::string sequence_file(const std::string& symbols, const std::string& shape,
                          const std::string& more = "") {
  return R"({"format": "ooc-paleo/network", "version": 1, "name": "tiny", "symbols": )" + symbols +
         R"(, "inputs": [{"name": "words", "shape": [)" + shape + R"(]}], "layers": [
         {"name": "rows", "type": "embedding", "vocabulary": 10, "width": 4},
         {"name": "out", "type": "linear", "units": 2}])" +
         more + "}";
}

const std::string kTiny = sequence_file(R"({"seq": 8})", R"("seq")");

std::string error_with(const std::string& text, const std::vector<SymbolValue>& symbols) {
  return message_of([&] { return read_network_text(text, "tiny.json", {.symbols = symbols}); });
}

}  // namespace

TEST_CASE("a symbol stands for its value, and for multiples of it") {
  const Network network = read_network_text(kTiny, "tiny.json");
  CHECK(network.layers[0].model->output.dims == std::vector<std::int64_t>{8, 4});
  CHECK(symbol_of(network, "seq") == 8);
  CHECK_FALSE(symbol_of(network, "batch").has_value());
  CHECK(total_forward_macs(network) == 64);  // 8 steps of 4 x 2
  const Network twice =
      read_network_text(sequence_file(R"({"seq": 8})", R"("2*seq")"), "tiny.json");
  CHECK(twice.layers[0].model->output.dims == std::vector<std::int64_t>{16, 4});
}

TEST_CASE("another value in place of the file's changes every size that uses it") {
  const std::string expects =
      sequence_file(R"({"seq": 8, "units": 2})", R"("seq")", R"(, "expect": {"forward_macs": 64})");
  std::string text = expects;
  text.replace(text.find("\"units\": 2}]"), 10, "\"units\": \"units\"");
  CHECK(total_forward_macs(read_network_text(text, "tiny.json")) == 64);
  // What the file expects is of its own sizes.
  const Network longer =
      read_network_text(text, "tiny.json", {.symbols = {{"seq", 32}, {"units", 3}}});
  CHECK(total_forward_macs(longer) == 384);  // 32 x 4 x 3
  CHECK(symbol_of(longer, "seq") == 32);
}

TEST_CASE("a symbol that the network does not have is refused with what it has") {
  const std::string fixed =
      error_with(network_text(R"({"name": "r", "type": "relu"})"), {{"seq", 2048}});
  CHECK(has(fixed, "tiny.json: /symbols: found no symbol seq, expected one that can be 2048"));
  CHECK(has(fixed, "the network's inputs are fixed at [4, 8, 8]"));
  const std::string other = error_with(kTiny, {{"sec", 16}});
  CHECK(has(other, "found no symbol sec, expected one of its symbols: seq"));
  CHECK(has(other, "did you mean seq?"));
}

TEST_CASE("values out of range say what they come to") {
  CHECK(has(error_with(kTiny, {{"seq", std::int64_t{1} << 47}}), "2^48 bytes"));
  const std::string large =
      error_with(sequence_file(R"({"seq": 8})", R"("4611686018427387904*seq")"), {});
  CHECK(has(large, "which is 36893488147419103232, expected an integer from 1 to"));
  CHECK(has(file_error(sequence_file(R"({"seq": 0})", R"("seq")")),
            "/symbols/seq: found 0, expected an integer from 1 to"));
}

TEST_CASE("texts that are no symbols, names that cannot be and symbols of no use are refused") {
  for (const char* text : {"sequence", "2 * seq", "seq*2", "-1*seq", "*seq", "2*", ""}) {
    CAPTURE(text);
    const std::string error =
        file_error(sequence_file(R"({"seq": 8})", '"' + std::string(text) + '"'));
    CHECK(has(error, "/inputs/0/shape/0: found"));
    CHECK(has(error, R"(or a symbol, as "seq" or "2*seq")"));
  }
  // Without symbols the message is what it was.
  CHECK(has(file_error(sequence_file("{}", R"("seq")")),
            "/inputs/0/shape/0: found \"seq\", expected an integer from 1 to 281474976710656 ("));
  CHECK(has(file_error(sequence_file(R"({"2seq": 8})", "8")), "a symbol named \"2seq\""));
  CHECK(has(file_error(sequence_file(R"({"seq": "seq"})", R"("seq")")),
            "/symbols/seq: found \"seq\", expected an integer"));
  CHECK(has(file_error(sequence_file("[8]", "8")), "/symbols: found a list of 1"));
  CHECK(has(file_error(sequence_file(R"({"seq": 8})", "8")),
            "/symbols/seq: found a symbol seq that no size uses"));
}
