// Job of `predict`, `compare`, `max`, `need` and `fit`: one network on machines under schedules,
// read from flags and files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "model/base/units.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

enum class Asks {
  kRuns,
  kLongestSequence,  ///< at a batch
  kLargestBatch,     ///< without a batch
};

struct Job {
  CaseOptions options;  ///< `compare`: without --link and --state, if these are lists
  ResultOptions result;
  std::vector<std::vector<const Schedule*>> chosen;  ///< by machine: schedules that run there
  Outputs outputs;
  Workload workload;
  std::vector<Machine> machines;  ///< one, except for `compare`

  [[nodiscard]] const Machine& machine() const { return machines.front(); }
  [[nodiscard]] const std::vector<const Schedule*>& schedules() const { return chosen.front(); }
};

/// Opens outputs before reading files, and prints remarks on the files. `profiles`: names of machines; empty: one, by --hardware. Throws SpecError for bad flags and files, and for a file given twice.
[[nodiscard]] Job read_job(const Arguments& arguments, Asks asks,
                           std::vector<std::string> profiles = {});

// Lists of `compare`: machines, links, presets of model states.

struct MachineLists {
  std::vector<std::string> machines;                      ///< names as typed
  std::vector<std::optional<BytesPerSecond>> links = {};  ///< link rates; unset: the profile's
  std::vector<std::int64_t> states = {};                  ///< presets of --state, if several

  /// True for a single machine without lists, which gets a table of its schedules.
  [[nodiscard]] bool are_one() const {
    return machines.size() == 1 && links.size() == 1 && states.empty();
  }
};

/// Reads --hardware, --link and --state. Throws SpecError for missing, repeated or too many values.
[[nodiscard]] MachineLists machine_lists(const Arguments& arguments);

}  // namespace ooc
