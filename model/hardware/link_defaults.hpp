// Defaults by the link to the host, for figures that data sheets lack: modes of the link, host
// memory, memory of the runtime (hwprofiles/links/*.json; docs/formats.md, 3.2).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

struct LinkDefaults {
  std::string name;  ///< such as "pcie3x16"
  std::vector<int>
      widths;  ///< numbers of lanes, ascending; the file describes the last one. Empty: one width
  Bytes reserved;  ///< GPU memory of the runtime
  Duration near_latency;
  MemoryTier far_memory;
  Connection connection;               ///< straight lines only, "pinned" among them
  std::vector<Provenance> provenance;  ///< sources of the numbers, as in profiles
};

[[nodiscard]] LinkDefaults read_link(const SpecDocument& document);
[[nodiscard]] LinkDefaults read_link_file(const std::string& path, const ReadLimits& limits = {});
/// Reads all links in these folders; of equal names the first.
[[nodiscard]] std::vector<LinkDefaults> read_links(const std::vector<std::string>& folders,
                                                   const ReadLimits& limits = {});

/// Returns all names: "pcie3x4", "pcie3x8", "pcie3x16", ...
[[nodiscard]] std::vector<std::string> link_names(const std::vector<LinkDefaults>& links);
/// Returns the link called `name` with the rates of its width; unset: no such link.
[[nodiscard]] std::optional<LinkDefaults> find_link(const std::vector<LinkDefaults>& links,
                                                    const std::string& name);
/// Returns a link whose pinned copies run at `rate`. All else is from the link of nearest rate:
/// other modes scale, host memory is no slower than `rate`. Precondition: `links` is not empty.
[[nodiscard]] LinkDefaults link_of_rate(const std::vector<LinkDefaults>& links,
                                        BytesPerSecond rate);

/// Replaces the entries for the same fields by `entry`.
void set_provenance(std::vector<Provenance>& entries, Provenance entry);
/// Removes entries for these fields and fields below them.
void drop_provenance(std::vector<Provenance>& entries, const std::string& prefix);

}  // namespace ooc
