// Medians and lines. See replay_results.hpp.
#include "calibrate/gpu/replay/results.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace ooc::gpu {

void ReplayResults::add(ReplayTimes times) {
  output_.send(LineBuilder("iteration")
                   .add("id", id_)
                   .add("iteration", static_cast<std::int64_t>(all_.size()))
                   .add_ns("ns", times.ns)
                   .add_ns("issue_ns", times.issue_ns)
                   .add_ns("host_ns", times.host_ns));
  all_.push_back(std::move(times));
}

const ReplayTimes& ReplayResults::median_iteration() const {
  std::vector<std::size_t> order(all_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [this](std::size_t a, std::size_t b) { return all_[a].ns < all_[b].ns; });
  return all_[order[(order.size() - 1) / 2]];
}

std::vector<double> ReplayResults::durations(std::size_t step) const {
  std::vector<double> found;
  for (const ReplayTimes& times : all_) found.push_back(times.end[step] - times.start[step]);
  std::sort(found.begin(), found.end());
  return found;
}

void ReplayResults::send_spans() const {
  const ReplayTimes& median = median_iteration();
  for (std::size_t step = 0; step < median.start.size(); ++step) {
    const std::vector<double> sorted = durations(step);
    output_.send(LineBuilder("span")
                     .add("id", id_)
                     .add("step", static_cast<std::int64_t>(step))
                     .add_ns("start_ns", median.start[step])
                     .add_ns("end_ns", median.end[step])
                     .add_ns("median_ns", sorted[(sorted.size() - 1) / 2])
                     .add_ns("min_ns", sorted.front())
                     .add_ns("max_ns", sorted.back()));
  }
}

void ReplayResults::note(const std::string& text) const {
  output_.send(LineBuilder("note").add("id", id_).add("text", text));
}

}  // namespace ooc::gpu
