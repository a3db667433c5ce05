// Stages follow one another, each with its own rows and numbers: streaming kernels give the near shares
// that all others use; then convolutions and products on ordinary units, tensor cores, recurrent layers.
#include "calibrate/fit/operations_fit.hpp"

#include <algorithm>
#include <set>

#include "calibrate/fit/check_operations.hpp"
#include "calibrate/fit/near_share_fit.hpp"
#include "model/kernels/parameter_fields.hpp"

namespace ooc {
namespace {

constexpr SearchVariable kMeasuring{10e-6, 1e-6, 100e-6};  // seconds
constexpr SearchVariable kHeuristic{0.8, 0.4, 1.5};
constexpr SearchVariable kStep{20e-6, 0.5e-6, 200e-6};  // seconds
constexpr double kLeast = 1e-3;
constexpr int kBesideShare = 4;  // of the evaluations: one or two numbers are soon found

struct StagePlan {
  const char* name;
  bool (*takes)(const MeasuredOperation&);
  std::vector<std::string> paths;
};

bool is_plain(const MeasuredOperation& row) { return row.dtype == Dtype::kFloat32; }

std::vector<StagePlan> stage_plans() {
  return {{"conv float32",
           [](const MeasuredOperation& row) {
             return is_plain(row) && row.kind == OperationKind::kConvolution;
           },
           {"simt.wide_tiles", "simt.small_tiles", "simt.wave_tail", "simt.extra_depth",
            "simt.generation", "simt.pointwise_weights", "simt.scatter_rate", "simt.scatter_memory",
            "simt.winograd_fused", "simt.transformed", "simt.transform_traffic", "simt.depthwise"}},
          {"product float32",
           [](const MeasuredOperation& row) {
             return is_plain(row) && row.kind == OperationKind::kProduct;
           },
           {"simt.linear_rate", "simt.linear_memory", "simt.linear_recent"}},
          {"tensor cores",
           &is_tensor_operation,
           {"tensor.tiles", "tensor.operands", "tensor.few_channels"}},
          {"recurrent float32",
           [](const MeasuredOperation& row) {
             return is_plain(row) && row.kind == OperationKind::kRecurrent;
           },
           {"recurrent.forward", "recurrent.backward", "recurrent.step", "recurrent.old_forward",
            "recurrent.old_backward", "recurrent.old_gru_backward"}}};
}

/// Before Volta; the fit takes them together where it needs a difference.
bool is_old(const std::string& architecture) {
  return architecture == "kepler" || architecture == "maxwell" || architecture == "pascal";
}

/// Those that the number is fitted for. Two numbers say what old generations lack beside newer ones; of one
/// kind alone they would only rename the tiles' efficiency.
std::vector<std::string> fitted_for(const std::string& path,
                                    const std::set<std::string>& architectures) {
  std::vector<std::string> of(architectures.begin(), architectures.end());
  if (path != "simt.generation" && path != "simt.linear_recent") return of;
  const auto newer = std::stable_partition(of.begin(), of.end(), &is_old);
  if (newer == of.begin() || newer == of.end()) return {};
  of.erase(newer, of.end());
  return of;
}

class Fitter {
 public:
  Fitter(const FitMachines& machines, const FitParameters& start,
         const OperationsFitOptions& options)
      : machines_(machines), options_(options), given_(start) {
    fit_.architectures = start;
  }

  void fit_streams(const std::vector<MeasuredOperation>& operations) {
    const FitRows rows = rows_of(operations, [](const MeasuredOperation& row) {
      return row.kind == OperationKind::kStreaming;
    });
    if (rows.empty()) return;
    StageFit& stage = fit_.stages.emplace_back();
    stage.name = "streaming";
    const FitCandidate before{given_, measuring_of_streams(rows, given_)};
    FitCandidate candidate{given_, {}};
    auto shares = near_shares(rows, machines_);
    if (is_fixed("near_share")) shares.clear();
    for (const auto& [architecture, found] : shares) {
      candidate.parameters.at(architecture).near_share = found.share;
    }
    candidate.beside = measuring_of_streams(rows, candidate.parameters);
    for (const auto& [architecture, found] : shares) {
      stage.numbers.push_back({.path = "near_share",
                               .architectures = {architecture},
                               .told = {architecture},
                               .rows = found.rows.size(),
                               .error = rows.mean_miss(found.rows, candidate)});
    }
    finish(rows, before, candidate, stage);
  }

  void fit_stage(const StagePlan& plan, const std::vector<MeasuredOperation>& operations) {
    const FitRows rows = rows_of(operations, plan.takes);
    if (rows.empty()) return;
    StageFit& stage = fit_.stages.emplace_back();
    stage.name = plan.name;
    const std::vector<FitVariable> beside = beside_variables(rows);

    FitCandidate before{given_, {}};
    begin_at(beside, before);
    const SearchPlan short_search{options_.seed, 1, options_.evaluations / kBesideShare};
    if (!beside.empty()) (void)search_stage(rows, beside, short_search, before);

    FitCandidate candidate{fit_.architectures, {}};
    std::vector<FitVariable> variables = number_variables(plan, rows);
    begin_at(variables, candidate);
    variables = told_variables(rows, candidate, variables);
    variables.insert(variables.end(), beside.begin(), beside.end());
    candidate.parameters = fit_.architectures;
    begin_at(variables, candidate);
    const SearchPlan search{options_.seed, options_.starts, options_.evaluations};
    if (!variables.empty()) stage.starts = search_stage(rows, variables, search, candidate);
    stage.numbers = settle_numbers(rows, variables, given_, candidate);
    finish(rows, before, candidate, stage);
  }

