// Matching of a profile's numbers with its provenance entries.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

/// Number of a profile.
struct ProfileNumber {
  std::string path;  ///< dotted path, such as "near_memory.capacity"
  SpecView view;     ///< value and place in the file
};

/// Returns the entries. Throws SpecError, or SpecErrors for several, for an entry that covers no
/// number, for two entries of the same path, and for a number that no entry covers.
[[nodiscard]] std::vector<Provenance> read_provenance(const SpecView& list,
                                                      const std::vector<ProfileNumber>& numbers);

/// Returns the entries as the value of "provenance" in a file.
[[nodiscard]] SpecNode provenance_node(const std::vector<Provenance>& entries);

/// Returns the `fields` of "assumed" entries that govern a number, in file order. Of the entries
/// that cover a number the longest path governs. Left out are entries below a returned one
/// ("far_memory.latency" below "far_memory"), unless an entry of another kind lies between.
[[nodiscard]] std::vector<std::string> assumed_fields(const std::vector<Provenance>& entries,
                                                      const std::vector<ProfileNumber>& numbers);

/// True if `fields` covers the number at `path`, and the entry that governs it is "assumed".
[[nodiscard]] bool is_assumed_under(const std::vector<Provenance>& entries, std::string_view fields,
                                    std::string_view path);

}  // namespace ooc
