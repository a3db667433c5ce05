// The data folders are found from /proc/self/exe, not from argv[0], which a caller may set at will.
#include "cli/locate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "cli/suggest.hpp"
#include "model/base/errors.hpp"
#include "model/base/spec_tree.hpp"

namespace ooc {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSchemaEnd = ".schema.json";
constexpr std::string_view kFileEnd = ".json";

/// What is called how, by kind.
struct KindNames {
  std::string_view folder;
  std::string_view noun;
  std::string_view schema;
};
const KindNames& names_of(DataKind kind) {
  static constexpr KindNames kNetwork{"networks", "network", "network.schema.json"};
  static constexpr KindNames kHardware{"hwprofiles", "hardware profile", "hwprofile.schema.json"};
  static constexpr KindNames kRow{"validation", "row", "row.schema.json"};
  switch (kind) {
    case DataKind::kNetwork:
      return kNetwork;
    case DataKind::kHardware:
      return kHardware;
    case DataKind::kRow:
      return kRow;
  }
  return kNetwork;
}
std::string_view noun(DataKind kind) { return names_of(kind).noun; }
std::string_view schema_name(DataKind kind) { return names_of(kind).schema; }

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// Best first. A folder of the user's own adds to what is shipped and wins where names meet.
std::vector<fs::path> data_folders() {
  std::vector<fs::path> folders;
  if (const char* own = std::getenv("OOC_PALEO_DATA"); own != nullptr && *own != '\0') {
    if (!is_folder(own)) {
      throw SpecError({.file = "",
                       .place = "OOC_PALEO_DATA",
                       .found = fmt::format("\"{}\", which is no folder", own),
                       .expected = "a folder with networks/ and hwprofiles/",
                       .hint = {}});
    }
    folders.emplace_back(own);
  }
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = (program.parent_path() / OOC_PALEO_DATA_FROM_BIN).lexically_normal();
  if (!error && is_folder(installed)) {
    folders.push_back(installed);
  } else {
    folders.emplace_back(OOC_PALEO_SOURCE_DIR);
  }
  return folders;
}

/// In the source tree the rows lie with the code that judges them; elsewhere beside the other data.
fs::path folder_in(const fs::path& root, DataKind kind) {
  const fs::path folder = root / names_of(kind).folder;
  if (kind == DataKind::kRow && !is_folder(folder)) return root / "reports/validation/rows";
  return folder;
}

void add_files_of(const fs::path& folder, std::vector<DataFile>& files) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string file = entry->path().filename().string();
    if (!file.ends_with(kFileEnd) || file.ends_with(kSchemaEnd)) continue;
    const std::string name = file.substr(0, file.size() - kFileEnd.size());
    const bool known = std::any_of(files.begin(), files.end(),
                                   [&](const DataFile& each) { return each.name == name; });
    if (!known) files.push_back({name, entry->path().string()});
  }
}

std::string without_end(const std::string& name) {
  return name.ends_with(kFileEnd) ? name.substr(0, name.size() - kFileEnd.size()) : name;
}

std::string_view what_is_wrong(const std::string& name) {
  if (is_folder(name)) return "which is a directory";
  const bool looks_like_path = name.find('/') != std::string::npos || name.ends_with(kFileEnd);
  return looks_like_path ? "a file that is not there" : "an unknown name";
}

[[noreturn]] void unknown_name(DataKind kind, const std::string& name, std::string_view place) {
  std::vector<std::string> known;
  for (const DataFile& file : data_files(kind)) known.push_back(file.name);
  throw SpecError(
      {.file = "",
       .place = std::string(place),
       .found = fmt::format("{}, {}", in_quotes(name), what_is_wrong(name)),
       .expected = fmt::format("a {} file or one of: {}", noun(kind), fmt::join(known, ", ")),
       .hint = did_you_mean(without_end(name), known)});
}

}  // namespace

std::vector<DataFile> data_files(DataKind kind) {
  std::vector<DataFile> files;
  for (const fs::path& folder : data_folders()) add_files_of(folder_in(folder, kind), files);
  std::sort(files.begin(), files.end(),
            [](const DataFile& a, const DataFile& b) { return a.name < b.name; });
  return files;
}

std::optional<std::string> find_data(DataKind kind, const std::string& name) {
  std::error_code error;
  const fs::file_status status = fs::status(name, error);
  if (fs::exists(status) && !fs::is_directory(status)) return name;
  if (!name.empty() && name.find('/') == std::string::npos) {
    const std::string file = without_end(name) + std::string(kFileEnd);
    for (const fs::path& folder : data_folders()) {
      const fs::path candidate = folder_in(folder, kind) / file;
      if (!file.ends_with(kSchemaEnd) && fs::exists(candidate, error)) return candidate.string();
    }
  }
  return std::nullopt;
}

std::string locate(DataKind kind, const std::string& name, std::string_view place) {
  if (auto path = find_data(kind, name)) return *std::move(path);
  unknown_name(kind, name, place);
}

std::string schema_path(DataKind kind) {
  for (const fs::path& folder : data_folders()) {
    const fs::path candidate = folder_in(folder, kind) / schema_name(kind);
    std::error_code error;
    if (fs::exists(candidate, error)) return candidate.string();
  }
  throw SpecError(
      {.file = "",
       .place = "schema",
       .found = "no " + std::string(schema_name(kind)),
       .expected = "it in a data folder",
       .hint = "set OOC_PALEO_DATA to the folder that holds networks/ and hwprofiles/"});
}

}  // namespace ooc
