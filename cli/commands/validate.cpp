// `validate`: published and measured figures against what is predicted now.
#include <array>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/validate/find_rows.hpp"
#include "cli/validate/row_runner.hpp"
#include "reports/validation/figures.hpp"
#include "reports/writers/validation_text.hpp"

namespace ooc {
extern const Command validate_command;

namespace {

constexpr std::array kValidateFlags{flags::kFormat,   flags::kOutput, flags::kReport, flags::kPlot,
                                    flags::kMaxInput, flags::kQuiet,  flags::kNoColor};

int run_validate(const Arguments& arguments) {
  const ResultOptions result = result_options(arguments);
  const ReadLimits limits = read_limits(arguments);
  const std::vector<std::string> files = find_rows(arguments.positionals());
  Outputs outputs = open_outputs(arguments, {.networks = {}, .profiles = {}, .others = files});
  // Every file is read before the first job is run.
  std::vector<FigureFile> figures;
  std::vector<MeasuredSet> sets;
  for (const std::string& file : files) {
    const SpecDocument document = read_spec_file(file, limits);
    if (is_measured_set(document)) {
      sets.push_back(read_measured_set(document));
    } else {
      figures.push_back(read_figures(document));
    }
  }
  check_ids(figures, sets);

  RowRunner runner(limits);
  ValidationReport report;
  for (const MeasuredSet& set : sets) {
    report.measured.push_back(
        judge_measured_set(set, [&](const MeasuredSet& of, const MeasuredNetwork& row) {
          return runner.seconds(of, row);
        }));
  }
  for (const FigureFile& file : figures) {
    FigureFileReport& judged = report.files.emplace_back();
    judged.file = file;
    for (const Figure& row : file.rows) {
      judged.rows.push_back(judge(row, [&](const Asked& asked, const Place& place) {
        return runner.answer(asked, place);
      }));
    }
  }
  finish_result(outputs, *result.writer, "validation",
                [&](const Writer& writer) { return writer.validation(report, result.write); });
  return fails(report) ? kExitFailedCheck : kExitOk;
}

}  // namespace

const Command validate_command{
    .name = "validate",
    .summary = "published and measured figures against what is predicted",
    .examples =
        "  ooc-paleo validate\n"
        "  ooc-paleo validate M4 T2\n"
        "  ooc-paleo validate networks\n"
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
