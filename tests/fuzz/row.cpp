// Rows of the validation: read_row throws SpecError or returns a row, and so does judging it, with runs
// that are made up; what comes out can be written.
#include "model/base/errors.hpp"
#include "reports/validation/judge.hpp"
#include "reports/writers/validation_text.hpp"
#include "reports/writers/writer.hpp"
#include "tests/fuzz/target.hpp"

namespace ooc::fuzz {

Verdict consume(std::string_view text) {
  try {
    const ValidationRow row = read_row(read_spec_text(text, "fuzz.json"));
    const ValidationReport report = judge_rows({row}, [](const RowRun& run) {
      const auto size = static_cast<double>(run.text.size());
      return std::vector<RunFigures>{
          {.numbers = {{"iteration_time_ns", size}, {"max_batch", 7}}, .note = {}, .label = "x"}};
    });
    OOC_CHECK(!table_validation(report, {}).empty(), "a report can be shown");
    OOC_CHECK(!json_validation(report, {}).empty(), "a report can be written");
    OOC_CHECK(!csv_validation(report, {}).empty(), "a report has lines");
  } catch (const SpecError&) {
    return Verdict::kRejected;
  }
  return Verdict::kAccepted;
}

std::vector<std::filesystem::path> seed_folders() { return {"tests/fuzz/seeds/row"}; }

}  // namespace ooc::fuzz
