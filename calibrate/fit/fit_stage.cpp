#include "calibrate/fit/fit_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibrate/fit/statistics.hpp"
#include "model/base/errors.hpp"
#include "model/kernels/parameter_fields.hpp"

namespace ooc {
namespace {

constexpr double kLargestMiss = 1.5;
constexpr double kStartSpread = 0.3;
constexpr double kNudge = 1.1;         // a number moved by this shows which rows tell about it
constexpr double kSamePrice = 1e-9;    // of a price: rounding
constexpr double kNumberDigits = 1e4;  // numbers keep four decimals
constexpr double kTimeDigits = 1e9;    // times whole nanoseconds
const std::string kStepPath = "recurrent.step";

double beside(const FitCandidate& candidate, const std::string& name, double otherwise) {
  const auto found = candidate.beside.find(name);
  return found == candidate.beside.end() ? otherwise : found->second;
}

double miss(double predicted, const MeasuredOperation& row) {
  return std::abs(std::log(predicted / row.seconds));
}

/// Rows whose price differs.
std::set<std::size_t> changed(const std::vector<double>& one, const std::vector<double>& other) {
  std::set<std::size_t> rows;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (!(std::abs(one[i] - other[i]) <= kSamePrice * one[i])) rows.insert(i);
  }
  return rows;
}

/// Rows whose price differs when the variable takes one of the values.
std::set<std::size_t> told_by(const FitRows& rows, FitCandidate candidate,
                              const FitVariable& variable, const std::vector<double>& values) {
  const std::vector<double> now = rows.predicted(candidate);
  std::set<std::size_t> told;
  for (const double value : values) {
    candidate.set(variable, value);
    told.merge(changed(now, rows.predicted(candidate)));
  }
  return told;
}

void put_back(const FitVariable& variable, const FitParameters& before, FitCandidate& candidate) {
  for (const std::string& name : variable.architectures) {
    ArchitectureParameters given = before.at(name);
    fit_number(candidate.parameters.at(name), variable.path) = fit_number(given, variable.path);
  }
}

/// Of the variables that are expected somewhere.
double distance(const std::vector<FitVariable>& variables, const std::vector<double>& values) {
  double sum = 0;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].expected > 0) sum += std::abs(std::log(values[i] / variables[i].expected));
  }
  return sum;
}

GroupError error_of(const std::vector<double>& deviations) {
  GroupError error{.rows = deviations.size()};
  std::vector<double> sizes;
  for (const double deviation : deviations) {
    sizes.push_back(std::abs(deviation));
    error.mean += std::abs(deviation) / static_cast<double>(deviations.size());
    error.bias += deviation / static_cast<double>(deviations.size());
  }
  error.median = median_of(sizes);
  return error;
}

}  // namespace

OperationGroup group_of(const MeasuredOperation& operation) {
  return {operation.kind, operation.dtype, operation.pass, operation.gpu};
}

double& fit_number(ArchitectureParameters& parameters, const std::string& path) {
  if (path == kStepPath) return parameters.recurrent.step_seconds;
  const ParameterField* field = find_parameter_field(path);
  OOC_CHECK(field != nullptr, "fitted numbers have names");
  return field->of(parameters);
}

void FitCandidate::set(const FitVariable& variable, double value) {
  if (variable.architectures.empty()) beside[variable.path] = value;
  for (const std::string& name : variable.architectures) {
    fit_number(parameters.at(name), variable.path) = value;
  }
}

double FitCandidate::get(const FitVariable& variable) const {
  ArchitectureParameters numbers = parameters.at(variable.architectures.front());
  return fit_number(numbers, variable.path);
}

void FitRows::add(const MeasuredOperation& row) {
  // A source is a group of its own here: it has its own way of measuring.
  const std::string group =
      fmt::format("{} {} {} {} {}", kind_name(row.kind), dtype_info(row.dtype).name,
                  pass_name(row.pass), row.gpu, row.source);
  const std::size_t id = groups_.try_emplace(group, groups_.size()).first->second;
  const auto side = static_cast<std::size_t>(is_held_out(row) ? FitSide::kHeldOut : FitSide::kFit);
  rows_[side].push_back(&row);
  group_ids_[side].push_back(id);
}

double FitRows::predicted(const MeasuredOperation& row, const FitCandidate& candidate) const {
  const FitMachine& machine = machines_.at(row.gpu);
  KernelPlatform platform =
      platform_of(row, machine.machine, candidate.parameters.at(machine.architecture));
  if (row.heuristic) platform.architecture.simt.generation *= beside(candidate, "heuristic", 1);
  const double measuring =
      row.kind == OperationKind::kRecurrent ? 0 : beside(candidate, "measuring." + row.source, 0);
  return work_seconds(row, platform) + measuring;
}

std::vector<double> FitRows::predicted(const FitCandidate& candidate) const {
  std::vector<double> seconds;
  for (const MeasuredOperation* row : of(FitSide::kFit)) {
    seconds.push_back(predicted(*row, candidate));
  }
  return seconds;
}

