// One stage of the fit: the rows it is about, the numbers it moves, and how far the prices are off.
//
// A number that changes no price of the rows that fit is left alone: before the search if no value of its
// range would, behind it if its old value does as well.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "calibrate/fit/operation_prices.hpp"
#include "calibrate/fit/search.hpp"

namespace ooc {

using FitMachines = std::map<std::string, FitMachine>;
using FitParameters = std::map<std::string, ArchitectureParameters>;  ///< by architecture

/// What reports keep apart.
struct OperationGroup {
  OperationKind kind = OperationKind::kConvolution;
  Dtype dtype = Dtype::kFloat32;
  OperationPass pass = OperationPass::kForward;
  std::string gpu;

  auto operator<=>(const OperationGroup&) const = default;
};
[[nodiscard]] OperationGroup group_of(const MeasuredOperation& operation);

/// Of |predicted / measured - 1|.
struct GroupError {
  std::size_t rows = 0;
  double mean = 0;
  double median = 0;
  double bias = 0;  ///< mean of predicted / measured - 1
};

struct GroupErrors {
  OperationGroup group;
  GroupError fit_before;
  GroupError fit_after;
  GroupError held_before;
  GroupError held_after;
};

/// A number of one or more architectures, or (no architecture) one of what is fitted beside.
struct FitVariable {
  std::string path;  ///< "simt.wide_tiles", "measuring.<source>", "heuristic"
  SearchVariable range;
  std::vector<std::string> architectures;
  /// Where it is expected: |log(value / expected)| counts as the miss of one row, so that few rows do not
  /// carry numbers off. 0: nowhere.
  double expected = 0;
};

struct FitCandidate {
  FitParameters parameters;
  std::map<std::string, double> beside;

  void set(const FitVariable& variable, double value);
  /// Of the first architecture. Precondition: the variable has one.
  [[nodiscard]] double get(const FitVariable& variable) const;
};

/// The number at a dotted path: one of parameter_fields(), or "recurrent.step".
[[nodiscard]] double& fit_number(ArchitectureParameters& parameters, const std::string& path);

/// A number that the rows tell about.
struct FittedNumber {
  std::string path;
  std::vector<std::string> architectures;  ///< that have it
  std::set<std::string> told;              ///< of them, those with rows whose price it changes
  std::size_t rows = 0;                    ///< such rows
  double error = 0;                        ///< mean |log(predicted / measured)| of them
};

enum class FitSide { kFit, kHeldOut };

class FitRows {
 public:
  explicit FitRows(const FitMachines& machines) : machines_(machines) {}

  void add(const MeasuredOperation& row);
  [[nodiscard]] bool empty() const { return groups_.empty(); }
  [[nodiscard]] const std::vector<const MeasuredOperation*>& of(FitSide side) const {
    return rows_[static_cast<std::size_t>(side)];
  }
  [[nodiscard]] double predicted(const MeasuredOperation& row, const FitCandidate& candidate) const;
  [[nodiscard]] std::vector<double> predicted(const FitCandidate& candidate) const;  ///< that fit
  /// docs/calibration.md, "Loss"; 0 without rows.
  [[nodiscard]] double loss(FitSide side, const FitCandidate& candidate) const;
  /// Mean |log(predicted / measured)| of rows that fit, by their place.
  [[nodiscard]] double mean_miss(const std::set<std::size_t>& rows,
                                 const FitCandidate& candidate) const;
  [[nodiscard]] std::set<std::string> architectures_of(const std::set<std::size_t>& rows) const;
  [[nodiscard]] std::map<OperationGroup, GroupError> errors(FitSide side,
                                                            const FitCandidate& candidate) const;

 private:
  const FitMachines& machines_;
  std::array<std::vector<const MeasuredOperation*>, 2> rows_;  ///< by side
  std::array<std::vector<std::size_t>, 2> group_ids_;
  std::map<std::string, std::size_t> groups_;  ///< of the loss
};

/// Before and after, on both sides.
[[nodiscard]] std::vector<GroupErrors> compare_errors(const FitRows& rows,
                                                      const FitCandidate& before,
                                                      const FitCandidate& after);

/// Of the variables of architectures, those that some value of their range tells apart on the rows that fit;
/// what is fitted beside stays.
[[nodiscard]] std::vector<FitVariable> told_variables(const FitRows& rows,
                                                      const FitCandidate& candidate,
                                                      const std::vector<FitVariable>& variables);

struct SearchPlan {
  std::uint64_t seed = 0;
  int starts = 1;
  int evaluations = 1;  ///< of each start
};

/// Moves the variables of `candidate` to the least loss; the loss that each start reached.
std::vector<double> search_stage(const FitRows& rows, const std::vector<FitVariable>& variables,
                                 const SearchPlan& plan, FitCandidate& candidate);

/// Gives numbers that no row tells about their value of `before` again, rounds the others to the digits that are
/// kept, and says which these are.
std::vector<FittedNumber> settle_numbers(const FitRows& rows,
                                         const std::vector<FitVariable>& variables,
                                         const FitParameters& before, FitCandidate& candidate);

}  // namespace ooc
