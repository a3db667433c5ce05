// The data folders are found from /proc/self/exe, not from argv[0], which a caller may set at will.
#include "cli/locate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <tuple>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/text_file.hpp"
#include "model/hardware/architecture_json.hpp"
#include "model/network/network_json.hpp"
#include "reports/validation/figures.hpp"

namespace ooc {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSchemaEnd = ".schema.json";
constexpr std::string_view kFileEnd = ".json";

/// What is called how, by kind.
struct KindNames {
  std::string_view word;
  std::string_view folder;
  std::string_view noun;
  std::string_view schema;
  std::string_view more = {};  ///< a folder whose files are found, too, but not listed
};
constexpr KindNames kNames[]{
    {"networks", "networks", "network", "network.schema.json", "validation/networks"},
    {"hardware", "hwprofiles", "hardware profile", "hwprofile.schema.json"},
    {"frameworks", "hwprofiles/software", "framework", "framework.schema.json"},
    {"rows", "validation", "row", "figures.schema.json"}};
const KindNames& names_of(DataKind kind) { return kNames[static_cast<std::size_t>(kind)]; }
std::string_view noun(DataKind kind) { return names_of(kind).noun; }
std::string_view schema_name(DataKind kind) { return names_of(kind).schema; }

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// Whatever the shell may put there: pipes too.
bool is_readable_place(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_directory(status);
}

/// Whether this program lies where it was built: only there the sources it came from are its data. A copy
/// elsewhere would read what has long been changed.
bool lies_in_build(const fs::path& program) {
  std::error_code ignored;
  for (fs::path folder = program.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (fs::equivalent(folder, OOC_PALEO_BUILD_DIR, ignored)) return true;
  }
  return false;
}

fs::path installed_folder(const fs::path& program) {
  return (program.parent_path() / OOC_PALEO_DATA_FROM_BIN).lexically_normal();
}

fs::path this_program() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored);
}

std::vector<std::string> folders_below(std::string_view place) {
  std::vector<std::string> folders = data_folders();
  for (std::string& folder : folders) folder += place;
  return folders;
}

void add_files_of(const fs::path& folder, std::vector<DataFile>& files) {
  for (const std::string& name : data_names_in({folder.string()})) {
    if (find_named(files, name) == nullptr)
      files.push_back({name, (folder / (name + std::string(kFileEnd))).string()});
  }
}

bool is_path(const std::string& name) {
  return name == kStandardInput || name.find('/') != std::string::npos ||
         name.ends_with(kFileEnd) || is_onnx(name);
}

std::string without_end(const std::string& name) {
  return name.ends_with(kFileEnd) ? name.substr(0, name.size() - kFileEnd.size()) : name;
}

bool is_yaml(const std::string& name) {
  return name.ends_with(".yml") || name.ends_with(".yaml");
}

std::string_view what_is_wrong(const std::string& name) {
  if (is_yaml(name) && is_readable_place(name)) return "which is YAML";
  if (is_folder(name)) return "which is a directory";
  return is_path(name) ? "a file that is not there" : "an unknown name";
}

/// The file of the current folder that a reader may take the name for.
std::optional<std::string> file_here(const std::string& name) {
  const std::string with_end = name + std::string(kFileEnd);
  if (is_readable_place(with_end)) return with_end;
  if (is_readable_place(name)) return "./" + name;
  return std::nullopt;
}

std::optional<std::string> shipped(DataKind kind, const std::string& name) {
  const std::string file = name + std::string(kFileEnd);
  if (name.empty() || file.ends_with(kSchemaEnd)) return std::nullopt;
  const KindNames& names = names_of(kind);
  auto path = in_data_folders({fmt::format("{}/{}", names.folder, file)});
  return path || names.more.empty() ? path
                                    : in_data_folders({fmt::format("{}/{}", names.more, file)});
}

/// Of a checkpoint, whose folder stands for it.
std::optional<std::string> config_in(const std::string& folder) {
  const fs::path config = fs::path(folder) / "config.json";
  if (is_folder(folder) && is_readable_place(config)) return config.string();
  return std::nullopt;
}

std::string other_spelling(DataKind kind, const std::string& name,
                           const std::vector<std::string>& known) {
  if (is_path(name)) {
    const std::string shipped_name = without_end(name);
    if (!is_path(shipped_name) && shipped(kind, shipped_name)) {
      return fmt::format("{} without {} is the shipped one", shipped_name, kFileEnd);
    }
  } else if (const auto here = file_here(name)) {
    return fmt::format("the file in this folder is {}", *here);
  }
  return did_you_mean(fs::path(without_end(name)).filename().string(), known);
}

[[noreturn]] void unknown_name(DataKind kind, const std::string& name, std::string_view place) {
  const std::vector<std::string> known = names_of(data_files(kind));
  std::string hint = other_spelling(kind, name, known);
  if (known.empty() && hint.empty()) hint = no_data_folder();
  if (kind == DataKind::kNetwork && is_yaml(name)) hint = "a trainer's file: --job " + name;
  const std::string listed = kind == DataKind::kRow
                                 ? "a name of `ooc-paleo list rows`"
                                 : fmt::format("one of: {}", fmt::join(known, ", "));
  bad_value(place, fmt::format("{}, {}", in_quotes(name), what_is_wrong(name)),
            fmt::format("a {} file", noun(kind)) + (known.empty() ? "" : " or " + listed),
            std::move(hint));
}

}  // namespace

