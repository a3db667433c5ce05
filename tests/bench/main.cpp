// Runs the benchmarks and prints one table.
//   ooc_bench [--only NAME]... [--json FILE]
// The process pins itself to one CPU and keeps freed memory, as a sweep does: page faults belong to the
// machine. Times are CPU times. The exit status says whether the results were right, never how fast.
#include <fmt/core.h>
#include <malloc.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "tests/bench/benchmark.hpp"

namespace {

using namespace ooc::bench;
using ooc::benchmarks;

/// To the last CPU this process may use: the first ones get most interrupts.
void pin() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (std::size_t cpu = CPU_SETSIZE; cpu-- > 0;) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0) return;
  }
}

std::string goal_text(const Row& row) {
  if (!row.goal) return "";
  const char* sign = row.goal->kind == Goal::Kind::kAtMost ? "<=" : ">=";
  return fmt::format("{} {:g}  {}", sign, row.goal->bound, met(row) ? "met" : "MISSED");
}

void print(const Benchmark& benchmark, const Report& report) {
  fmt::print("\n{}: {}\n", benchmark.name, benchmark.question);
  for (const Row& row : report.rows()) {
    fmt::print("  {:<52} {:>12.2f} {:<8} {}\n", row.what, row.value, row.unit, goal_text(row));
  }
  for (const std::string& note : report.notes()) fmt::print("  {}\n", note);
  std::fflush(stdout);
}

std::string json_row(const Benchmark& benchmark, const Row& row) {
  std::string text =
      fmt::format(R"({{"benchmark": "{}", "what": "{}", "value": {:.6g}, "unit": "{}")",
                  benchmark.name, row.what, row.value, row.unit);
  if (row.goal) {
    text += fmt::format(R"(, "{}": {:g}, "met": {})",
                        row.goal->kind == Goal::Kind::kAtMost ? "at_most" : "at_least",
                        row.goal->bound, met(row));
  }
  return text + "}";
}

struct Arguments {
  std::vector<std::string> only;
  std::string json;
};

bool parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const bool has_value = i + 1 < argc;
    if (std::strcmp(argv[i], "--only") == 0 && has_value) {
      arguments.only.emplace_back(argv[++i]);
    } else if (std::strcmp(argv[i], "--json") == 0 && has_value) {
      arguments.json = argv[++i];
    } else {
      return false;
    }
  }
  return true;
}

int run(const Arguments& arguments) {
  std::string json;
  for (const Benchmark* benchmark : benchmarks()) {
    const auto& only = arguments.only;
    if (!only.empty() && std::find(only.begin(), only.end(), benchmark->name) == only.end())
      continue;
    Report report;
    benchmark->run(report);
    print(*benchmark, report);
    for (const Row& row : report.rows()) {
      json += (json.empty() ? "  " : ",\n  ") + json_row(*benchmark, row);
    }
  }
  if (arguments.json.empty()) return 0;
  std::ofstream file(arguments.json);
  file << "[\n" << json << "\n]\n";
  return file.good() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    fmt::print(stderr, "usage: ooc_bench [--only NAME]... [--json FILE]\nbenchmarks:");
    for (const Benchmark* benchmark : benchmarks()) fmt::print(stderr, " {}", benchmark->name);
    fmt::print(stderr, "\n");
    return 2;
  }
  pin();
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  try {
    return run(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
