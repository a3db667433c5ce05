#include "cli/programs.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace ooc {

bool can_run(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

std::vector<std::string> places_on_path(std::string_view name) {
  std::vector<std::string> places;
  const char* path = std::getenv("PATH");
  std::string_view rest(path == nullptr ? "" : path);
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    if (!folder.empty()) places.push_back((std::filesystem::path(folder) / name).string());
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
  return places;
}

}  // namespace ooc
