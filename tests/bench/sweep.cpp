// How many configurations a second does a sweep work out, on one thread and on two, and does its memory grow with their
// number? VGG-16 under `capacity` along the link, rows written as CSV into nothing; against a loop of predictions
// that share the graph but nothing else, and against the rates of two other models.
#include "simulator/predict/sweep.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <functional>
#include <stdexcept>
#include <utility>

#include "cli/sweep/grid.hpp"
#include "cli/sweep/rows.hpp"
#include "tests/bench/benchmark.hpp"

namespace ooc {

namespace {

using namespace bench;

constexpr std::size_t kRows = 30'000;
constexpr std::size_t kManyRows = 1'000'000;
constexpr std::size_t kFewRows = 1'000;
constexpr int kRepetitions = 5;

// Both measured once, on a machine that was not recorded, with their authors' programs (Python): these ratios say the order
// of magnitude. PALEO: 1.9 ms for VGG-16 in a running process, a chain of layers on one device, a sum of times, no memory.
constexpr double kPaleoRate = 530;
// Calculon: a core of its search over ways to split a language model, a closed form for each.
constexpr double kCalculonRate = 135;

/// So many links, in steps of 100 MB/s from 1 GB/s on, times so many budgets from 12 GiB on.
SweepGrid grid_of(std::size_t links, std::size_t budgets) {
  SweepLists lists;
  lists.networks = {"vgg16"};
  lists.hardware = {"v100-16gb-pcie3"};
  lists.schedules = {find_schedule("capacity")};
  lists.of("--batch") = {256};
  for (std::size_t i = 0; i < links; ++i) {
    lists.of("--link").push_back(1'000'000'000 + static_cast<std::int64_t>(i) * 100'000'000);
  }
  for (std::size_t i = 0; i < budgets; ++i) {
    lists.of("--memory")
        .push_back((std::int64_t{12} << 30) + static_cast<std::int64_t>(i) * (1 << 20));
  }
  return SweepGrid(std::move(lists));
}

std::size_t run_rows(const SweepGrid& grid, const SweepInputs& inputs, unsigned threads) {
  std::size_t bytes = 0;
  const SweepSummary summary =
      run_sweep({.grid = grid,
                 .inputs = inputs,
                 .format = find_sweep_format("csv")->rows,
                 .threads = threads,
                 .range = {.begin = 0, .end = grid.rows()}},
                {.write = [&](std::string_view text, const SweepSummary&) { bytes += text.size(); },
                 .stop = [] { return false; }});
  if (summary.fitting != grid.rows()) throw std::runtime_error("every row fits");
  return bytes;
}

double seconds_of(clockid_t clock) {
  std::timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The median of some runs, by that clock: CPU time of all threads, or time on the wall.
template <class Work>
double seconds(clockid_t clock, Work work) {
  work();
  std::array<double, kRepetitions> times{};
  for (double& time : times) {
    const double start = seconds_of(clock);
    work();
    time = seconds_of(clock) - start;
  }
  std::nth_element(times.begin(), times.begin() + kRepetitions / 2, times.end());
  return times[kRepetitions / 2];
}

/// What predict makes for each link, short of its layers: costs, plan, run and bounds.
void loop_of_predictions(const SweepGrid& grid, const SweepInputs& inputs, std::size_t rows) {
  for (std::size_t row = 0; row < rows; ++row) {
    const auto which = make_costs(grid, inputs, row * (grid.rows() / rows));
    const RunReport report = predict(*which, *grid.lists().schedules.front(), Detail::kTotals);
    consume(&report);
  }
}

/// main() pins the process to one CPU: threads want the others.
void unpinned(const std::function<void()>& work) {
  cpu_set_t pinned;
  cpu_set_t all;
  CPU_ZERO(&all);
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &all);
  const bool known = sched_getaffinity(0, sizeof pinned, &pinned) == 0;
  sched_setaffinity(0, sizeof all, &all);
  work();
  if (known) sched_setaffinity(0, sizeof pinned, &pinned);
}

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void measure_speed(const SweepGrid& grid, const SweepInputs& inputs, Report& report) {
  const double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID, [&] { run_rows(grid, inputs, 1); });
  const double rate = static_cast<double>(grid.rows()) / cpu;
  constexpr std::size_t kPredictions = 200;
  const double loop =
      seconds(CLOCK_PROCESS_CPUTIME_ID, [&] { loop_of_predictions(grid, inputs, kPredictions); });
  report.add("rows along the link, one thread", rate, "rows/s", at_least(150'000));
  report.add("sweep / loop of predictions", rate * loop / kPredictions, "x", at_least(10));
  report.add("sweep / PALEO (530/s: VGG-16 in its process)", rate / kPaleoRate, "x");
  report.add("sweep / Calculon (135/s: its search, a core)", rate / kCalculonRate, "x");
  unpinned([&] {
    // Needs no idle machine: what threads cost each other.
    const double both = seconds(CLOCK_PROCESS_CPUTIME_ID, [&] { run_rows(grid, inputs, 2); });
    report.add("CPU time on two threads / on one", both / cpu, "x");
    const double one = seconds(CLOCK_MONOTONIC, [&] { run_rows(grid, inputs, 1); });
    const double two = seconds(CLOCK_MONOTONIC, [&] { run_rows(grid, inputs, 2); });
    report.add("time on one thread / on two, idle machine", one / two, "x", at_least(1.8));
  });
}

void measure_memory(const SweepInputs& inputs, Report& report) {
  run_rows(grid_of(kFewRows, 1), inputs, 2);
  const double before = peak_mib();
  run_rows(grid_of(kFewRows, kManyRows / kFewRows), inputs, 2);
  report.add("memory that 10^6 rows take beside 10^3", peak_mib() - before, "MiB", at_most(1));
}

void run(Report& report) {
  const SweepGrid grid = grid_of(kRows, 1);
  const SweepInputs inputs = load_sweep(grid, {});
  measure_speed(grid, inputs, report);
  measure_memory(inputs, report);
}

}  // namespace

extern const Benchmark sweep_benchmark{
    "sweep", "what does one row of a sweep cost, and do many cost memory?", &run};

}  // namespace ooc
