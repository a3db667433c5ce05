// A profile from what a data sheet says (`ooc-paleo hardware new`): everything else is a default of the link
// (link_defaults.hpp), named as assumed in the profile, so that reports name it too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/hardware/hardware_profile.hpp"
#include "model/hardware/profile_json.hpp"

namespace ooc {

/// The texts of the options, as they were given.
struct DataSheet {
  std::string name;
  std::optional<std::string> architecture;
  std::optional<std::string> multiprocessors;
  std::vector<std::string> peaks;  ///< "float32=10.97TFLOP/s", also several between commas
  std::optional<std::string> memory;
  std::optional<std::string> memory_rate;
  std::optional<std::string> link;  ///< a name of links/ or a rate
  std::optional<std::string> far_memory;
  std::optional<std::string> cudnn;
  std::vector<std::string> sustained;  ///< "float32=0.94"
  std::optional<std::string> source;   ///< of what was given; none: not said
};

struct DataSheetSources {
  ProfileSources profiles = {};
  std::vector<std::string> link_folders = {};
  std::string file = {};  ///< where the profile will lie
};

/// Throws everything that is missing, wrong or implausible at once, each at its option.
[[nodiscard]] HardwareProfile profile_of(const DataSheet& sheet, const DataSheetSources& sources);

}  // namespace ooc
