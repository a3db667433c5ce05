// Constructors of JSON values for the writers of profiles and architectures.
#pragma once

#include <string>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc::spec_nodes {

[[nodiscard]] SpecNode text(std::string value);
[[nodiscard]] SpecNode number(std::string digits);
/// Number with as many digits as it takes to read back equal.
[[nodiscard]] SpecNode real(double value);
[[nodiscard]] SpecNode object();
[[nodiscard]] SpecNode list();
void put(SpecNode& node, std::string key, SpecNode value);
[[nodiscard]] SpecNode provenance(const std::vector<Provenance>& entries);

}  // namespace ooc::spec_nodes
