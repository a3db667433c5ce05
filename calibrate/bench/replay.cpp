// A plan's copies for real, its computing steps as kernels that last as long as predicted: whether the schedule, the waits
// and the link are as the simulation has them. What is copied has no meaning, so no plan needs its tensors' addresses:
// copies walk through one near and one pinned buffer. One stream a queue, events for waits, two events a step.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <deque>
#include <sstream>
#include <stdexcept>

#include "calibrate/bench/job.hpp"

namespace ooc::bench {
namespace {

constexpr const char* kKindNames[] = {"spin", "busy", "to_far", "to_near"};
constexpr std::size_t kMostSteps = 1'000'000;
constexpr std::int64_t kMostNs = 10'000'000'000'000;
constexpr std::size_t kBusyBytes = std::size_t{256} << 20;  // beyond every cache
constexpr std::size_t kArenaBytes = std::size_t{1} << 30;   // if no copy is larger
constexpr double kHeadStartNs = 50e3;  // the first steps are queued while a kernel this long runs

std::size_t queue_of(StepKind kind) {
  return kind == StepKind::kToFar ? 1 : kind == StepKind::kToNear ? 2 : 0;
}

std::runtime_error unexpected(const std::string& found, const std::string& expected) {
  return std::runtime_error("found '" + found + "', expected " + expected);
}

Step read_step(std::istringstream& words, std::size_t number) {
  Step step;
  std::string kind;
  std::string waits;
  words >> kind >> step.amount >> waits;
  const auto* found = std::find(std::begin(kKindNames), std::end(kKindNames), kind);
  if (found == std::end(kKindNames)) throw unexpected(kind, "spin, busy, to_far or to_near");
  step.kind = static_cast<StepKind>(found - std::begin(kKindNames));
  if (!words || step.amount < 0 || step.amount > kMostNs)
    throw unexpected(waits, "an amount, then waits");
  std::istringstream list(waits == "-" ? "" : waits);
  for (std::string each; std::getline(list, each, ',');) {
    char* end = nullptr;
    const unsigned long wait = std::strtoul(each.c_str(), &end, 10);
    if (each.empty() || *end != '\0' || wait >= number) throw unexpected(each, "an earlier step");
    step.waits.push_back(wait);
  }
  return step;
}

Plan read_head(const std::string& line, std::size_t& steps) {
  Plan plan;
  long long id = -1;
  const int read =
      std::sscanf(line.c_str(), "plan id=%lld steps=%zu iterations=%d warmup=%d max_ms=%lf", &id,
                  &steps, &plan.iterations, &plan.warmup, &plan.max_ms);
  if (read < 3 || id < 0 || steps < 1 || steps > kMostSteps || plan.iterations < 1 ||
      plan.iterations > 10'000 || plan.warmup < 0 || plan.warmup > 10'000 || !(plan.max_ms >= 0)) {
    throw unexpected(line, "plan id=N steps=M iterations=20 warmup=3 max_ms=30000");
  }
  plan.id = std::to_string(id);
  return plan;
}

// Where copies go: one buffer through which they walk, back to its beginning where the end is reached.
struct Walk {
  void* next(std::size_t size) {
    if (at + size > bytes) at = 0;
    void* place = memory + at;
    at += (size + 511) / 512 * 512;
    return place;
  }
  char* memory;
  std::size_t bytes;
  std::size_t at = 0;
};

struct Times {
  double ns = 0;
  double issue_ns = 0;
  double host_ns = 0;
  std::vector<double> start;
  std::vector<double> end;
};

class Runner {
 public:
  // Buffers are at most a third of what is free, and at least the largest copy.
  Runner(Job& job, const Plan& plan)
      : plan_(plan),
        multiprocessors_(job.machine().multiprocessors),
        starts_(plan.steps.size()),
        ends_(plan.steps.size()) {
    std::size_t arena =
        std::min({job.machine().free_bytes / 3, available_host_bytes() / 3, kArenaBytes});
    bool busy = false;
    for (const Step& step : plan.steps) {
      if (queue_of(step.kind) != 0) arena = std::max(arena, static_cast<std::size_t>(step.amount));
      busy = busy || step.kind == StepKind::kBusy;
    }
    const Buffer& near = job.buffer(Place::kNear, 0, arena);
    const Buffer& far = job.buffer(Place::kPinned, 0, arena);
    near_ = {static_cast<char*>(near.get()), near.bytes()};
    far_ = {static_cast<char*>(far.get()), far.bytes()};
    job.set_result("near_bytes", static_cast<std::int64_t>(near.bytes()));
    job.set_result("far_bytes", static_cast<std::int64_t>(far.bytes()));
    if (busy) {
      source_ = job.near(1, kBusyBytes);
      target_ = job.near(2, kBusyBytes);
    }
    std::vector<double> empty;
    Timer timer;
    for (int i = 0; i < 61; ++i) {
      const double ns = timer.time_ns(
          true, [](const Stream& stream) { OOC_GPU_CHECK(launch_spin(stream.get(), 0)); });
      if (i >= 10) empty.push_back(ns);
    }
    overhead_ns_ = median_of(empty) + job.machine().timer_tick_ns / 2;
    job.set_result("spin_overhead_ns", std::lround(overhead_ns_));
  }
  ~Runner() { OOC_GPU_REPORT(cudaDeviceSynchronize()); }  // before the events go
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  double overhead_ns() const { return overhead_ns_; }

