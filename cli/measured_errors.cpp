#include "cli/measured_errors.hpp"

#include <algorithm>
#include <filesystem>

#include "cli/locate.hpp"
#include "model/base/spec_tree.hpp"
#include "reports/validation/figures.hpp"

namespace ooc {
namespace {

constexpr std::int64_t kMostFigures = 1'000'000;

std::shared_ptr<const std::vector<MeasuredErrors>> read_table() {
  for (const std::string& folder : data_folders()) {
    const std::string path = folder + "/validation/errors/by_kind.json";
    if (!std::filesystem::exists(path)) continue;
    const SpecDocument document = read_spec_file(path);
    const SpecView root(document);
    (void)root.get("format").as_choice({"ooc-paleo/errors"});
    std::vector<MeasuredErrors> table;
    for (const SpecView& item : root.get("kinds").items()) {
      table.push_back({.kind = item.get("group").as_text(),
                       .figures = item.get("figures").as_integer(1, kMostFigures),
                       .median = item.get("median").as_number(),
                       .largest = item.get("largest").as_number(),
                       .bias = item.get("bias").as_number(),
                       .lowest = item.get("lowest").as_number(),
                       .highest = item.get("highest").as_number()});
    }
    const auto ratios = std::find_if(table.begin(), table.end(),
                                     [](const auto& each) { return each.kind == kRatioKind; });
    const double ratio = ratios == table.end() ? 0 : ratios->median;
    for (MeasuredErrors& each : table) each.ratio = ratio;
    return std::make_shared<const std::vector<MeasuredErrors>>(std::move(table));
  }
  return nullptr;
}

}  // namespace

std::shared_ptr<const std::vector<MeasuredErrors>> measured_errors_table() {
  static const auto table = read_table();
  return table;
}

}  // namespace ooc
