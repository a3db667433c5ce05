// Locations of networks, hardware profiles and validation rows. NETWORK, PROFILE and ROWS are paths or names by their
// spelling: a path with a slash or ending in .json or .onnx; - standard input; else a name in the data folders. So the
// program works from any directory, and files there change nothing.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_tree.hpp"

namespace ooc {

enum class DataKind { kNetwork, kHardware, kFramework, kRow };

/// Returns the kind for a word after `ooc-paleo list`, such as "networks"; unset: unknown word.
[[nodiscard]] std::optional<DataKind> data_kind(std::string_view word);

/// File of a data folder. `name`: file name without ".json".
struct DataFile {
  std::string name;
  std::string path;
};

/// Returns the folders to search for data, in order: $OOC_PALEO_DATA, if set; then share/ooc-paleo beside an installed
/// program, else the sources of a program in its build folder. Throws SpecError if the variable names no folder.
[[nodiscard]] std::vector<std::string> data_folders();

/// Returns the path of the file in the first data folder that has one at any of the places below it.
[[nodiscard]] std::optional<std::string> in_data_folders(std::initializer_list<std::string> places);

/// Returns the folders with architecture files.
[[nodiscard]] std::vector<std::string> architecture_folders();
/// Returns the folders with framework files.
[[nodiscard]] std::vector<std::string> framework_folders();
/// Returns the folders with files on families of models, by which a config.json is read.
[[nodiscard]] std::vector<std::string> family_folders();

/// Returns the hint of messages if there is no data folder: which folders are missing, what to set.
[[nodiscard]] std::string no_data_folder();

/// Returns all files of a kind in the data folders, sorted by name. Schemas are left out, and so are
/// networks of validation/networks, which find_data() finds.
[[nodiscard]] std::vector<DataFile> data_files(DataKind kind);

/// Returns `name` if a file's path, else the data file so named, else (networks) config.json in `name`; unset: none.
[[nodiscard]] std::optional<std::string> find_data(DataKind kind, const std::string& name);

/// Returns the path as find_data(). Throws SpecError at `place` (flag, argument) with the known names and the nearest.
[[nodiscard]] std::string locate(DataKind kind, const std::string& name, std::string_view place);

/// Returns a remark if a name means a data file but also exists in the current folder; else empty.
[[nodiscard]] std::string remark_on_name(DataKind kind, const std::string& name);

/// Returns the path of the kind's JSON Schema. Throws SpecError if no data folder has it.
[[nodiscard]] std::string schema_path(DataKind kind);

/// Reads a table of the program's own, tables/`name`.json. Throws SpecError if no data folder has it.
[[nodiscard]] SpecDocument read_data_table(const std::string& name);

/// Returns the script that draws charts (reports/pages): pages/report.js of an installed program's
/// data, or the output of scripts/build-pages. Unset: not built.
[[nodiscard]] std::optional<std::string> find_page_script();

// Files of validation rows named on a command line.

/// Returns the paths of the named files in that order; without names, of all shipped ones. "networks"
/// names all shipped sets of measured networks. Throws SpecError for an unknown name, or without files.
[[nodiscard]] std::vector<std::string> find_rows(const std::vector<std::string>& names);

}  // namespace ooc
