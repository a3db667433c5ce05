// Published checkpoints: their configs, read by the families of the source tree, and their counts.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "model/network/network_json.hpp"

namespace ooc {

inline std::string import_by_family(const SpecDocument& config, NetworkOptions options = {}) {
  options.families = {OOC_SOURCE_DIR "/networks/families"};
  return import_config(config, options);
}

struct Checkpoint {
  std::string name;
  std::int64_t parameters = 0;
  std::int64_t active = 0;
  std::int64_t forward_macs = 0;  ///< 0: not stated
  SpecDocument config;
};

inline std::vector<Checkpoint> checkpoints() {
  const SpecDocument document = read_spec_file(OOC_SOURCE_DIR "/tests/data/checkpoints.json");
  std::vector<Checkpoint> all;
  for (const SpecView& each : SpecView(document).get("checkpoints").items()) {
    const std::int64_t parameters = each.get("parameters").as_integer(1, INT64_MAX);
    const auto active = each.find("active");
    const auto macs = each.find("forward_macs");
    all.push_back({.name = each.get("name").as_text(),
                   .parameters = parameters,
                   .active = active ? active->as_integer(1, parameters) : parameters,
                   .forward_macs = macs ? macs->as_integer(1, INT64_MAX) : 0,
                   .config = {.file = "config.json", .root = each.get("config").node()}});
  }
  return all;
}

inline SpecDocument checkpoint(const std::string& name) {
  for (Checkpoint& each : checkpoints()) {
    if (each.name == name) return std::move(each.config);
  }
  throw std::out_of_range("no such checkpoint: " + name);
}

}  // namespace ooc
