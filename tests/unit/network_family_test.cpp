// Family files: what expressions, keys, parts, bases and layers that differ come to, and what is said of a file
// that is wrong.
#include "model/network/import_config.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/network_support.hpp"

using namespace ooc;

namespace {

/// A folder of family files, called by their names.
class FamilyFolder {
 public:
  FamilyFolder() { std::filesystem::create_directories(path_); }
  ~FamilyFolder() { std::filesystem::remove_all(path_); }
  FamilyFolder(const FamilyFolder&) = delete;
  FamilyFolder& operator=(const FamilyFolder&) = delete;

  void write(const std::string& name, const std::string& members) const {
    std::ofstream(path_ / (name + ".json"))
        << R"({"format": "ooc-paleo/family", "version": 1, )" << members << "}";
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() /
      ("ooc-families-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)));
};

std::string imported(const FamilyFolder& folder, const std::string& config) {
  return import_config(
      read_spec_text(R"({"model_type": "own")" + config + "}", "config.json"),
      {.families = {folder.path(), OOC_SOURCE_DIR "/networks/families"}, .name = "own"});
}

std::string family_error(const FamilyFolder& folder, const std::string& config) {
  return message_of([&] { return imported(folder, config); });
}

const std::string kInput =
    R"("model_types": ["own"], "inputs": [{"name": "data", "shape": [4]}], )";

/// One linear layer with `units`, an expression over the keys a, b (6 unless stated), f, t, l and n.
std::string units_text(const std::string& expression, const std::string& config) {
  const FamilyFolder folder;
  folder.write("own",
               kInput +
                   R"("keys": {"a": {}, "b": {"default": 6}, "f": {"is": "flag", "default": false},
      "t": {"is": "text", "of": ["one", "two"], "default": "one"}, "l": {"is": "list", "default": null},
      "n": {"is": "layers", "of": "=b", "default": null}},
    "layers": [{"name": "x", "type": "linear", "units": "=)" +
                   expression + R"("}])");
  const SpecDocument file = read_spec_text(imported(folder, config), "x");
  const auto units = SpecView(file).get("layers").items().front().find("units");
  return units ? units->node().text : "none";
}

std::string units_error(const std::string& expression, const std::string& config) {
  try {
    return "no error: " + units_text(expression, config);
  } catch (const SpecError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("expressions of a family") {
  const std::string a = R"(, "a": 12)";
  for (const auto& each : std::vector<std::pair<std::string, std::string>>{
           {"a", "12"},
           {"a + b * 2 - 1", "23"},
           {"(a + b) * 2", "36"},
           {"a / b", "2"},
           {"(a + 1) // b", "2"},
           {"(a + 1) % b", "1"},
           {"a > b ? 1 : 2", "1"},
           {"a <= b ? 1 : a == 12 and not f ? 3 : 4", "3"},
           {"f ? 1", "none"},
           {"f ? missing : 5", "5"},
           {"f and missing or t == 'one' ? 6", "6"},
           {"t in ['two', 'three'] or t != 'one' ? 7 : 8", "8"},
           {"l[3] ? 1 : 9", "9"},
       }) {
    CAPTURE(each.first);
    CHECK(units_text(each.first, a) == each.second);
  }
  CHECK(units_text("l[1]", a + R"(, "l": ["p", "q"])") == "q");
  CHECK(units_text("n[2] and not n[1] ? 1 : 2", a + R"(, "n": [2, 5])") == "1");
}

TEST_CASE("errors are the config's where its numbers are wrong, else the family's") {
  const std::string a = R"(, "a": 12)";
  CHECK(has(units_error("a", ""), "config.json: found no \"a\""));
  CHECK(has(units_error("a", R"(, "a": 0)"), "config.json: /a: found 0"));
  CHECK(has(units_error("a / b", a + R"(, "b": 5)"),
            "config.json: /b: found 5, expected a divisor of a, 12"));
  CHECK(has(units_error("(a + 1) / b", a), "own.json: /layers/0/units: found"));
  CHECK(has(units_error("2 * a", R"(, "a": 200000000000000)"),
            "config.json: /a: found 200000000000000, expected less"));
  CHECK(has(units_error("b", a + R"(, "t": "three")"), "config.json: /t: found \"three\""));
  CHECK(has(units_error("t == 'one' ? 1", a + R"(, "t": "three")"),
            "config.json: /t: found \"three\", expected one of \"one\", \"two\""));
  CHECK(has(units_error("n[0] ? 1", a + R"(, "n": [6])"), "config.json: /n/0: found 6"));
  CHECK(has(units_error("l[2]", a + R"(, "l": ["p"])"),
            "config.json: /l: found a list of 1, expected at least 3"));
  CHECK(has(units_error("a +", a), "own.json: /layers/0/units: found"));
  CHECK(has(units_error("f and (a", a), "expected \")\""));
  CHECK(has(units_error("c", a), "own.json: /layers/0/units: found the name \"c\""));
  CHECK(has(units_error("t + 1", a), "own.json: /layers/0/units"));
  CHECK(has(units_error(std::string(100, '('), a), "expected fewer parentheses"));
}

TEST_CASE("parts, layers that may be missing, and a repeat for each run of layers that are alike") {
  const FamilyFolder folder;
  folder.write(
      "own",
      kInput +
          R"("keys": {"layers": {}, "dense": {"is": "layers", "of": "=layers", "default": null}},
    "layers": [
      {"name": "blocks", "type": "repeat", "times": "=layers", "scale": true,
       "by_layer": {"wide": "=layer % 3 == 0 and not dense[layer]"},
       "layers": [
         {"part": "branch", "of": "a", "units": "=wide ? 8 : 4"},
         {"part": "branch", "of": "b", "units": 4},
         {"if": "not wide", "name": "sum", "type": "add", "inputs": ["a_act|a", "b_act|b"]},
         {"if": "wide", "name": "out", "type": "linear", "units": 4, "inputs": ["a_act|a"]},
         {"if": "wide", "name": "sum", "type": "add", "inputs": ["out", "b"]}
       ]},
      {"name": "end", "type": "relu"}
    ],
    "parts": {"branch": [
      {"name": "{of}", "type": "linear", "units": "=units", "inputs": ["@input"]},
      {"if": "of == 'a'", "name": "{of}_act", "type": "relu"}
    ]})");
  const Network network = read_network_text(imported(folder, R"(, "layers": 5)"), "x");
  REQUIRE(network.scaling.size() == 4);  // 0, 1 and 2, 3, 4
  CHECK(network.scaling[1].name == "blocks.1");
  CHECK(network.scaling[1].copies == 2);
  const auto wires = wiring(network);
  CHECK(wires[2] == "blocks.0/0/b: data");
  CHECK(wires[3] == "blocks.0/0/out: blocks.0/0/a_act");
  CHECK(wires[8] == "blocks.1/0/sum: blocks.1/0/a_act blocks.1/0/b");
  const Network alike = read_network_text(imported(folder, R"(, "layers": 3, "dense": [0])"), "x");
  REQUIRE(alike.scaling.size() == 1);
  CHECK(alike.scaling[0].name == "blocks");
  CHECK(has(family_error(folder, R"(, "layers": 3000)"),
            "config.json: /layers: found 3000, expected at most 1000 runs"));
}

TEST_CASE("a family has what its base has, and says what it has otherwise") {
  const FamilyFolder folder;
  folder.write("own", R"("model_types": ["own"], "base": "gpt2", "values": {"n_head": 2},
    "keys": {"n_embd": {"key": ["width", "n_embd"]}, "is_decoder": {"is": "flag", "default": true}})");
  const std::string config = R"(, "width": 8, "n_layer": 1, "n_positions": 4, "vocab_size": 9)";
  CHECK(has(imported(folder, config), R"("units": 24)"));
  CHECK(has(imported(folder, config + R"(, "is_decoder": true)"), R"("heads": 2)"));
  CHECK(has(family_error(folder, config + R"(, "add_cross_attention": true)"),
            "config.json: /add_cross_attention: found true, expected no cross attention"));
  CHECK(family_error(folder, config + R"(, "hidden_act": "mish")").empty());  // not gpt2's key
  CHECK(has(family_error(folder, R"(, "width": 9)"), "expected a divisor of n_embd, 9"));
}

TEST_CASE("a family file that is wrong is refused at its place") {
  const FamilyFolder folder;
  const auto error = [&](const std::string& members) {
    folder.write("own", members);
    return family_error(folder, R"(, "a": 1)");
  };
  CHECK(has(error(R"("model_types": [3])"), "own.json: /model_types/0: found 3"));
  CHECK(has(error(kInput + R"("base": "nothing")"), "own.json: /base: found \"nothing\""));
  CHECK(has(error(kInput + R"("base": "own")"),
            "own.json: /base: found \"own\", expected no circle"));
  CHECK(has(error(kInput + R"("layer": [])"), "own.json: /layer: found unknown key \"layer\""));
  CHECK(has(error(kInput + R"("keys": {"a": {"min": 1}})"), "own.json: /keys/a/min"));
  CHECK(has(error(kInput + R"("keys": {"a": {}})"), "own.json: found no \"layers\""));
  CHECK(has(error(kInput + R"("layers": [{"part": "p"}], "parts": {"p": [{"part": "p"}]})"),
            "own.json: /parts/p/0/part: found \"p\", which has itself in it"));
  CHECK(has(
      error(
          kInput +
          R"("values": {"b": "=c", "c": "=b"}, "layers": [{"name": "x", "type": "linear", "units": "=b"}])"),
      "which needs itself"));
  CHECK(has(
      error(
          kInput +
          R"("layers": [{"name": "x", "type": "repeat", "times": "=a - 1", "layers": []}], "keys": {"a": {}})"),
      "config.json: /a: found 1, which makes 0, expected an integer from 1 to 100000"));
  CHECK(has(
      error(
          kInput +
          R"("require": [{"that": "a > 1", "key": "a", "expected": "2, not {a}"}], "keys": {"a": {}}, "layers": [])"),
      "config.json: /a: found 1, expected 2, not 1"));
  const FamilyFolder empty;
  CHECK(has(message_of([&] {
              return import_config(read_spec_text(R"({"model_type": "own"})", "config.json"),
                                   {.families = {empty.path()}});
            }),
            "config.json: /model_type: found \"own\", expected a family file"));
}
