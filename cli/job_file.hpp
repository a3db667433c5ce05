// Job files (docs/formats.md, 4): JSON with the values of flags, each under its flag's name, in place of NETWORK. Every
// command about a network reads one; lists in it are for commands that take lists. The job is turned into flags, which
// those of the command line override. A trainer's own file (cli/trainer_file.hpp) does the same beside NETWORK (--job).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/trainer_file.hpp"
#include "model/base/errors.hpp"
#include "model/base/spec_tree.hpp"

namespace ooc {

inline constexpr std::string_view kJobFormat = "ooc-paleo/job";
/// Keys of results that name no option. In a job they are ignored, so that a result is accepted as a job.
inline constexpr std::string_view kOfResults[] = {
    "network_name",    "hardware_name",    "timed_layers",   "framework_meaning",
    "offload_meaning", "schedule_options", "gradient_dtype", "adapter_dtype"};

/// True if a job may set the flag. False for flags about output, threads and similar: no job chooses a file to replace.
[[nodiscard]] bool is_of_jobs(const Flag& flag);

class JobFile {
 public:
  /// Reads a job or a result for the command line `given`. Throws SpecError with file and place, also for unknown keys.
  JobFile(const SpecDocument& document, const Arguments& given);
  JobFile(const TrainerFile& trainer, const std::string& path, const Arguments& given);

  /// Returns `given` with the job's networks, and with the job's flags that were not given.
  [[nodiscard]] Arguments with_flags_of(const Arguments& given) const;
  /// Returns the job as flags and values of a command line.
  [[nodiscard]] std::string words() const;
  /// Returns the error with its place in the job file, if about a flag of the job or a missing network or machine.
  [[nodiscard]] SpecError located(const SpecError& error, const Arguments& given) const;

 private:
  struct Entry {
    const Flag* flag;
    std::string pointer = {};
    std::vector<std::string> texts = {};  ///< values as texts; of a switch, one empty text
    char separator = ',';
    bool list = false;
    std::string file = {};  ///< file that sets the flag; empty: file_
  };
  void add(const Flag& flag, const SpecView& value, std::string_view unit = {});
  void add_symbols(const SpecView& symbols, const Command& command);

  std::string file_;
  std::vector<Entry> entries_;
};

/// Returns the job of --job, or of the only argument if a job file; unset: no job. Throws SpecError for a bad job.
[[nodiscard]] std::optional<JobFile> find_job(const Arguments& arguments);

/// Returns a command line as a job: keys, and values as JSON. Flags about output and options with a unit are left out.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> job_of(const Arguments& arguments);

// The JSON Schema of job files, made from the table of options and the commands' own flags.

/// Returns the text of studies/study.schema.json; a test compares the two.
[[nodiscard]] std::string job_schema();

}  // namespace ooc
