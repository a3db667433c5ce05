// A job as a JSON file (docs/formats.md, 4): what flags say, each under its flag's name, in place of NETWORK. Every command
// about a network takes one; those that take lists take lists from it. It is read by turning it into flags, and a flag of
// the command line takes the place of the job's. A trainer's own file (cli/trainer_file.hpp) does the same beside NETWORK, by
// --job.
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
/// What results say beside what was asked for.
inline constexpr std::string_view kOfResults[] = {
    "network_name",    "hardware_name",    "timed_layers",   "framework_meaning",
    "offload_meaning", "schedule_options", "gradient_dtype", "adapter_dtype"};

/// Not who works on results, how, and where they go: a job from elsewhere must not choose a file to replace.
[[nodiscard]] bool is_of_jobs(const Flag& flag);

class JobFile {
 public:
  /// SpecError naming file and place for what is no job, or says what no flag says.
  JobFile(const SpecDocument& document, const Command& command, const Arguments& given);
  JobFile(const TrainerFile& trainer, const std::string& path, const Command& command,
          const Arguments& given);

  /// The flags of the command line, and those of the job that it has not.
  [[nodiscard]] Arguments with_flags_of(const Arguments& given) const;
  /// What it says, as a command line has it.
  [[nodiscard]] std::string words() const;
  /// An error about a flag that the job has set, as one about its place there.
  [[nodiscard]] SpecError located(const SpecError& error, const Arguments& given) const;

 private:
  struct Entry {
    std::string flag;
    std::string pointer = {};
    std::vector<std::string> texts = {};  ///< of a list, one an element
    char separator = ',';
    bool list = false;
    std::string file = {};  ///< empty: the job's
  };
  void add(const Flag& flag, const SpecView& value, std::string_view unit = {});
  void add_symbols(const SpecView& symbols);

  std::string file_;
  std::vector<Entry> entries_;
};

/// The job of --job, or that the only argument names: a file that says so. None for networks.
[[nodiscard]] std::optional<JobFile> find_job(const Command& command, const Arguments& arguments,
                                              const ReadLimits& limits);

/// What a command line asks for, as a job has it: keys, and values as JSON. Where results go is no part of it.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> job_of(const Arguments& arguments);

// The JSON Schema of job files, made from the table of options and the commands' own flags.

/// What studies/study.schema.json has; a test compares the two.
[[nodiscard]] std::string job_schema();

}  // namespace ooc
