// Profile from the figures of a data sheet (`ooc-paleo hardware new`). All other numbers are
// defaults of the link (link_defaults.hpp), marked as assumed in the profile and so in reports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/hardware/hardware_profile.hpp"
#include "model/hardware/profile_json.hpp"

namespace ooc {

/// Texts of the options of `hardware new` as typed. Unset or empty: option not given.
struct DataSheet {
  std::string name;
  std::optional<std::string> architecture;
  std::optional<std::string> multiprocessors;
  std::vector<std::string> peaks;  ///< each such as "float32=10.97TFLOP/s", or several with commas
  std::optional<std::string> memory;
  std::optional<std::string> memory_rate;
  std::optional<std::string> link;   ///< name of a link ("pcie4x16"), or the rate of pinned copies
  std::optional<std::string> peers;  ///< rate of collectives between devices
  std::optional<std::string> far_memory;
  std::optional<std::string> cudnn;
  std::vector<std::string> sustained;  ///< each such as "float32=0.94", share of the peak
  std::optional<std::string> source;   ///< where the figures come from; unset: not stated
};

struct DataSheetSources {
  ProfileSources profiles = {};
  std::vector<std::string> link_folders = {};
  std::string file = {};  ///< path of the profile to write
};

/// Returns the profile. Throws SpecError, or SpecErrors for several, for missing, wrong or implausible figures.
[[nodiscard]] HardwareProfile profile_of(const DataSheet& sheet, const DataSheetSources& sources);

}  // namespace ooc
