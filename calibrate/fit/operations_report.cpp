#include "calibrate/fit/operations_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

namespace ooc {
namespace {

constexpr double kPercent = 100;
constexpr double kMicro = 1e6;
constexpr double kWorse = 1e-3;  // the digits that are shown

std::vector<GroupErrors> all_errors(const OperationsFit& fit) {
  std::vector<GroupErrors> errors;
  for (const StageFit& stage : fit.stages) {
    errors.insert(errors.end(), stage.errors.begin(), stage.errors.end());
  }
  return errors;
}

std::string percent(const GroupError& error) {
  return error.rows == 0 ? "-" : fmt::format("{:.1f} %", kPercent * error.mean);
}

std::string name_of(const OperationGroup& group) {
  return fmt::format("{} {} {}{}{}", kind_name(group.kind), pass_name(group.pass),
                     dtype_info(group.dtype).name, group.gpu.empty() ? "" : " ", group.gpu);
}

/// The machine is named where there are several.
std::size_t gpu_width(const std::vector<GroupErrors>& errors) {
  std::set<std::string> gpus;
  std::size_t width = 0;
  for (const GroupErrors& each : errors) {
    gpus.insert(each.group.gpu);
    width = std::max(width, each.group.gpu.size() + 2);
  }
  return gpus.size() > 1 ? width : 0;
}

std::string error_table(const std::vector<GroupErrors>& errors) {
  const std::size_t width = gpu_width(errors);
  const auto gpu = [&](const std::string& name) {
    return width == 0 ? std::string() : fmt::format("{:<{}}", name, width);
  };
  std::string text =
      fmt::format("{:<11}{:<18}{:<10}{}{:>6}{:>10}{:>10}{:>11}{:>10}{:>10}\n", "kind", "pass",
                  "dtype", gpu("gpu"), "rows", "before", "after", "held out", "before", "after");
  for (const GroupErrors& each : errors) {
    text += fmt::format("{:<11}{:<18}{:<10}{}{:>6}{:>10}{:>10}{:>11}{:>10}{:>10}\n",
                        kind_name(each.group.kind), pass_name(each.group.pass),
                        dtype_info(each.group.dtype).name, gpu(each.group.gpu), each.fit_after.rows,
                        percent(each.fit_before), percent(each.fit_after), each.held_after.rows,
                        percent(each.held_before), percent(each.held_after));
  }
  return text;
}

/// What the held-out rows say against the fit.
std::string verdicts(const std::vector<GroupErrors>& errors) {
  std::string text;
  for (const GroupErrors& each : errors) {
    if (each.held_after.rows == 0) {
      text += fmt::format("no row is held out, nothing judges the fit: {}\n", name_of(each.group));
    } else if (each.held_after.mean > each.held_before.mean + kWorse) {
      text += fmt::format("worse on held-out rows: {} ({} -> {})\n", name_of(each.group),
                          percent(each.held_before), percent(each.held_after));
    }
  }
  return text;
}

std::string beside(const OperationsFit& fit) {
  std::string text;
  for (const StageFit& stage : fit.stages) {
    for (const auto& [name, value] : stage.beside) {
      const bool heuristic = name == "heuristic";
      const std::string source = heuristic ? "" : name.substr(name.find('.') + 1);
      text += heuristic
                  ? fmt::format("{}: kernels chosen by a rule reach {:.2f} of the others' rate\n",
                                stage.name, value)
                  : fmt::format("{}: measuring adds {:.1f} us{}{}\n", stage.name, value * kMicro,
                                source.empty() ? "" : ", ", source);
    }
  }
  return text.empty() ? "" : "fitted beside, not kept:\n" + text;
}

double shown(const std::string& path, double value) {
  return path == "recurrent.step" ? value * kMicro : value;
}

std::string number_table(const OperationsReport& report) {
  std::string text = fmt::format("{:<30}{:>10}{:>10}{:>7}{:>8}  {}\n", "number", "before", "after",
                                 "rows", "error", "architecture");
  for (const StageFit& stage : report.fit.stages) {
    for (const FittedNumber& number : stage.numbers) {
      ArchitectureParameters before = report.before.at(number.architectures.front());
      ArchitectureParameters after = report.fit.architectures.at(number.architectures.front());
      const bool time = number.path == "recurrent.step";
      text += fmt::format("{:<30}{:>10.4f}{:>10.4f}{:>7}{:>8.3f}  {}\n",
                          number.path + (time ? " (us)" : ""),
                          shown(number.path, fit_number(before, number.path)),
                          shown(number.path, fit_number(after, number.path)), number.rows,
                          number.error, fmt::join(number.architectures, ", "));
    }
  }
  return text;
}

std::string left_alone(const OperationsReport& report) {
  std::set<std::string> told;
  for (const StageFit& stage : report.fit.stages) {
    for (const FittedNumber& number : stage.numbers) told.insert(number.path);
  }
  const bool tensor = std::any_of(report.before.begin(), report.before.end(),
                                  [](const auto& each) { return each.second.tensor.has_value(); });
  std::vector<std::string> rest;
  for (const std::string& path : fitted_paths()) {
    if (!told.contains(path) && (tensor || !path.starts_with("tensor."))) rest.push_back(path);
  }
  std::string text = rest.empty() ? ""
                                  : fmt::format("no row tells about these, they stay: {}\n",
                                                fmt::join(rest, ", "));
  for (const auto& [group, rows] : report.fit.unused) {
    text += fmt::format("not used: {} rows, {}: the model has no numbers of their own for them\n",
                        rows, name_of(group));
  }
  return text;
}

}  // namespace

std::string operations_report(const OperationsReport& report) {
  const std::vector<GroupErrors> errors = all_errors(report.fit);
  std::size_t fitting = 0;
  std::size_t held = 0;
  for (const GroupErrors& each : errors) {
    fitting += each.fit_after.rows;
    held += each.held_after.rows;
  }
  const std::string verdict = verdicts(errors);
  return fmt::format("{}: {} rows fit, {} are held out by their shape\n", report.table, fitting,
                     held) +
         "mean |predicted / measured - 1| by the numbers there were (before) and by the fitted "
         "ones "
         "(after)\n\n" +
         error_table(errors) + (verdict.empty() ? "" : "\n" + verdict) + "\n" +
         number_table(report) +
         "rows: whose price the number changes; error: their mean |log(predicted / measured)|\n\n" +
         left_alone(report) + beside(report.fit);
}

}  // namespace ooc
