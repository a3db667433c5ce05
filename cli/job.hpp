// Job of `predict`, `compare`, `max`, `need` and `fit`: one network on machines under schedules, read from flags and
// files; and the reading of each of these files.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "model/base/units.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

enum class Asks {
  kRuns,             ///< nothing is looked for: all options are given
  kLongestSequence,  ///< the sequence is looked for
  kLargestBatch,     ///< the batch is looked for
};

struct Job {
  CaseOptions options;  ///< `compare`: without --link or --state where that is a list
  ResultOptions result;
  std::vector<std::vector<const Schedule*>> chosen;  ///< by machine: schedules that run there
  Outputs outputs;
  Workload workload;
  std::vector<Machine> machines;  ///< one, except for `compare`

  [[nodiscard]] const Machine& machine() const { return machines.front(); }
  [[nodiscard]] const std::vector<const Schedule*>& schedules() const { return chosen.front(); }
};

/// Opens outputs, then reads files, and prints remarks on the files. `profiles`: names of machines; empty: one, by
/// --hardware. Throws SpecError for bad flags and files, and for a file given twice.
[[nodiscard]] Job read_job(const Arguments& arguments, Asks asks,
                           std::vector<std::string> profiles = {});

// Lists of `compare`: machines, links, presets of model states.

struct MachineLists {
  std::vector<std::string> machines;                      ///< names as typed
  std::vector<std::optional<BytesPerSecond>> links = {};  ///< link rates; unset: the profile's
  std::vector<std::int64_t> states = {};  ///< presets of --state; empty: one or none
  /// True for a single machine without lists, which gets a table of its schedules.
  [[nodiscard]] bool are_one() const {
    return machines.size() == 1 && links.size() == 1 && states.empty();
  }
};

/// Reads --hardware, --link, --state. Throws SpecError for none, repeated or too many; for several with --layer-times.
[[nodiscard]] MachineLists machine_lists(const Arguments& arguments);

// Files named on the command line: found and read.

/// Reads a network. `place`: flag or argument with the name, for errors. Throws SpecError for an
/// unknown name, and as read_workload() does.
[[nodiscard]] Workload load_workload(const std::string& name, std::string_view place,
                                     const CaseOptions& options);
[[nodiscard]] Machine load_hardware(const std::string& name, std::string_view place,
                                    const CaseOptions& options);
/// Throws SpecError at `place` if two of `paths` (given as `given`) are one file. Two files with the same
/// name inside are allowed: comparing a copy with one change is common.
void check_files(const std::vector<std::string>& given, const std::vector<std::string>& paths,
                 std::string_view place);
/// Returns `names` (as in the files) if all differ; else `given` (as the user named the files).
[[nodiscard]] std::vector<std::string> told_apart(std::vector<std::string> names,
                                                  const std::vector<std::string>& given);
/// Loads the profiles `given`, with names by told_apart(). Throws SpecError for a file given twice.
[[nodiscard]] std::vector<Machine> load_machines(const std::vector<std::string>& given,
                                                 const CaseOptions& options);
/// Reads the framework called `name` into the options. Throws SpecError for an unknown name (at `place`) or a bad file.
void load_framework(CaseOptions& options, const std::string& name, std::string_view place);
/// Loads the framework called `given` (--framework); unset: the one that the machines' profiles name, if any. Throws
/// SpecError if profiles name different ones, and as load_framework() does.
void load_framework_of(CaseOptions& options, const std::optional<std::string>& given,
                       std::span<const Machine> machines);
/// Reads --layer-times, if given: CSV or a trace. Throws SpecError as the functions of layer_times.hpp do.
void load_layer_times(CaseOptions& options, const Arguments& arguments, const Workload& workload);

}  // namespace ooc
