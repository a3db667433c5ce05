// `list`: the names that other commands take, one a line, the name first.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/locate.hpp"
#include "cli/outputs.hpp"
#include "cli/remarks.hpp"
#include "model/base/errors.hpp"
#include "model/hardware/profile_json.hpp"
#include "model/layers/layer_kind.hpp"
#include "model/network/network_json.hpp"
#include "model/software/framework_json.hpp"
#include "reports/validation/figures.hpp"
#include "reports/writers/text_table.hpp"
#include "simulator/schedules/option_table.hpp"

namespace ooc {
namespace {

using Line = std::pair<std::string, std::string>;

constexpr std::string_view kKinds = "networks|hardware|frameworks|schedules|layers|rows";
constexpr std::array kListFlags{flags::kOutput, flags::kQuiet};

/// "138.36 M", "1.25 k", "74".
std::string parameters_text(std::int64_t count) {
  const auto in = [&](double unit) { return static_cast<double>(count) / unit; };
  if (count >= 100'000) return fmt::format("{:.2f} M", in(1e6));
  return count >= 1000 ? fmt::format("{:.2f} k", in(1e3)) : fmt::format("{}", count);
}

std::string network_summary(const std::string& path) {
  const Network network = read_network_file(path);
  return fmt::format("{} layers, {} parameters, {}; {}", network.layers.size(),
                     parameters_text(total_parameters(network)), dtype_info(network.dtype).name,
                     network.source);
}

std::string hardware_summary(const std::string& path) {
  return read_profile_file(path, {.architecture_folders = architecture_folders()}).description;
}

std::string framework_summary(const std::string& path) {
  return read_framework(read_spec_file(path), {.folders = framework_folders()}).description;
}

std::string row_summary(const std::string& path) {
  const FigureFile file = read_figures(read_spec_file(path));
  return file.networks
             ? fmt::format("{} networks measured: {}", file.rows.size(), file.title)
             : fmt::format("{} figures: {}, {}", file.rows.size(), file.title, file.source);
}

/// A file of one's own that cannot be read is no reason to hide the others.
std::vector<Line> file_lines(const std::vector<DataFile>& files,
                             std::string (*summary)(const std::string&)) {
  std::vector<Line> lines;
  for (const DataFile& file : files) {
    try {
      lines.emplace_back(file.name, summary(file.path));
    } catch (const SpecError& error) {
      lines.emplace_back(file.name, std::string("unreadable: ") + error.what());
    }
  }
  return lines;
}

/// In the order of `validate`.
std::vector<Line> row_lines() {
  std::vector<DataFile> files;
  for (const std::string& path : find_rows({})) {
    files.push_back({std::filesystem::path(path).stem().string(), path});
  }
  return file_lines(files, &row_summary);
}

std::vector<Line> table_lines_of(const std::string& kind) {
  if (kind == "networks") return file_lines(data_files(DataKind::kNetwork), &network_summary);
  if (kind == "rows") return row_lines();
  if (kind == "hardware") return file_lines(data_files(DataKind::kHardware), &hardware_summary);
  if (kind == "frameworks") return file_lines(data_files(DataKind::kFramework), &framework_summary);
  std::vector<Line> lines;
  if (kind == "layers") {
    for (const LayerKind* each : layer_kinds()) lines.emplace_back(each->name, each->summary);
    return lines;
  }
  for (const Schedule* schedule : schedules()) {
    lines.emplace_back(schedule->name, fmt::format("{} [{}]", schedule->summary, schedule->source));
  }
  return lines;
}

/// "/usr/share/ooc-paleo/networks", of several folders all that have some, best first.
std::string origin(DataKind kind) {
  std::vector<std::string> places;
  for (const DataFile& file : data_files(kind)) {
    std::string place = std::filesystem::path(file.path).parent_path().string();
    if (!contains(places, place)) places.push_back(std::move(place));
  }
  return printable(fmt::format("{}", fmt::join(places, ", ")));
}

std::string lines_text(const std::vector<Line>& lines, std::string_view indent) {
  std::size_t width = 0;
  for (const Line& line : lines) width = std::max(width, line.first.size());
  std::string text;
  for (const Line& line : lines) {
    text +=
        fmt::format("{}{:<{}}  {}\n", indent, printable(line.first), width, printable(line.second));
  }
  return text;
}

/// All kinds, each with where it comes from.
std::string everything() {
  std::string text;
  for (const std::string& kind : words_of(kKinds)) {
    const std::optional<DataKind> data = data_kind(kind);
    const std::string place = data ? origin(*data) : "";
    text += (text.empty() ? "" : "\n") + kind + (place.empty() ? "" : " in " + place) + "\n";
    const bool none = data && place.empty();
    text += none ? "  none: " + no_data_folder() + "\n" : lines_text(table_lines_of(kind), "  ");
  }
  return text;
}

int run_list(const Arguments& arguments) {
  const std::string kind = arguments.positionals.empty() ? "" : arguments.positionals.front();
  const std::vector<std::string> known = words_of(kKinds);
  if (!kind.empty() && !contains(known, kind)) unknown_word("list", kind, known);
  OutputFile("--output", arguments.output())
      .finish(folded(kind.empty() ? everything() : lines_text(table_lines_of(kind), ""),
                     width_for(arguments.output())));
  // Behind the names, which are alone on standard output: scripts read them.
  const std::optional<DataKind> data = data_kind(kind);
  if (!data) return kExitOk;
  const Remarks remarks = arguments.remarks();
  const std::string place = origin(*data);
  remark(remarks, place.empty() ? no_data_folder() : kind + ": in " + place);
  return kExitOk;
}

}  // namespace

extern const Command list_command{
    .name = "list",
    .summary =
        "the names of networks, hardware profiles, frameworks, schedules, kinds of layers or rows "
        "of `validate`",
    .examples =
        "  ooc-paleo list\n"
        "  ooc-paleo list networks\n"
        "  ooc-paleo list hardware\n"
        "  ooc-paleo list frameworks\n"
        "  ooc-paleo list schedules\n"
        "  ooc-paleo list layers\n"
        "  ooc-paleo list rows\n",
    .positionals =
        {.name = "WHAT",
         .help = "networks, hardware, frameworks, schedules, layers or rows; default: all of them",
         .completes = Completes::kChoices,
         .choices = kKinds},
    .flags = kListFlags,
    .run = &run_list,
};

}  // namespace ooc
