// Which provenance entry answers for which number of a profile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

/// A number of the profile: its dotted path, and its place in the file for messages.
struct ProfileNumber {
  std::string path;
  SpecView view;
};

/// Reads the list of entries. Throws for entries that cover nothing, for two that cover the same,
/// and for numbers that no entry covers.
[[nodiscard]] std::vector<Provenance> read_provenance(const SpecView& list,
                                                      const std::vector<ProfileNumber>& numbers);

/// The `fields` of the entries of kind "assumed" that govern at least one number, in file order; an
/// entry inside another one of the list ("far_memory.latency" beside "far_memory") is left out.
[[nodiscard]] std::vector<std::string> assumed_fields(const std::vector<Provenance>& entries,
                                                      const std::vector<ProfileNumber>& numbers);

/// Whether `fields` (of one of `entries`) names the number, and the entry that answers for it is of
/// kind "assumed".
[[nodiscard]] bool is_assumed_under(const std::vector<Provenance>& entries, std::string_view fields,
                                    std::string_view path);

}  // namespace ooc
