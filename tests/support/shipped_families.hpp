// Configs of checkpoints by the families of the source tree.
#pragma once

#include <string>

#include "model/network/import_config.hpp"

namespace ooc {

inline std::string import_by_family(const SpecDocument& config, ImportOptions options = {}) {
  options.families = {OOC_SOURCE_DIR "/networks/families"};
  return import_config(config, options);
}

}  // namespace ooc
