// Does every study of a paper's figure still run and draw something, and is it in docs/figures.md?
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/text_file.hpp"
#include "cli/validate/row_runner.hpp"
#include "reports/validation/judge.hpp"

using namespace ooc;

namespace {

namespace fs = std::filesystem;

const std::string kSources = OOC_SOURCE_DIR;

std::vector<std::string> rows_of_studies() {
  std::vector<std::string> files;
  for (const fs::directory_entry& each : fs::directory_iterator(kSources + "/studies")) {
    const std::string text = read_text_file(each.path().string(), "");
    if (text.find("ooc-paleo/validation-row") != std::string::npos) {
      files.push_back(each.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("every study of a figure runs, and each of its checks has a figure" *
          doctest::test_suite("whole networks")) {
  const std::string page = read_text_file(kSources + "/docs/figures.md", "");
  RowRunner runner({});
  const std::vector<std::string> files = rows_of_studies();
  CHECK(files.size() >= 20);
  for (const std::string& file : files) {
    CAPTURE(file);
    const ValidationRow row = read_row_file(file);
    CHECK(row.id == fs::path(file).stem().string());
    CHECK(page.find("ooc-paleo validate studies/" + row.id + ".json --plot") != std::string::npos);
    const RowReport report = judge_row(row, [&](const RowRun& run) { return runner.figures(run); });
    for (const CheckReport& check : report.checks) {
      CAPTURE(check.name);
      CHECK(check.use == Use::kOrder);  // a study is a picture, and fails nothing
      CHECK(std::any_of(check.points.begin(), check.points.end(), [](const PointReport& point) {
        return std::any_of(point.predicted.begin(), point.predicted.end(),
                           [](double value) { return !std::isnan(value); });
      }));
    }
  }
}
