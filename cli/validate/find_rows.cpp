// M2 comes before M11: names are compared by their letters, then by their number.
#include "cli/validate/find_rows.hpp"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "cli/locate.hpp"
#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"
#include "model/base/spec_tree.hpp"
#include "reports/validation/figures.hpp"
#include "reports/validation/measured_networks.hpp"

namespace ooc {
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
  std::sort(all.begin(), all.end(), [](const DataFile& a, const DataFile& b) {
    return order_of(a.name) < order_of(b.name);
  });
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
