// Fits the numbers of architectures (model/kernels) to tables of measured operations.
//
// Loss: |log(predicted / measured)|, at most 1.5 a row, mean over the rows of a group (GPU, source, kind,
// type, pass), mean over the groups: a GPU with many rows counts no more than one with few, and a kernel that
// the model has no form for counts no more than one it misses by 4.5 times. A fifth of the shapes, by
// hash, is held out. Numbers are fitted for all GPUs of the table together; what differs between them is
// on their data sheets, but for `generation` (before Volta) and near shares.
//
// What measuring adds to each time, and what kernels chosen by a rule lose, are fitted beside and left out of
// the result. "Before" is the numbers handed over with only these fitted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "calibrate/fit/fit_stage.hpp"
#include "calibrate/fit/operations_csv.hpp"

namespace ooc {

enum class FitStart {
  kGiven,    ///< the numbers handed over; how far one moves counts as the miss of one row
  kNeutral,  ///< fixed ones, so that fitting again gives the same
};

struct OperationsFitOptions {
  FitStart from = FitStart::kGiven;
  std::uint64_t seed = 0;
  int starts = 3;
  int evaluations = 1300;               ///< of each start
  std::vector<std::string> fixed = {};  ///< paths that keep their number: for ablations
  std::string file = "the table";       ///< for messages
};

struct StageFit {
  std::string name;      ///< "conv float32"
  std::size_t rows = 0;  ///< that fit
  std::vector<FittedNumber> numbers;
  double before = 0;  ///< loss on the rows that fit
  double after = 0;
  double held_before = 0;  ///< on the held-out rows
  double held_after = 0;
  std::vector<double> starts;            ///< the loss that each start reached
  std::map<std::string, double> beside;  ///< "measuring.deepbench" in seconds, "heuristic"
  std::vector<GroupErrors> errors;
};

struct OperationsFit {
  FitParameters architectures;
  std::vector<StageFit> stages;
  std::map<OperationGroup, std::size_t>
      unused;  ///< rows that the model has no numbers of their own for
};

/// The numbers that tables can tell about, by dotted path.
[[nodiscard]] std::vector<std::string> fitted_paths();

/// Throws SpecError where a row's GPU is not among the machines or lacks what the row was measured on, and where a
/// machine's architecture is not among `start`. Preconditions: tables as read, at least one row.
[[nodiscard]] OperationsFit fit_operations(const std::vector<MeasuredOperation>& operations,
                                           const FitMachines& machines, const FitParameters& start,
                                           const OperationsFitOptions& options);

}  // namespace ooc
