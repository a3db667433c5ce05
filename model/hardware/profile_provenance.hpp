// Matching of a profile's numbers with its provenance entries.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

/// Number of a profile: dotted path, and position in the file for messages.
struct ProfileNumber {
  std::string path;
  SpecView view;
};

/// Returns the entries. Throws SpecError for an entry that covers no number, for two entries that
/// cover the same number, and for a number without an entry.
[[nodiscard]] std::vector<Provenance> read_provenance(const SpecView& list,
                                                      const std::vector<ProfileNumber>& numbers);

/// Returns the entries as the "provenance" of a file.
[[nodiscard]] SpecNode provenance_node(const std::vector<Provenance>& entries);

/// Returns the `fields` of "assumed" entries that govern a number, in file order. An entry inside
/// another returned one is left out ("far_memory.latency" beside "far_memory").
[[nodiscard]] std::vector<std::string> assumed_fields(const std::vector<Provenance>& entries,
                                                      const std::vector<ProfileNumber>& numbers);

/// True if `fields`, of one of `entries`, covers the number, and the entry that governs the number
/// is "assumed".
[[nodiscard]] bool is_assumed_under(const std::vector<Provenance>& entries, std::string_view fields,
                                    std::string_view path);

}  // namespace ooc