  // From an idle device to an idle device. Queued ahead without a gate: behind a shut one a launch queue that is
  // full would never take the rest. A plan whose steps are shorter than the calls that queue them is
  // limited by the host, which issue_ns near ns shows.
  Times run() {
    Times times;
    const double before = host_now_ns();
    OOC_GPU_CHECK(launch_spin(streams_[0].get(), kHeadStartNs));
    start_.record(streams_[0]);
    for (std::size_t i = 1; i < streams_.size(); ++i) streams_[i].wait_for(start_.get());
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) queue(i);
    times.issue_ns = host_now_ns() - before;
    for (const Stream& stream : streams_) stream.wait();
    times.host_ns = host_now_ns() - before;
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      times.start.push_back(elapsed_ns(start_, starts_[i]));
      times.end.push_back(elapsed_ns(start_, ends_[i]));
    }
    const double first = *std::min_element(times.start.begin(), times.start.end());
    for (double& ns : times.start) ns -= first;
    for (double& ns : times.end) ns -= first;
    times.ns = *std::max_element(times.end.begin(), times.end.end());
    return times;
  }

 private:
  void queue(std::size_t number) {
    const Step& step = plan_.steps[number];
    const Stream& own = streams_[queue_of(step.kind)];
    for (const std::size_t wait : step.waits) own.wait_for(ends_[wait].get());
    starts_[number].record(own);
    const double ns = std::max(0.0, static_cast<double>(step.amount) - overhead_ns_);
    const auto bytes = static_cast<std::size_t>(step.amount);
    if (step.amount == 0) {
    } else if (queue_of(step.kind) != 0) {
      queue_copy(own, step.kind == StepKind::kToNear, near_.next(bytes), far_.next(bytes), bytes);
    } else if (step.kind == StepKind::kBusy) {
      OOC_GPU_CHECK(launch_busy(own.get(), ns, multiprocessors_, source_, target_, kBusyBytes));
    } else {
      OOC_GPU_CHECK(launch_spin(own.get(), ns));
    }
    ends_[number].record(own);
  }

  const Plan& plan_;
  int multiprocessors_;
  Walk near_{}, far_{};
  void* source_ = nullptr;
  void* target_ = nullptr;
  double overhead_ns_ = 0;
  std::array<Stream, 3> streams_;
  Event start_;  // from which all streams go
  // Used again in every iteration: a wait means the record before it in queueing order.
  std::deque<Event> starts_;
  std::deque<Event> ends_;
};

