// `validate`: published and measured figures against what is predicted now.
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/locate.hpp"
#include "cli/outputs.hpp"
#include "cli/validate/row_runner.hpp"
#include "reports/validation/validation_report.hpp"

namespace ooc {
namespace {

constexpr Flag kFramework{"--framework", "FRAMEWORK",
                          "software of all measured networks; default: by their rows",
                          Completes::kFrameworks};
constexpr std::array kValidateFlags{kFramework,     flags::kFormat,   flags::kOutput,
                                    flags::kReport, flags::kMaxInput, flags::kQuiet,
                                    flags::kNoColor};

int run_validate(const Arguments& arguments) {
  const ResultOptions& result = arguments.result;
  const ReadLimits limits = arguments.options.limits;
  const std::vector<std::string> files = find_rows(arguments.positionals);
  Outputs outputs = open_outputs(arguments, {.others = files});
  // Every file is read before the first job is run.
  ValidationReport report;
  std::map<std::string, std::string> ids;
  for (const std::string& path : files) {
    report.files.push_back(
        {.file = read_figures(read_spec_file(path, limits), arguments.value("--framework"))});
    const std::string& id = report.files.back().file.id;
    const auto [known, is_new] = ids.emplace(id, path);
    if (is_new) continue;
    throw SpecError({path, "/id", in_quotes(id) + ", as in " + known->second, "an id of its own"});
  }
  RowRunner runner(limits);
  bool refused = false;
  for (FileReport& each : report.files) {
    for (const Figure& row : each.file.rows) {
      try {
        each.rows.push_back(judge(row, [&](const Asked& asked, const SpecView& place) {
          return runner.answer(asked, place);
        }));
      } catch (const SpecError& error) {
        refused = true;
        each.rows.push_back({.figure = row,
                             .predicted = std::nan(""),
                             .verdict = Verdict::kFails,
                             .why = std::string("refused: ") + error.what()});
      }
    }
  }
  finish_result(outputs, *result.writer, "validation",
                [&](const Writer& writer) { return writer.validation(report, result.write); });
  const bool fails =
      count_of(report, Verdict::kFails) > count_of(report, Verdict::kFails, FigureKind::kOrder);
  return fails || refused ? kExitFailedCheck : kExitOk;
}

}  // namespace

extern const Command validate_command{
    .name = "validate",
    .summary = "published and measured figures against what is predicted",
    .examples =
        "  ooc-paleo validate\n"
        "  ooc-paleo validate M4 T2\n"
        "  ooc-paleo validate networks --framework pytorch-2\n"
        "  ooc-paleo validate ./my_row.json --format json\n",
    .positionals =
        {.name = "ROWS",
         .help = "names of `ooc-paleo list rows`, files of your own, or `networks`: all data "
                 "sets of measured networks; default: all that are shipped",
         .completes = Completes::kRows,
         .many = true},
    .flags = kValidateFlags,
    .run = &run_validate,
};

}  // namespace ooc