std::optional<DataKind> data_kind(std::string_view word) {
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i].word == word) return static_cast<DataKind>(i);
  }
  return std::nullopt;
}

std::vector<std::string> data_folders() {
  std::vector<std::string> folders;
  if (const char* own = std::getenv("OOC_PALEO_DATA"); own != nullptr && *own != '\0') {
    if (!is_folder(own)) {
      bad_value("OOC_PALEO_DATA", fmt::format("{}, which is no folder", in_quotes(own)),
                "a folder with networks/ and hwprofiles/");
    }
    folders.emplace_back(own);
  }
  const fs::path program = this_program();
  if (const fs::path installed = installed_folder(program); is_folder(installed)) {
    folders.push_back(installed.string());
  } else if (lies_in_build(program) && is_folder(OOC_PALEO_SOURCE_DIR)) {
    folders.emplace_back(OOC_PALEO_SOURCE_DIR);
  }
  return folders;
}

std::optional<std::string> in_data_folders(std::initializer_list<std::string> places) {
  for (const std::string& folder : data_folders()) {
    for (const std::string& place : places) {
      const fs::path candidate = fs::path(folder) / place;
      if (is_readable_place(candidate)) return candidate.string();
    }
  }
  return std::nullopt;
}

std::vector<std::string> architecture_folders() {
  return folders_below("/hwprofiles/architectures");
}

std::vector<std::string> framework_folders() { return folders_below("/hwprofiles/software"); }

std::vector<std::string> family_folders() { return folders_below("/networks/families"); }

std::string no_data_folder() {
  return fmt::format(
      "no data folder was found: neither {} nor the sources of this build are there; set "
      "OOC_PALEO_DATA to the folder that holds networks/ and hwprofiles/",
      installed_folder(this_program()).string());
}

std::vector<DataFile> data_files(DataKind kind) {
  std::vector<DataFile> files;
  for (const std::string& folder : data_folders()) {
    add_files_of(fs::path(folder) / names_of(kind).folder, files);
  }
  std::ranges::sort(files, {}, &DataFile::name);
  return files;
}

std::optional<std::string> find_data(DataKind kind, const std::string& name) {
  if (!is_path(name)) {
    if (auto path = shipped(kind, name)) return path;
  } else if (name == kStandardInput || is_readable_place(name)) {
    if (kind == DataKind::kNetwork && is_yaml(name)) return std::nullopt;
    return name;
  }
  return kind == DataKind::kNetwork ? config_in(name) : std::nullopt;
}

std::string locate(DataKind kind, const std::string& name, std::string_view place) {
  if (auto path = find_data(kind, name)) return *std::move(path);
  unknown_name(kind, name, place);
}

std::string remark_on_name(DataKind kind, const std::string& name) {
  if (is_path(name)) return "";
  const auto here = file_here(name);
  const auto data = shipped(kind, name);
  if (!here || !data) return "";
  return fmt::format("{} is the {} {}; the file in this folder is {}", name, noun(kind), *data,
                     *here);
}

std::string schema_path(DataKind kind) {
  const std::string schema(schema_name(kind));
  if (auto path = in_data_folders({fmt::format("{}/{}", names_of(kind).folder, schema)}))
    return *path;
  bad_value("schema", "no " + schema, "it in a data folder", no_data_folder());
}

SpecDocument read_data_table(const std::string& name) {
  const std::string file = name + std::string(kFileEnd);
  if (const auto path = in_data_folders({"tables/" + file})) return read_spec_file(*path);
  const std::vector<std::string> folders = data_folders();
  bad_value("tables", "no " + file, "it in a data folder",
            folders.empty() ? no_data_folder()
                            : fmt::format("{} is of another version", folders.front()));
}

std::optional<std::string> find_page_script() {
  return in_data_folders({"pages/report.js", "build/pages/report.js"});
}

// M2 comes before M11: names are compared by their letters, then by their number.

namespace {

constexpr std::string_view kNetworks = "networks";

std::tuple<std::string, std::size_t, std::string> order_of(const std::string& name) {
  std::size_t digits = 0;
  while (digits < name.size() && (name[digits] < '0' || name[digits] > '9')) ++digits;
  std::size_t end = digits;
  while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
  // As many digits, then the digits themselves: no number to overflow.
  return {name.substr(0, digits), end - digits, name.substr(digits)};
}

std::vector<DataFile> in_order() {
  std::vector<DataFile> all = data_files(DataKind::kRow);
  std::ranges::sort(all, {}, [](const DataFile& each) { return order_of(each.name); });
  return all;
}

}  // namespace

std::vector<std::string> find_rows(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    if (name == kNetworks) {
      for (const DataFile& file : in_order()) {
        if (is_measured_set(read_spec_file(file.path))) files.push_back(file.path);
      }
    } else {
      files.push_back(locate(DataKind::kRow, name, "ROWS"));
    }
  }
  if (!names.empty()) return files;
  for (const DataFile& file : in_order()) files.push_back(file.path);
  if (files.empty()) {
    bad_value("ROWS", "none in the data folders", "files in validation/",
              "set OOC_PALEO_DATA to a folder that has them");
  }
  return files;
}

}  // namespace ooc
