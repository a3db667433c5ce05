// `report`: charts of results that other commands wrote as JSON; several of one kind over each other.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "model/base/errors.hpp"
#include "model/base/spec_tree.hpp"
#include "model/base/text_file.hpp"

namespace ooc {
namespace {

constexpr Flag kPage{.name = "--output",
                     .value = "FILE",
                     .help = "where the HTML page goes; - is standard output",
                     .completes = Completes::kFiles,
                     .brief = "-o"};

constexpr std::array kReportFlags{kPage, flags::kMaxInput};

/// A format that has charts (reports/pages/src/answers.js).
struct Charted {
  std::string_view name;
  std::string_view what;  ///< the member that they are of
  bool runs = false;      ///< which is a list of runs; of a result the document is one
};
constexpr std::array kCharted{
    Charted{"result", "inputs"},           Charted{"comparison", "results", true},
    Charted{"machines", "machines"},       Charted{"sweep", "results", true},
    Charted{"max-batch", "results", true}, Charted{"max-layers", "results", true},
    Charted{"max-seq", "results", true},   Charted{"need", "needs", true},
    Charted{"validation", "rows"},         Charted{"replay", "iteration_time_ns"}};

/// What charts draw of a run can be drawn.
void check_run(const SpecView& run) {
  const auto fits = run.find("feasible");
  const bool ran = fits && fits->type() != SpecType::kNull && fits->as_boolean();
  const auto time = ran ? run.get("iteration_time_ns") : run.find("iteration_time_ns");
  if (time && (ran || time->type() != SpecType::kNull)) (void)time->as_integer(0, INT64_MAX);
}

/// All charts of a sweep need its axes.
void check_content(const Charted& charted, const SpecView& root) {
  const SpecView what = root.get(charted.what);
  if (charted.name == "result") {
    (void)root.get("feasible");
    check_run(root);
  }
  if (charted.name == "sweep") (void)root.get("axes").items();
  if (!charted.runs) return;
  const std::vector<SpecView> runs = what.items();
  if (runs.empty()) what.fail("none", "results");
  for (const SpecView& run : runs) check_run(run);
}

/// The document's format, which has charts and is `first`, if that is not empty.
std::string check_charted(const SpecDocument& document, const std::string& first) {
  const SpecView root(document);
  const std::string hint = "results are what --format json writes";
  const SpecView format = root.get("format");
  const std::string name = format.as_text();
  const auto charted = std::ranges::find_if(
      kCharted, [&](const Charted& each) { return name == "ooc-paleo/" + std::string(each.name); });
  if (charted == kCharted.end()) {
    format.fail(format.found(),
                "a result of predict, compare, sweep, max, need, validate or replay", hint);
  }
  if (!first.empty() && name != first) {
    format.fail(format.found(), in_quotes(first) + " as in the first file", hint);
  }
  const SpecView version = root.get("version");
  if (version.node().integer != 1) {
    version.fail(version.found(), "1", "the version of the format, not of the program");
  }
  check_content(*charted, root);
  return name;
}

int run_report(const Arguments& arguments) {
  const std::vector<std::string>& files = arguments.positionals;
  (void)required_positional(arguments, "FILES", "results as JSON");
  if (!arguments.has(kPage)) bad_value(kPage.name, "none", "a place for the page");
  check_outputs(arguments, {.others = files});
  Pictures pictures(arguments, kPage);
  std::vector<std::string> texts;
  std::string first;
  for (const std::string& file : files) {
    texts.push_back(read_text_file(file, "FILES", arguments.options.limits));
    first = check_charted(read_spec_text(texts.back(), file, arguments.options.limits), first);
  }
  std::vector<PageDocument> documents;
  for (std::size_t i = 0; i < files.size(); ++i) {
    documents.push_back({.name = files[i], .json = texts[i]});
  }
  pictures.finish(files.front() + (files.size() > 1 ? " and others" : ""), documents);
  return kExitOk;
}

}  // namespace

extern const Command report_command{
    .name = "report",
    .summary = "charts of results that were written as JSON; of several, over each other",
    .examples =
        "  ooc-paleo report result.json -o result.html\n"
        "  ooc-paleo report before.json after.json -o both.html\n",
    .positionals = {.name = "FILES",
                    .help = "what --format json of predict, compare, sweep, max, need, validate or "
                            "replay wrote; several of one of them",
                    .completes = Completes::kInputs,
                    .many = true},
    .flags = kReportFlags,
    .run = &run_report,
};

}  // namespace ooc