void send_times(const Job& job, std::vector<Times> all) {
  const auto list = [&all](double Times::*member) {
    std::vector<double> values;
    for (const Times& each : all) values.push_back(each.*member);
    return values;
  };
  job.output().send(Record("iterations")
                        .text("request", job.request().text())
                        .list("ns", list(&Times::ns))
                        .list("issue_ns", list(&Times::issue_ns))
                        .list("host_ns", list(&Times::host_ns)));
  std::stable_sort(all.begin(), all.end(),
                   [](const Times& a, const Times& b) { return a.ns < b.ns; });
  const Times& median = all[(all.size() - 1) / 2];
  std::vector<double> middle, least, most;
  for (std::size_t step = 0; step < median.start.size(); ++step) {
    std::vector<double> durations;
    for (const Times& each : all) durations.push_back(each.end[step] - each.start[step]);
    std::sort(durations.begin(), durations.end());
    middle.push_back(durations[(durations.size() - 1) / 2]);
    least.push_back(durations.front());
    most.push_back(durations.back());
  }
  job.output().send(Record("spans")
                        .text("request", job.request().text())
                        .list("start_ns", median.start)
                        .list("end_ns", median.end)
                        .list("median_ns", middle)
                        .list("min_ns", least)
                        .list("max_ns", most));
}

}  // namespace

std::vector<std::shared_ptr<const Plan>> read_plans(std::istream& text, const std::string& file) {
  std::vector<std::shared_ptr<const Plan>> plans;
  Plan plan;
  std::size_t open = 0;  // steps still to come
  std::size_t number = 0;
  const auto fail = [&](const std::string& what) {
    throw std::runtime_error(file + ": line " + std::to_string(number) + ": " + what);
  };
  for (std::string line; std::getline(text, line);) {
    ++number;
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first.empty() || first[0] == '#') continue;
    try {
      if (first == "plan" && open == 0) {
        plan = read_head(line, open);
      } else if (first == "step" && open > 0) {
        plan.steps.push_back(read_step(words, plan.steps.size()));
        if (--open == 0) plans.push_back(std::make_shared<const Plan>(std::move(plan)));
      } else {
        fail("found '" + first + "', expected " + (open > 0 ? "a step" : "a plan"));
      }
    } catch (const std::runtime_error& error) {
      if (std::string(error.what()).rfind(file, 0) == 0) throw;
      fail(error.what());
    }
  }
  if (open > 0) fail(std::to_string(open) + " steps are missing at the end");
  return plans;
}

void measure_replay(Job& job) {
  const Plan& plan = *job.request().plan;
  Runner runner(job, plan);
  const auto short_steps =
      std::count_if(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
        return queue_of(step.kind) == 0 && step.amount > 0 &&
               static_cast<double>(step.amount) < runner.overhead_ns();
      });
  if (short_steps > 0) {
    job.note(std::to_string(short_steps) +
             " steps are shorter than an empty kernel and last as long as that");
  }
  const double begin = host_now_ns();
  const auto is_late = [&] { return host_now_ns() - begin > plan.max_ms * 1e6; };
  for (int i = 0; i < plan.warmup && !is_late(); ++i) runner.run();
  std::vector<Times> all;
  while (static_cast<int>(all.size()) < plan.iterations && (all.size() < 3 || !is_late())) {
    all.push_back(runner.run());
  }
  std::vector<double> issued;
  for (const Times& each : all) issued.push_back(each.issue_ns / each.ns);
  const double share = median_of(std::move(issued));
  if (share > 0.7) {
    job.note("limited by the host: queueing an iteration takes " +
             std::to_string(std::lround(100 * share)) + " % of its time");
  }
  send_times(job, std::move(all));
}

}  // namespace ooc::bench
