// What the user names must be there; what is only usual may be missing.
#include "cli/calibrate/find_probe.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "cli/child_process.hpp"
#include "cli/options.hpp"

namespace ooc {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "ooc-paleo-gpu";

std::string named(const std::string& path, std::string_view by) {
  if (can_run(path)) return path;
  bad_value(by, in_quotes(path) + ", which is no program that can be run",
            "the path of ooc-paleo-gpu (docs/calibration.md says how to build it)");
}

}  // namespace

FoundProbe find_probe(const std::optional<std::string>& flag) {
  FoundProbe found;
  if (flag) {
    found.program = named(*flag, "--probe");
    return found;
  }
  if (const char* own = std::getenv("OOC_PALEO_GPU"); own != nullptr && *own != '\0') {
    found.program = named(own, "OOC_PALEO_GPU");
    return found;
  }
  std::vector<std::string> candidates;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) candidates.push_back((program.parent_path() / kName).string());
  const std::vector<std::string> on_path = places_on_path(kName);
  candidates.insert(candidates.end(), on_path.begin(), on_path.end());
  for (const std::string& candidate : candidates) {
    if (can_run(candidate)) {
      found.program = candidate;
      return found;
    }
    found.looked_for.push_back(candidate);
  }
  return found;
}

std::string no_device_text(const std::string& purpose, const std::string& reason,
                           const FoundProbe& found) {
  std::string text = "no GPU " + purpose + ": " + reason;
  for (const std::string& place : found.looked_for) text += "\n  looked for " + place;
  if (!found.looked_for.empty()) {
    text += "\n  docs/calibration.md says how to build it; --probe PATH or OOC_PALEO_GPU names it";
  }
  return text;
}

}  // namespace ooc
