// fit_operations OPERATIONS.csv [--start FOLDER] [--out FOLDER] [--seed N] [--starts N] [--evaluations N]
//                [--neutral] [--fix PATH]... [--verbose]
//
// Fits the numbers of the architectures that the table's GPUs are of, and prints errors before and after, on
// rows that fit and on the held-out fifth. It starts from the shipped numbers, or from those
// of --start, or from fixed ones (--neutral). With --out it writes the architectures with the new numbers (their
// provenance stays to be edited).
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/kernels/parameter_fields.hpp"
#include "tests/kernels/shipped_kernels.hpp"

using namespace ooc;

namespace {

struct Options {
  std::string table;
  std::string out;
  std::string start = test::shipped_architectures();
  bool verbose = false;
  OperationsFitOptions fit;
};

Options parse(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto next = [&] { return words.at(++i); };
    if (words[i] == "--out") {
      options.out = next();
    } else if (words[i] == "--start") {
      options.start = next();
    } else if (words[i] == "--neutral") {
      options.fit.from = FitStart::kNeutral;
    } else if (words[i] == "--starts") {
      options.fit.starts = std::stoi(next());
    } else if (words[i] == "--seed") {
      options.fit.seed = std::stoull(next());
    } else if (words[i] == "--evaluations") {
      options.fit.evaluations = std::stoi(next());
    } else if (words[i] == "--fix") {
      options.fit.fixed.push_back(next());
    } else if (words[i] == "--verbose") {
      options.verbose = true;
    } else {
      options.table = words[i];
    }
  }
  return options;
}

void print_errors(const char* title, const std::vector<GroupError>& errors) {
  fmt::print("  {}\n", title);
  for (const GroupError& error : errors) {
    fmt::print("    {:<52} n {:5}  mean {:5.1f} %  median {:5.1f} %  bias {:+6.1f} %\n",
               error.group, error.rows, 100 * error.mean, 100 * error.median, 100 * error.bias);
  }
}

void print_stage(const StageFit& stage, const OperationsFit& fit, bool verbose) {
  fmt::print("{}: {} rows, loss {:.4f} -> {:.4f}, held out {:.4f} -> {:.4f}; starts", stage.name,
             stage.rows, stage.before, stage.after, stage.held_before, stage.held_after);
  for (const double start : stage.starts) fmt::print(" {:.4f}", start);
  fmt::print("\n");
  for (const std::string& path : stage.paths) {
    if (find_parameter_field(path) == nullptr) fmt::print("  {}", path);
    for (auto [name, numbers] : fit.architectures) {
      if (path.starts_with("tensor") && !numbers.tensor) continue;
      if (name != "pascal" && name != "volta") continue;
      if (const ParameterField* field = find_parameter_field(path)) {
        fmt::print("  {} {} {:.4f}", path, name, field->of(numbers));
      }
    }
    fmt::print("\n");
  }
  for (const auto& [name, value] : stage.beside) fmt::print("  beside: {} {:.3g}\n", name, value);
  if (!verbose) return;
  print_errors("rows that fit", stage.fit_errors);
  print_errors("held out", stage.held_errors);
}

/// Whether an entry of its own speaks for a number below one that is inherited.
bool has_own(const Architecture& architecture, const std::string& path) {
  return std::any_of(architecture.provenance.begin(), architecture.provenance.end(),
                     [&](const Provenance& each) { return each.fields == path; });
}

/// Sections that are said to be another architecture's follow it.
void inherit(std::map<std::string, Architecture>& architectures) {
  for (auto& [name, heir] : architectures) {
    for (const Provenance& entry : heir.provenance) {
      if (entry.inherits.empty()) continue;
      ArchitectureParameters giver = architectures.at(entry.inherits).parameters;
      for (const ParameterField& field : parameter_fields()) {
        const std::string path = fmt::format("{}.{}", field.section, field.name);
        const bool named =
            entry.fields == path || (entry.fields == field.section && !has_own(heir, path));
        if (named) field.of(heir.parameters) = field.of(giver);
      }
      if (entry.fields == "recurrent") {
        heir.parameters.recurrent.step_seconds = giver.recurrent.step_seconds;
      }
    }
  }
}

void run(const Options& options) {
  const auto operations = read_operations(test::text_of_file(options.table), options.table);
  auto shipped = test::read_architectures(options.start);
  std::map<std::string, ArchitectureParameters> start;
  for (const auto& [name, architecture] : shipped) start[name] = architecture.parameters;
  const OperationsFit fit = fit_operations(operations, test::table_machines(), start, options.fit);
  for (const StageFit& stage : fit.stages) print_stage(stage, fit, options.verbose);
  if (options.out.empty()) return;
  for (auto& [name, architecture] : shipped) {
    architecture.parameters = fit.architectures.at(name);
  }
  inherit(shipped);
  for (const auto& [name, architecture] : shipped) {
    std::ofstream(options.out + "/" + name + ".json") << write_architecture(architecture);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse(std::vector<std::string>(argv + 1, argv + argc)));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}
