// Rows of the validation: read_figures throws SpecError or returns rows, and so does judging them, with answers that are
// made up; what comes out can be written.
#include "reports/writers/text_table.hpp"
#include "reports/writers/writer.hpp"
#include "tests/fuzz/target.hpp"

namespace ooc::fuzz {

void consume(std::string_view text) {
  ValidationReport report;
  report.files.push_back({.file = read_figures(read_spec_text(text, "fuzz.json"))});
  FileReport& file = report.files.back();
  for (const Figure& row : file.file.rows) {
    file.rows.push_back(judge(row, [](const Asked& asked, const SpecView&) {
      return Answer{.number = static_cast<double>(words_of(asked).size())};
    }));
  }
  OOC_CHECK(!table_validation(report, {}).empty(), "a report can be shown");
  OOC_CHECK(!json_validation(report, {}).empty(), "a report can be written");
  OOC_CHECK(!csv_validation(report, {}).empty(), "a report has lines");
}

std::vector<std::filesystem::path> seed_folders() { return {"tests/fuzz/seeds/row"}; }

}  // namespace ooc::fuzz