  void note_unused(const std::vector<MeasuredOperation>& operations) {
    for (const MeasuredOperation& row : operations) {
      const bool used =
          row.kind == OperationKind::kStreaming || is_plain(row) || is_tensor_operation(row);
      if (!used) ++fit_.unused[group_of(row)];
    }
  }

  OperationsFit result() { return std::move(fit_); }

 private:
  template <class Takes>
  [[nodiscard]] FitRows rows_of(const std::vector<MeasuredOperation>& operations,
                                Takes takes) const {
    FitRows rows(machines_);
    for (const MeasuredOperation& row : operations) {
      if (takes(row)) rows.add(row);
    }
    return rows;
  }

  [[nodiscard]] bool is_fixed(const std::string& path) const {
    return std::find(options_.fixed.begin(), options_.fixed.end(), path) != options_.fixed.end();
  }

  static void begin_at(const std::vector<FitVariable>& variables, FitCandidate& candidate) {
    for (const FitVariable& variable : variables) candidate.set(variable, variable.range.start);
  }

  /// What measuring adds, by source, and what a rule's choice loses.
  static std::vector<FitVariable> beside_variables(const FitRows& rows) {
    std::set<std::string> sources;
    bool heuristic = false;
    for (const MeasuredOperation* row : rows.of(FitSide::kFit)) {
      if (row->kind != OperationKind::kRecurrent) sources.insert(row->source);
      heuristic = heuristic || row->heuristic;
    }
    std::vector<FitVariable> variables;
    for (const std::string& source : sources) {
      variables.push_back({"measuring." + source, kMeasuring, {}, 0});
    }
    if (heuristic) variables.push_back({"heuristic", kHeuristic, {}, 0});
    return variables;
  }

  [[nodiscard]] std::vector<FitVariable> number_variables(const StagePlan& plan,
                                                          const FitRows& rows) const {
    std::set<std::string> architectures;
    for (const MeasuredOperation* row : rows.of(FitSide::kFit)) {
      architectures.insert(machines_.at(row->gpu).architecture);
    }
    std::vector<FitVariable> variables;
    for (const std::string& path : plan.paths) {
      if (is_fixed(path)) continue;
      FitVariable variable{path, {}, fitted_for(path, architectures), 0};
      if (variable.architectures.empty()) continue;
      variable.range = range_of(variable);
      if (options_.from == FitStart::kGiven) variable.expected = variable.range.start;
      variables.push_back(std::move(variable));
    }
    return variables;
  }

  /// Numbers of 0 would stay there: the search multiplies.
  [[nodiscard]] SearchVariable range_of(const FitVariable& variable) const {
    const double given = FitCandidate{given_, {}}.get(variable);
    const bool neutral = options_.from == FitStart::kNeutral;
    if (variable.path == "recurrent.step") {
      return {neutral ? kStep.start : std::clamp(given, kStep.lowest, kStep.highest), kStep.lowest,
              kStep.highest};
    }
    const ParameterField& field = *find_parameter_field(variable.path);
    const double lowest = std::max(field.lowest, kLeast);
    return {std::max(neutral ? field.neutral : given, lowest), lowest, field.highest};
  }

  void finish(const FitRows& rows, const FitCandidate& before, const FitCandidate& after,
              StageFit& stage) {
    stage.rows = rows.of(FitSide::kFit).size();
    stage.before = rows.loss(FitSide::kFit, before);
    stage.held_before = rows.loss(FitSide::kHeldOut, before);
    stage.after = rows.loss(FitSide::kFit, after);
    stage.held_after = rows.loss(FitSide::kHeldOut, after);
    stage.beside = after.beside;
    stage.errors = compare_errors(rows, before, after);
    fit_.architectures = after.parameters;
  }

  const FitMachines& machines_;
  const OperationsFitOptions& options_;
  const FitParameters& given_;
  OperationsFit fit_;
};

}  // namespace

std::vector<std::string> fitted_paths() {
  std::vector<std::string> paths{"near_share"};
  for (const StagePlan& plan : stage_plans()) {
    paths.insert(paths.end(), plan.paths.begin(), plan.paths.end());
  }
  return paths;
}

OperationsFit fit_operations(const std::vector<MeasuredOperation>& operations,
                             const FitMachines& machines, const FitParameters& start,
                             const OperationsFitOptions& options) {
  check_operations(operations, machines, start, options.file);
  Fitter fitter(machines, start, options);
  fitter.fit_streams(operations);
  for (const StagePlan& plan : stage_plans()) fitter.fit_stage(plan, operations);
  fitter.note_unused(operations);
  return fitter.result();
}

}  // namespace ooc
