// Reading architecture files: numbers, provenance, errors.
#include <nlohmann/json.hpp>

#include "model/hardware/architecture_json.hpp"
#include "model/kernels/parameter_fields.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

namespace {

const std::string kFolder = OOC_SOURCE_DIR "/hwprofiles/architectures/";

std::string text_of(const std::string& name) {
  std::ifstream file(kFolder + name + ".json");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  const std::size_t at = text.find(old);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), by);
}

SpecError error_of(const std::string& text) {
  try {
    (void)read_architecture_text(text, "some.json");
  } catch (const SpecError& error) {
    return error;
  }
  FAIL("no error");
  throw 0;
}

}  // namespace

TEST_CASE(
    "all nine architectures read, are named as their files, and are written as they were read") {
  for (const char* name :
       {"kepler", "maxwell", "pascal", "volta", "turing", "ampere", "ada", "hopper", "blackwell"}) {
    CAPTURE(name);
    const Architecture architecture = read_architecture_file(kFolder + name + ".json");
    CHECK(architecture.name == name);
    CHECK(architecture.parameters.kernel_seconds > 0);
    const std::string written = write_architecture(architecture);
    CHECK(write_architecture(read_architecture_text(written, "again")) == written);
  }
}

TEST_CASE("an architecture that says nothing of flash attention is written with what is assumed") {
  auto volta = nlohmann::json::parse(std::ifstream(kFolder + "volta.json"));
  volta.erase("flash");
  auto& provenance = volta["provenance"];
  for (auto entry = provenance.begin(); entry != provenance.end();) {
    entry = (*entry)["fields"] == "flash" ? provenance.erase(entry) : entry + 1;
  }
  const Architecture read = read_architecture_text(volta.dump(), "volta");
  const Architecture again = read_architecture_text(write_architecture(read), "again");
  for (const Architecture& each : {read, again}) {
    CHECK(std::count(each.assumed.begin(), each.assumed.end(), "flash") == 1);
  }
}

TEST_CASE("tensor cores begin with Volta, TF32 with Ampere") {
  const auto tf32 = static_cast<std::size_t>(Dtype::kTf32);
  CHECK_FALSE(read_architecture_file(kFolder + "pascal.json").parameters.tensor);
  const Architecture volta = read_architecture_file(kFolder + "volta.json");
  CHECK(volta.parameters.tensor);
  CHECK(volta.parameters.sustained[tf32] == 0);
  CHECK(read_architecture_file(kFolder + "ampere.json").parameters.sustained[tf32] > 0.5);
}

TEST_CASE("numbers that are said to be another architecture's equal them") {
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().string().ends_with(".schema.json")) continue;
    Architecture heir = read_architecture_file(entry.path().string());
    for (const Provenance& provenance : heir.provenance) {
      if (provenance.inherits.empty()) continue;
      CHECK(provenance.kind == ProvenanceKind::kAssumed);
      const std::size_t dot = provenance.inherits.find('.');
      Architecture giver =
          read_architecture_file(kFolder + provenance.inherits.substr(0, dot) + ".json");
      if (dot != std::string::npos) {
        CHECK(find_parameter_field(provenance.fields)->of(heir.parameters) ==
              find_parameter_field(provenance.inherits.substr(dot + 1))->of(giver.parameters));
        continue;
      }
      for (const ParameterField& field : parameter_fields()) {
        if (field.section != provenance.fields) continue;
        const std::string path = std::string(field.section) + "." + std::string(field.name);
        const bool own = std::any_of(heir.provenance.begin(), heir.provenance.end(),
                                     [&](const Provenance& other) { return other.fields == path; });
        CAPTURE(heir.name + ": " + path);
        if (!own) CHECK(field.of(heir.parameters) == field.of(giver.parameters));
      }
    }
  }
}

TEST_CASE("errors of architecture files name place, found and expected") {
  const std::string volta = text_of("volta");
  CHECK(error_of(replaced(volta, "\"wide_tiles\"", "\"wide_tile\"")).parts().place == "/simt");
  const SpecError range = error_of(replaced(volta, "\"near_share\": 0.92", "\"near_share\": 1.2"));
  CHECK(range.parts().place == "/near_share");
  CHECK(range.parts().expected == "a ratio from 0.01 to 1");
  CHECK(error_of(replaced(volta, "\"kernel\": \"5 us\"", "\"kernel\": 5")).parts().place ==
        "/kernel");
  CHECK(
      has(error_of(replaced(volta, "\"fields\": \"tensor\"", "\"fields\": \"tensr\"")).parts().hint,
          "tensor"));
  const SpecError flash =
      error_of(replaced(text_of("pascal"), "\"recurrent\": {",
                        "\"flash\": {\"forward\": 1, \"backward\": 1}, \"recurrent\": {"));
  CHECK(flash.parts().place == "/flash");
  CHECK(flash.parts().expected == "\"tensor\" beside it");
  CHECK(error_of(replaced(volta, "ooc-paleo/architecture", "ooc-paleo/hardware-profile"))
            .parts()
            .place == "/format");
}
