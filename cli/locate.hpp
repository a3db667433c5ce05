// Locations of networks, hardware profiles and validation rows. NETWORK, PROFILE and ROWS are paths
// or names by their spelling: with a slash or ending in .json a path, - standard input, otherwise a
// name in the data folders. So the program works from any directory, and files there change
// nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ooc {

enum class DataKind { kNetwork, kHardware, kFramework, kRow };

/// Returns the kind for a word after `list`, such as "networks"; unset: unknown word.
[[nodiscard]] std::optional<DataKind> data_kind(std::string_view word);

/// Shipped file and its name.
struct DataFile {
  std::string name;
  std::string path;
};

/// Returns $OOC_PALEO_DATA, if set; else share/ooc-paleo beside an installed program; else the
/// sources of a program in its build folder. Throws SpecError if the variable names no folder.
[[nodiscard]] std::vector<std::string> data_folders();

/// Returns the folders with architecture files.
[[nodiscard]] std::vector<std::string> architecture_folders();
/// Returns the folders with framework files.
[[nodiscard]] std::vector<std::string> framework_folders();
/// Returns the folders with family files, for configs of checkpoints.
[[nodiscard]] std::vector<std::string> family_folders();

/// Returns a hint for messages of programs without data folder.
[[nodiscard]] std::string no_data_folder();

/// Returns all files of a kind in the data folders, by name. Schemas and networks of
/// validation/networks are left out; find_data finds the latter.
[[nodiscard]] std::vector<DataFile> data_files(DataKind kind);

/// Returns `name` itself if it is a path of a file, else the path of the data file with this name; unset: neither.
[[nodiscard]] std::optional<std::string> find_data(DataKind kind, const std::string& name);

/// Returns the path as find_data. Throws SpecError at `place` (flag or argument) with the known names and the nearest.
[[nodiscard]] std::string locate(DataKind kind, const std::string& name, std::string_view place);

/// Returns a remark if a name means a data file but also exists in the current folder; else empty.
[[nodiscard]] std::string remark_on_name(DataKind kind, const std::string& name);

/// Returns the path of the kind's JSON Schema.
[[nodiscard]] std::string schema_path(DataKind kind);

/// Returns the script that draws charts (reports/pages): pages/report.js of an installed program's
/// data, or the output of scripts/build-pages. Unset: not built.
[[nodiscard]] std::optional<std::string> find_page_script();

// Files of validation rows named on a command line.

/// Returns the named files in that order; without names, all shipped ones. "networks" names all
/// shipped sets of measured networks. Throws SpecError for an unknown name, with the nearest.
[[nodiscard]] std::vector<std::string> find_rows(const std::vector<std::string>& names);

}  // namespace ooc
