// Profile from the figures of a data sheet (`ooc-paleo hardware new`). All other numbers are
// defaults of the link (LinkDefaults), marked as assumed in the profile and so in reports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/hardware/hardware_profile.hpp"
#include "model/hardware/profile_json.hpp"

namespace ooc {

// Defaults by the link to the host, for figures that data sheets lack: modes of the link, host
// memory, memory of the runtime (hwprofiles/links/*.json; docs/formats.md, 3.2).

struct LinkDefaults {
  std::string name;  ///< such as "pcie3x16"
  /// Numbers of lanes, ascending; the numbers below are those of the last. Empty: one width.
  std::vector<int> widths;
  Bytes reserved;         ///< GPU memory that driver and libraries take
  Duration near_latency;  ///< latency of GPU memory
  MemoryTier far_memory;
  Connection connection;               ///< all modes are StraightLine; "pinned" is among them
  std::vector<Provenance> provenance;  ///< sources of the numbers, as in profiles
};

[[nodiscard]] LinkDefaults read_link(const SpecDocument& document);
/// Reads all links in these folders; of files with equal names that of the first folder.
[[nodiscard]] std::vector<LinkDefaults> read_links(const std::vector<std::string>& folders,
                                                   const ReadLimits& limits = {});

/// Returns the names of all links at all widths: "pcie3x4", "pcie3x8", "pcie3x16", ...
[[nodiscard]] std::vector<std::string> link_names(const std::vector<LinkDefaults>& links);
/// Returns the link called `name`, with rates in proportion to its width; unset: no such link.
[[nodiscard]] std::optional<LinkDefaults> find_link(const std::vector<LinkDefaults>& links,
                                                    const std::string& name);
/// Returns a link whose pinned copies run at `rate`. All else is that of the link of nearest rate:
/// other modes in proportion, host memory no slower than `rate`. Precondition: there are `links`.
[[nodiscard]] LinkDefaults link_of_rate(const std::vector<LinkDefaults>& links,
                                        BytesPerSecond rate);

/// Removes entries for the fields of `entry`, then adds `entry`.
void set_provenance(std::vector<Provenance>& entries, Provenance entry);
/// Removes the entries whose `fields` are `prefix` or below ("prefix.name").
void drop_provenance(std::vector<Provenance>& entries, const std::string& prefix);

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
