// Measuring, and the arithmetic of reports.
#include "tests/bench/benchmark.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>

namespace ooc::bench {

namespace {

constexpr std::size_t kRepetitions = 11;
constexpr double kRepetitionNs = 8e6;

double cpu_now() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

double time_calls(const std::function<void()>& work, std::size_t calls) {
  const double start = cpu_now();
  for (std::size_t call = 0; call < calls; ++call) work();
  return (cpu_now() - start) / static_cast<double>(calls);
}

}  // namespace

void Report::add(std::string what, double value, std::string unit, std::optional<Goal> goal) {
  rows_.push_back({std::move(what), value, std::move(unit), goal});
}

void Report::skip(std::string what, std::string why) {
  notes_.push_back(std::move(what) + ": not measured, " + std::move(why));
}

bool met(const Row& row) {
  if (!row.goal) return true;
  return row.goal->kind == Goal::Kind::kAtMost ? row.value <= row.goal->bound
                                               : row.value >= row.goal->bound;
}

std::vector<double> cpu_ns(std::span<const std::function<void()>> works) {
  std::vector<std::size_t> calls;
  for (const auto& work : works) {
    work();  // warm
    const double once = std::max(time_calls(work, 1), 1.0);
    calls.push_back(static_cast<std::size_t>(std::max(1.0, kRepetitionNs / once)));
  }
  std::vector<std::vector<double>> samples(works.size());
  for (std::size_t repetition = 0; repetition < kRepetitions; ++repetition) {
    for (std::size_t work = 0; work < works.size(); ++work) {
      samples[work].push_back(time_calls(works[work], calls[work]));
    }
  }
  std::vector<double> medians;
  for (auto& times : samples) {
    const auto middle = times.begin() + kRepetitions / 2;
    std::nth_element(times.begin(), middle, times.end());
    medians.push_back(*middle);
  }
  return medians;
}

double cpu_ns(const std::function<void()>& work) { return cpu_ns(std::span(&work, 1)).front(); }

double exponent(std::span<const double> x, std::span<const double> y) {
  const auto count = static_cast<double>(x.size());
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double log_x = std::log(x[i]);
    const double log_y = std::log(y[i]);
    sum_x += log_x;
    sum_y += log_y;
    sum_xx += log_x * log_x;
    sum_xy += log_x * log_y;
  }
  return (count * sum_xy - sum_x * sum_y) / (count * sum_xx - sum_x * sum_x);
}

void consume(const void* result) { asm volatile("" : : "r"(result) : "memory"); }

}  // namespace ooc::bench
