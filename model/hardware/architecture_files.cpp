// A name is a file's without its end. Beside the profile first, so that one's own go before the shipped ones.
#include "model/hardware/architecture_files.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace ooc {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileEnd = ".json";
constexpr std::string_view kSchemaEnd = ".schema.json";

/// Best first.
std::vector<std::string> folders_for(const std::string& profile_file,
                                     const ProfileSources& sources) {
  std::vector<std::string> folders{
      (fs::path(profile_file).parent_path() / "architectures").string()};
  folders.insert(folders.end(), sources.architecture_folders.begin(),
                 sources.architecture_folders.end());
  return folders;
}

bool is_plain(const std::string& name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string::npos;
}

}  // namespace

std::vector<std::string> data_names_in(const std::vector<std::string>& folders) {
  std::vector<std::string> names;
  std::error_code error;
  for (const std::string& folder : folders) {
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      if (!name.ends_with(kFileEnd) || name.ends_with(kSchemaEnd)) continue;
      names.push_back(name.substr(0, name.size() - kFileEnd.size()));
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> known_architectures(const std::string& profile_file,
                                             const ProfileSources& sources) {
  return data_names_in(folders_for(profile_file, sources));
}

std::optional<std::string> find_architecture(const std::string& name,
                                             const std::string& profile_file,
                                             const ProfileSources& sources) {
  if (!is_plain(name)) return std::nullopt;
  for (const std::string& folder : folders_for(profile_file, sources)) {
    const fs::path file = fs::path(folder) / (name + std::string(kFileEnd));
    std::error_code ignored;
    if (fs::exists(file, ignored)) return file.string();
  }
  return std::nullopt;
}

}  // namespace ooc
