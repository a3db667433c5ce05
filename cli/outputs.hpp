// The output files of one command, opened together before the work starts (cli/output_file.hpp).
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/pictures.hpp"
#include "reports/writers/writer.hpp"

namespace ooc {

struct Outputs {
  OutputFile result;
  std::optional<OutputFile> trace;
  std::optional<OutputFile> plan;
  std::optional<OutputFile> policy;
  Pictures pictures;
};

/// What a command reads, as the user named it.
struct Inputs {
  std::span<const std::string> networks;
  std::span<const std::string> profiles;
  std::span<const std::string> others = {};  ///< paths
};

/// The part of open_outputs() that opens nothing.
void check_outputs(const Arguments& arguments, const Inputs& inputs);

/// -o (default stdout), --trace, --export-plan, --export-policy, --report and --plot. Throws SpecError when one cannot be written, two
/// are the same place, or one would replace a file that is read: `inputs`, --layer-times or
/// --import-measurements.
[[nodiscard]] Outputs open_outputs(const Arguments& arguments, const Inputs& inputs);

/// The result where it goes, as `write` has it of a writer, and its pictures, which are of its JSON and of what
/// `beside` adds to it.
template <class Write>
void finish_result(Outputs& outputs, const Writer& writer, std::string_view title,
                   const Write& write, std::initializer_list<PageDocument> beside = {}) {
  if (outputs.pictures.wanted()) {
    const std::string json = write(*find_writer("json"));
    std::vector<PageDocument> documents{{.name = {}, .json = json}};
    documents.insert(documents.end(), beside.begin(), beside.end());
    outputs.pictures.finish(title, documents);
  }
  outputs.result.finish(write(writer));
}

}  // namespace ooc
