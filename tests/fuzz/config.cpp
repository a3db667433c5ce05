// Configs of checkpoints: whatever the text, import_config either throws SpecError or writes a network file. Reading it
// back gives a network, or a SpecError at one of its layers.
#include <string>

#include "model/network/network_json.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/support/shipped_families.hpp"

namespace ooc::fuzz {
namespace {

/// 100,000 blocks are a few bytes of config: legal, but a fuzzer has no time for them.
bool is_deep(const SpecDocument& config) {
  constexpr std::int64_t kMostBlocks = 100;
  for (const char* key :
       {"num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_decoder_layers"}) {
    const auto blocks = SpecView(config).find(key);
    if (blocks && blocks->node().integer.value_or(0) > kMostBlocks) return true;
  }
  return false;
}

void read_back(const std::string& text) {
  try {
    (void)read_network_text(text, "fuzz.json");
  } catch (const SpecError& error) {
    OOC_CHECK(!error.parts().place.empty(), "what a network lacks is in a layer of it");
  }
}

}  // namespace

void consume(std::string_view text) {
  const SpecDocument config = read_spec_text(text, "config.json");
  if (!is_checkpoint_config(config)) throw SpecError({.found = "no config", .expected = "one"});
  for (const ImportKernels kernels : {ImportKernels::kEager, ImportKernels::kFused}) {
    const std::string network = import_by_family(config, {.kernels = kernels});
    if (!is_deep(config)) read_back(network);
  }
}

std::vector<std::filesystem::path> seed_folders() { return {"tests/fuzz/seeds/config"}; }

}  // namespace ooc::fuzz
