// Profile from the figures of a data sheet (`ooc-paleo hardware new`). All other numbers are
// defaults of the link (link_defaults.hpp), marked as assumed in the profile and so in reports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/hardware/hardware_profile.hpp"
#include "model/hardware/profile_json.hpp"

namespace ooc {

/// Texts of the options of `hardware new` as typed.
struct DataSheet {
  std::string name;
  std::optional<std::string> architecture;
  std::optional<std::string> multiprocessors;
  std::vector<std::string> peaks;  ///< "float32=10.97TFLOP/s"; several separated by commas
  std::optional<std::string> memory;
  std::optional<std::string> memory_rate;
  std::optional<std::string> link;   ///< name in links/, or a rate
  std::optional<std::string> peers;  ///< rate of collectives between devices
  std::optional<std::string> far_memory;
  std::optional<std::string> cudnn;
  std::vector<std::string> sustained;  ///< "float32=0.94"
  std::optional<std::string> source;   ///< source of all figures; unset: unknown
};

struct DataSheetSources {
  ProfileSources profiles = {};
  std::vector<std::string> link_folders = {};
  std::string file = {};  ///< path of the profile to write
};

/// Returns the profile. Throws SpecErrors with all missing, wrong or implausible figures, each at its option.
[[nodiscard]] HardwareProfile profile_of(const DataSheet& sheet, const DataSheetSources& sources);

}  // namespace ooc
