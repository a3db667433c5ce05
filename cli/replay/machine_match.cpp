// Only for a warning: a prediction for another machine may be what somebody wants to see fail.
#include "cli/replay/machine_match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/calibrate/like.hpp"
#include "model/base/spec_tree.hpp"

namespace ooc {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

const SpecNode* member(const SpecNode& node, std::string_view key) {
  for (const auto& [name, value] : node.members) {
    if (name == key) return &value;
  }
  return nullptr;
}

/// The device that a measured profile was measured on.
std::optional<std::string> measured_device(const HardwareProfile& profile) {
  if (profile.measurement_json.empty()) return std::nullopt;
  const SpecDocument document = read_spec_text(profile.measurement_json, profile.name);
  const SpecNode* machine = member(document.root, "machine");
  const SpecNode* device = machine == nullptr ? nullptr : member(*machine, "device_name");
  if (device == nullptr || device->type != SpecType::kText) return std::nullopt;
  return device->text;
}

}  // namespace

std::string machine_mismatch(const HardwareProfile& profile, const KeyValues& machine) {
  const std::string device = find_value(machine, "device_name").value_or("");
  if (device.empty()) return "";
  if (const auto measured = measured_device(profile)) {
    if (*measured == device) return "";
    return fmt::format("the profile {} was measured on {}, the plan ran on {}", profile.name,
                       *measured, device);
  }
  const std::string model = model_of(device);
  if (model.empty()) return "";
  const std::string known = lowered(profile.name + " " + profile.description);
  if (known.find(model) != std::string::npos) return "";
  return fmt::format("the profile {} does not name the device that the plan ran on, {}",
                     profile.name, device);
}

}  // namespace ooc
