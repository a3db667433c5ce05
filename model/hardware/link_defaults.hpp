// What a data sheet does not say of a machine, by the link to its host (hwprofiles/links/*.json, format in
// docs/formats.md, 3.2): the link's modes, the host's memory, what the runtime takes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

struct LinkDefaults {
  std::string name;  ///< "pcie3x16"
  std::vector<int>
      widths;      ///< ascending, the last is the one that is described; none: only that one
  Bytes reserved;  ///< of near memory
  Duration near_latency;
  MemoryTier far_memory;
  Connection connection;               ///< straight lines only, "pinned" among them
  std::vector<Provenance> provenance;  ///< as it stands in profiles
};

[[nodiscard]] LinkDefaults read_link(const SpecDocument& document);
[[nodiscard]] LinkDefaults read_link_file(const std::string& path, const ReadLimits& limits = {});
/// All of these folders; the first of a name counts.
[[nodiscard]] std::vector<LinkDefaults> read_links(const std::vector<std::string>& folders,
                                                   const ReadLimits& limits = {});

/// Every name: "pcie3x4", "pcie3x8", "pcie3x16", ...
[[nodiscard]] std::vector<std::string> link_names(const std::vector<LinkDefaults>& links);
/// The link of that name, its rates those of its width.
[[nodiscard]] std::optional<LinkDefaults> find_link(const std::vector<LinkDefaults>& links,
                                                    const std::string& name);
/// A link that is known by its rate in either direction: everything else as with the nearest one, rates of
/// other modes in proportion. Precondition: there is one.
[[nodiscard]] LinkDefaults link_of_rate(const std::vector<LinkDefaults>& links,
                                        BytesPerSecond rate);

/// Puts an entry in the place of those about the same fields.
void set_provenance(std::vector<Provenance>& entries, Provenance entry);
/// Takes away what is said of these fields and of those below them.
void drop_provenance(std::vector<Provenance>& entries, const std::string& prefix);

}  // namespace ooc
