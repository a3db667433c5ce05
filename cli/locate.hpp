// Where networks, hardware profiles and rows of the validation lie. NETWORK, PROFILE and ROWS are paths
// or names; a name is looked up in the data folders, so that the program works from any directory: $OOC_PALEO_DATA
// first, then share/ooc-paleo beside an installed program, else the sources it was built from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ooc {

enum class DataKind { kNetwork, kHardware, kRow };

/// A shipped file and the name it is called by.
struct DataFile {
  std::string name;
  std::string path;
};

/// Every file of that kind in the data folders, by name; schemas are left out.
[[nodiscard]] std::vector<DataFile> data_files(DataKind kind);

/// The path that `name` means: itself when it is a file, else the data file of that name.
[[nodiscard]] std::optional<std::string> find_data(DataKind kind, const std::string& name);

/// The same; throws SpecError listing the known names and the nearest; `place` is the flag or argument it came from.
[[nodiscard]] std::string locate(DataKind kind, const std::string& name, std::string_view place);

/// The path of the JSON Schema of that kind.
[[nodiscard]] std::string schema_path(DataKind kind);

}  // namespace ooc
