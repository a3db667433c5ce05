// Job of `predict`, `max-batch`, `need` and `fit`: one network on one machine under one or several
// schedules, read from flags and files.
#pragma once

#include <memory>
#include <vector>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

enum class Asks {
  kOneSchedule,      ///< default: capacity
  kSchedules,        ///< default: all that run on the machine
  kWhetherItFits,    ///< several; default: capacity
  kOnMachines,       ///< several; default: capacity; several machines and links
  kLongestSequence,  ///< several schedules, at a batch
  kLargestBatch,     ///< several schedules, without a batch
};

struct Job {
  CaseOptions options;
  ResultOptions result;
  std::vector<const Schedule*> schedules;
  Outputs outputs;
  Workload workload;
  Machine machine;
  std::shared_ptr<void> search_line = {};  ///< display of searches that `options` report to
};

/// Opens outputs before reading files, and prints remarks on the files. Throws SpecError for bad
/// flags and files.
[[nodiscard]] Job read_job(const Arguments& arguments, Asks asks);

/// Job of `compare` on several machines.
struct MachinesJob {
  CaseOptions options;  ///< without --link, which is a list
  ResultOptions result;
  std::vector<std::vector<const Schedule*>> schedules;  ///< by machine: schedules that run there
  Outputs outputs;
  Workload workload;
  std::vector<Machine> machines;
  std::shared_ptr<void> search_line = {};  ///< as in Job
};

/// `profiles`: as the user named them. Also throws SpecError for a file given twice.
[[nodiscard]] MachinesJob read_machines_job(const Arguments& arguments,
                                            const std::vector<std::string>& profiles);

}  // namespace ooc
