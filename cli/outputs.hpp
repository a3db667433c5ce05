// Output files of one command, opened together before the work starts (cli/output_file.hpp).
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/output_file.hpp"
#include "reports/writers/page.hpp"
#include "reports/writers/writer.hpp"

namespace ooc {

/// --report: a page with the charts of a result. The charts are drawn by JavaScript of reports/pages.
/// scripts/build-pages bundles it with its library (needs npm); the program finds it like other data.
class Pictures {
 public:
  /// Opens the file of the flag, if given. Throws SpecError, before any work, if charts are not built.
  explicit Pictures(const Arguments& arguments, std::string_view flag = flags::kReport);

  [[nodiscard]] bool wanted() const { return page_.has_value(); }
  void finish(std::string_view title, std::span<const PageDocument> documents);

 private:
  std::string script_;  ///< path of the script
  std::optional<OutputFile> page_;
};

struct Outputs {
  OutputFile result;
  std::optional<OutputFile> trace;
  std::optional<OutputFile> plan;
  std::optional<OutputFile> policy;
  std::optional<OutputFile> snapshot;
  Pictures pictures;
};

/// Input files of a command, as the user named them.
struct Inputs {
  std::span<const std::string> networks = {};
  std::span<const std::string> profiles = {};
  std::span<const std::string> others = {};  ///< paths of further inputs
};

/// Makes the checks of open_outputs(), without opening a file.
void check_outputs(const Arguments& arguments, const Inputs& inputs);

/// Opens -o (default stdout), --trace, --memory-snapshot, --export-plan, --export-policy and --report. Throws
/// SpecError if one cannot be written, two are the same file, or one would replace an input:
/// `inputs`, --layer-times or --import-measurements.
[[nodiscard]] Outputs open_outputs(const Arguments& arguments, const Inputs& inputs);

/// Writes the result, and its pictures from its JSON and the documents `beside`. `write`: returns a
/// writer's text.
template <class Write>
void finish_result(Outputs& outputs, const Writer& writer, std::string_view title,
                   const Write& write, std::initializer_list<PageDocument> beside = {}) {
  if (outputs.pictures.wanted()) {
    const std::string json = write(*find_writer("json"));
    std::vector<PageDocument> documents{{.json = json}};
    documents.insert(documents.end(), beside.begin(), beside.end());
    outputs.pictures.finish(title, documents);
  }
  outputs.result.finish(write(writer));
}

}  // namespace ooc
