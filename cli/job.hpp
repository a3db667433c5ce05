// One network on one machine under one or several schedules: what `predict`, `max-batch`, `need`
// and `fit` are asked, read from their flags and files.
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
  kOneSchedule,      ///< the default is capacity
  kSchedules,        ///< the default is all that run on the machine
  kWhetherItFits,    ///< several, the default is capacity
  kOnMachines,       ///< the same, on several machines and links
  kLongestSequence,  ///< several, at a batch
  kLargestBatch,     ///< the same, at no batch of the job's own
};

struct Job {
  CaseOptions options;
  ResultOptions result;
  std::vector<const Schedule*> schedules;
  Outputs outputs;
  Workload workload;
  Machine machine;
  std::shared_ptr<void> search_line = {};  ///< what `options` tell of searches goes there
};

/// Opens the outputs before it reads the files, and says what is remarkable about them. Throws SpecError for
/// what is wrong with either.
[[nodiscard]] Job read_job(const Arguments& arguments, Asks asks);

/// The same on several machines: what `compare` is asked.
struct MachinesJob {
  CaseOptions options;  ///< but --link, of which it takes a list
  ResultOptions result;
  std::vector<std::vector<const Schedule*>> schedules;  ///< of each machine those that run there
  Outputs outputs;
  Workload workload;
  std::vector<Machine> machines;
  std::shared_ptr<void> search_line = {};  ///< as of Job
};

/// `profiles` as the user named them. Throws SpecError for one file given twice, too.
[[nodiscard]] MachinesJob read_machines_job(const Arguments& arguments,
                                            const std::vector<std::string>& profiles);

}  // namespace ooc
