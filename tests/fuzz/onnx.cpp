// ONNX models: whatever the bytes, import_onnx either throws SpecError or writes a network file. Reading it back gives a
// network, or a SpecError at one of its layers.
#include <sstream>
#include <string>

#include "model/onnx/import_onnx.hpp"
#include "tests/fuzz/target.hpp"

namespace ooc::fuzz {

void consume(std::string_view text) {
  std::istringstream bytes{std::string(text)};
  NetworkOptions options{.limits = {.max_bytes = 1 << 20}};
  (void)read_network(import_onnx(bytes, "fuzz.onnx", options), options);
}

std::vector<std::filesystem::path> seed_folders() { return {"tests/fuzz/seeds/onnx"}; }

}  // namespace ooc::fuzz
