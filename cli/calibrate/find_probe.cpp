// What the user names must be there; what is only usual may be missing.
#include "cli/calibrate/find_probe.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "cli/options.hpp"

namespace ooc {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "ooc-paleo-gpu";

bool can_run(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

std::string named(const std::string& path, std::string_view by) {
  if (can_run(path)) return path;
  bad_value(by, in_quotes(path) + ", which is no program that can be run",
            "the path of ooc-paleo-gpu (docs/gpu-protocol.md says how to build it)");
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
  std::vector<fs::path> candidates;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) candidates.push_back(program.parent_path() / kName);
  if (const char* path = std::getenv("PATH")) {
    std::string_view rest(path);
    while (!rest.empty()) {
      const std::size_t colon = rest.find(':');
      const std::string_view folder = rest.substr(0, colon);
      if (!folder.empty()) candidates.push_back(fs::path(folder) / kName);
      rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
    }
  }
  for (const fs::path& candidate : candidates) {
    if (can_run(candidate)) {
      found.program = candidate.string();
      return found;
    }
    found.looked_for.push_back(candidate.string());
  }
  return found;
}

std::string no_device_text(const std::string& purpose, const std::string& reason,
                           const FoundProbe& found) {
  std::string text = "no GPU " + purpose + ": " + reason;
  for (const std::string& place : found.looked_for) text += "\n  looked for " + place;
  if (!found.looked_for.empty()) {
    text += "\n  docs/gpu-protocol.md says how to build it; --probe PATH or OOC_PALEO_GPU names it";
  }
  return text;
}

}  // namespace ooc
