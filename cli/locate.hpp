// Where networks, hardware profiles and rows of the validation lie. NETWORK, PROFILE and ROWS are paths
// or names, and the spelling decides which: what has a slash or ends in .json is a path, - is standard
// input, everything else a name that is looked up in the data folders, so that the program works from any
// directory and a file that happens to lie there changes nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ooc {

enum class DataKind { kNetwork, kHardware, kFramework, kStudy, kRow };

/// A shipped file and the name it is called by.
struct DataFile {
  std::string name;
  std::string path;
};

/// $OOC_PALEO_DATA first, then share/ooc-paleo beside an installed program, or, for a program in its build
/// folder, the sources it was built from. Throws SpecError where the variable names no folder.
[[nodiscard]] std::vector<std::string> data_folders();

/// Where hardware profiles find the architectures that they name.
[[nodiscard]] std::vector<std::string> architecture_folders();
/// Where frameworks find those that they are like.
[[nodiscard]] std::vector<std::string> framework_folders();
/// Where configs of checkpoints find the family of their model_type.
[[nodiscard]] std::vector<std::string> family_folders();

/// What to do where there is none, as a hint.
[[nodiscard]] std::string no_data_folder();

/// Every file of that kind in the data folders, by name; without schemas and networks of validation/networks, which
/// `find_data` finds all the same.
[[nodiscard]] std::vector<DataFile> data_files(DataKind kind);

/// The path that `name` means: itself when it is a path of a file, else the data file of that name.
[[nodiscard]] std::optional<std::string> find_data(DataKind kind, const std::string& name);

/// The same; throws SpecError listing the known names and the nearest; `place` is the flag or argument it came from.
[[nodiscard]] std::string locate(DataKind kind, const std::string& name, std::string_view place);

/// Where a file in the current folder may have been meant by a name that means a data file: which is which;
/// else "".
[[nodiscard]] std::string remark_on_name(DataKind kind, const std::string& name);

/// The path of the JSON Schema of that kind.
[[nodiscard]] std::string schema_path(DataKind kind);

/// The program that draws charts (reports/pages): of an installed program pages/report.js of its data, of one in its
/// build folder what scripts/build-pages made of the sources; none where that was not run.
[[nodiscard]] std::optional<std::string> find_page_script();

}  // namespace ooc