double FitRows::loss(FitSide side, const FitCandidate& candidate) const {
  const auto& rows = of(side);
  const auto& ids = group_ids_[static_cast<std::size_t>(side)];
  std::vector<std::pair<double, double>> sums(groups_.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto& [sum, count] = sums[ids[i]];
    sum += std::min(miss(predicted(*rows[i], candidate), *rows[i]), kLargestMiss);
    count += 1;
  }
  double total = 0;
  double groups = 0;
  for (const auto& [group, id] : groups_) {
    if (sums[id].second == 0) continue;
    total += sums[id].first / sums[id].second;
    groups += 1;
  }
  return groups > 0 ? total / groups : 0;
}

double FitRows::mean_miss(const std::set<std::size_t>& some, const FitCandidate& candidate) const {
  double sum = 0;
  for (const std::size_t i : some) {
    const MeasuredOperation& row = *of(FitSide::kFit)[i];
    sum += miss(predicted(row, candidate), row);
  }
  return sum / static_cast<double>(std::max<std::size_t>(some.size(), 1));
}

std::set<std::string> FitRows::architectures_of(const std::set<std::size_t>& some) const {
  std::set<std::string> names;
  for (const std::size_t i : some) {
    names.insert(machines_.at(of(FitSide::kFit)[i]->gpu).architecture);
  }
  return names;
}

std::map<OperationGroup, GroupError> FitRows::errors(FitSide side,
                                                     const FitCandidate& candidate) const {
  std::map<OperationGroup, std::vector<double>> groups;
  for (const MeasuredOperation* row : of(side)) {
    groups[group_of(*row)].push_back(predicted(*row, candidate) / row->seconds - 1);
  }
  std::map<OperationGroup, GroupError> errors;
  for (const auto& [group, deviations] : groups) errors[group] = error_of(deviations);
  return errors;
}

std::vector<GroupErrors> compare_errors(const FitRows& rows, const FitCandidate& before,
                                        const FitCandidate& after) {
  std::map<OperationGroup, GroupErrors> groups;
  const auto fill = [&](FitSide side, const FitCandidate& candidate,
                        GroupError GroupErrors::*into) {
    for (const auto& [group, error] : rows.errors(side, candidate)) {
      groups[group].group = group;
      groups[group].*into = error;
    }
  };
  fill(FitSide::kFit, before, &GroupErrors::fit_before);
  fill(FitSide::kFit, after, &GroupErrors::fit_after);
  fill(FitSide::kHeldOut, before, &GroupErrors::held_before);
  fill(FitSide::kHeldOut, after, &GroupErrors::held_after);
  std::vector<GroupErrors> errors;
  for (auto& [group, all] : groups) errors.push_back(std::move(all));
  return errors;
}

std::vector<FitVariable> told_variables(const FitRows& rows, const FitCandidate& candidate,
                                        const std::vector<FitVariable>& variables) {
  std::vector<FitVariable> told;
  for (const FitVariable& variable : variables) {
    const SearchVariable& range = variable.range;
    const std::vector<double> values{range.lowest, range.start / 2, range.start * 2, range.highest};
    if (variable.architectures.empty() || !told_by(rows, candidate, variable, values).empty()) {
      told.push_back(variable);
    }
  }
  return told;
}

std::vector<double> search_stage(const FitRows& rows, const std::vector<FitVariable>& variables,
                                 const SearchPlan& plan, FitCandidate& candidate) {
  std::vector<SearchVariable> ranges;
  for (const FitVariable& variable : variables) ranges.push_back(variable.range);
  const auto move_to = [&](const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) candidate.set(variables[i], values[i]);
  };
  const auto loss = [&](const std::vector<double>& values) {
    move_to(values);
    const auto count = static_cast<double>(std::max<std::size_t>(rows.of(FitSide::kFit).size(), 1));
    return rows.loss(FitSide::kFit, candidate) + distance(variables, values) / count;
  };
  std::vector<double> reached;
  SearchResult best;
  for (int start = 0; start < plan.starts; ++start) {
    const SearchEffort effort{.seed = plan.seed + static_cast<std::uint64_t>(start),
                              .evaluations = plan.evaluations,
                              .spread = start == 0 ? 0 : kStartSpread};
    const SearchResult found = search_minimum(ranges, effort, loss);
    reached.push_back(found.loss);
    if (start == 0 || found.loss < best.loss) best = found;
  }
  move_to(best.values);
  return reached;
}

std::vector<FittedNumber> settle_numbers(const FitRows& rows,
                                         const std::vector<FitVariable>& variables,
                                         const FitParameters& before, FitCandidate& candidate) {
  std::vector<FittedNumber> fitted;
  std::vector<std::set<std::size_t>> told;
  const FitCandidate old{before, {}};
  for (const FitVariable& variable : variables) {
    if (variable.architectures.empty()) continue;
    const double found = candidate.get(variable);
    const std::vector<double> others{old.get(variable), found * kNudge, found / kNudge};
    std::set<std::size_t> telling = told_by(rows, candidate, variable, others);
    if (telling.empty()) {
      put_back(variable, before, candidate);
      continue;
    }
    const double digits = variable.path == kStepPath ? kTimeDigits : kNumberDigits;
    candidate.set(variable, std::round(found * digits) / digits);
    fitted.push_back({.path = variable.path,
                      .architectures = variable.architectures,
                      .told = rows.architectures_of(telling),
                      .rows = telling.size()});
    told.push_back(std::move(telling));
  }
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    fitted[i].error = rows.mean_miss(told[i], candidate);
  }
  return fitted;
}

}  // namespace ooc
