// Starts and ends are differences to the value before them in their column: three digits where instants have ten.
#include "reports/writers/timeline_data.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/json_writer.hpp"
#include "simulator/plan/plan_text.hpp"
#include "simulator/summary/memory_use.hpp"

namespace ooc {
namespace {

constexpr std::size_t kMostText = 800'000;  // bytes: no further device is begun behind them

/// A column of instants.
class Differences {
 public:
  void add(Duration instant) {
    column_.push_back((instant - before_).count());
    before_ = instant;
  }
  [[nodiscard]] const std::vector<std::int64_t>& column() const { return column_; }

 private:
  std::vector<std::int64_t> column_;
  Duration before_;
};

class TimelineColumns {
 public:
  explicit TimelineColumns(const TraceInput& input) : in_(input), place_(input.plan.steps.size()) {}

  std::string text() && {
    json_.begin_object().member("format", "ooc-paleo/timeline").member("version", 1);
    json_.member("devices", in_.plan.devices);
    json_.member("iteration_time_ns", in_.timeline.iteration_time);
    json_.member("budget_near_bytes", in_.inputs.memory);
    json_.begin_list("timelines");
    for (const int device : slowest_first()) {
      if (text_.size() > kMostText) break;
      device_ = device;
      json_.begin_object().member("device", device);
      put_queues();
      put_stalls();
      put_memory();
      json_.end();
    }
    json_.end();
    put_names();
    json_.end();
    return std::move(text_);
  }

 private:
  /// What a stall names has its place in the text: queue and index.
  struct Place {
    StepKind queue = StepKind::kCompute;
    std::size_t index = 0;
  };

  /// By the end of compute; of equals the first.
  [[nodiscard]] std::vector<int> slowest_first() const {
    std::vector<std::pair<Duration, int>> ends;
    for (int device = 0; device < in_.plan.devices; ++device) {
      const auto queue = static_cast<std::size_t>(queue_index(device, StepKind::kCompute));
      const std::vector<StepId>& steps = in_.plan.queues[queue];
      ends.emplace_back(
          steps.empty() ? Duration(0) : Duration(0) - in_.timeline.spans[steps.back().at()].end,
          device);
    }
    std::sort(ends.begin(), ends.end());
    std::vector<int> devices;
    for (const auto& [end, device] : ends) devices.push_back(device);
    return devices;
  }

  void put_queues() {
    json_.begin_object("queues");
    for (const StepKind kind :
         {StepKind::kCompute, StepKind::kToFar, StepKind::kToNear, StepKind::kFarCompute}) {
      const auto queue = static_cast<std::size_t>(queue_index(device_, kind));
      if (kind == StepKind::kFarCompute && !in_.plan.has_far_compute()) continue;
      if (queue < in_.plan.queues.size()) put_queue(kind, in_.plan.queues[queue]);
    }
    json_.end();
  }

  void put_queue(StepKind kind, const std::vector<StepId>& steps) {
    Differences starts;
    Differences ends;
    std::vector<std::size_t> names;
    std::vector<std::int64_t> rounds;
    std::vector<std::int64_t> bytes;
    std::vector<std::size_t> again;
    for (const StepId id : steps) {
      const Step& step = in_.plan.steps[id.at()];
      const Span& span = in_.timeline.spans[id.at()];
      place_[id.at()] = {.queue = kind, .index = names.size()};
      if (runs_task(step.kind) && step.recompute) again.push_back(names.size());
      const auto [name, round] = name_of(id);
      names.push_back(name);
      rounds.push_back(round);
      starts.add(span.start);
      ends.add(span.end);
      if (!runs_task(step.kind)) {
        bytes.push_back(in_.costs.tensor_bytes[static_cast<std::size_t>(step.object)].count());
      }
    }
    json_.begin_object(queue_name(kind)).member("name", names);
    json_.member("start_ns_differences", starts.column());
    json_.member("end_ns_differences", ends.column());
    if (std::any_of(rounds.begin(), rounds.end(), [](auto each) { return each != 0; })) {
      json_.member("round", rounds);
    }
    if (!bytes.empty()) json_.member("bytes", bytes);
    if (!again.empty()) json_.member("recomputed", again);
    json_.end();
  }

  /// The places of names that end in a round, "conv1.forward@12", are those without it: there are few of them.
  std::pair<std::size_t, std::int64_t> name_of(StepId id) {
    std::string name = step_name(in_.plan, in_.graph, id);
    std::int64_t round = 0;
    const std::size_t at = name.rfind('@');
    constexpr std::size_t kMostDigits = 9;
    if (at != std::string::npos && at + 1 < name.size() && name[at + 1] != '0' &&
        name.size() - at - 1 <= kMostDigits &&
        name.find_first_not_of("0123456789", at + 1) == std::string::npos) {
      round = std::stoll(name.substr(at + 1));
      name.erase(at);
    }
    const auto [entry, is_new] = places_of_names_.emplace(std::move(name), names_.size());
    if (is_new) names_.push_back(&entry->first);
    return {entry->second, round};
  }

  void put_names() {
    json_.begin_list("names");
    for (const std::string* name : names_) json_.value(*name);
    json_.end();
  }

  void put_stalls() {
    Differences starts;
    Differences ends;
    std::vector<std::string_view> causes;
    std::vector<std::size_t> cause;
    std::vector<std::optional<std::size_t>> before;
    std::vector<std::optional<std::size_t>> culprits;
    std::vector<std::int64_t> rounds;
    for (const Stall& stall : in_.timeline.stalls) {
      if (stall.device != device_) continue;
      const auto known = std::find(causes.begin(), causes.end(), stall_name(stall.cause));
      cause.push_back(static_cast<std::size_t>(known - causes.begin()));
      if (known == causes.end()) causes.push_back(stall_name(stall.cause));
      starts.add(stall.start);
      ends.add(stall.end);
      before.push_back(stall.before ? std::optional(place_[stall.before->at()].index)
                                    : std::nullopt);
      const auto culprit = stall.culprit ? std::optional(name_of(*stall.culprit)) : std::nullopt;
      culprits.push_back(culprit ? std::optional(culprit->first) : std::nullopt);
      rounds.push_back(culprit ? culprit->second : 0);
    }
    json_.begin_object("stalls").member("causes", causes).member("cause", cause);
    json_.member("start_ns_differences", starts.column());
    json_.member("end_ns_differences", ends.column());
    json_.member("before_compute", before).member("because_of", culprits);
    if (std::any_of(rounds.begin(), rounds.end(), [](auto each) { return each != 0; })) {
      json_.member("round", rounds);
    }
    json_.end();
  }

  void put_memory() {
    const std::vector<MemorySample>& samples = near_[static_cast<std::size_t>(device_)];
    Differences instants;
    for (const MemorySample& sample : samples) instants.add(sample.at);
    json_.begin_object("near_memory").member("at_ns_differences", instants.column());
    json_.begin_object("bytes_changes");
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
      std::vector<std::size_t> later;
      std::vector<std::int64_t> differences;
      std::int64_t held = 0;
      std::size_t changed = 0;
      for (std::size_t at = 0; at < samples.size(); ++at) {
        const std::int64_t bytes = samples[at].held.bytes[i].count();
        if (bytes == held) continue;
        later.push_back(at - changed);
        differences.push_back(bytes - held);
        changed = at;
        held = bytes;
      }
      if (later.empty()) continue;
      json_.begin_object(category_name(static_cast<MemoryCategory>(i)));
      json_.member("samples_later", later).member("difference", differences).end();
    }
    json_.end().end();
  }

  const TraceInput& in_;
  const std::vector<std::vector<MemorySample>> near_ =
      near_memory_over_time(in_.plan, in_.graph, in_.timeline);
  int device_ = 0;  ///< whose columns are written
  std::vector<Place> place_;
  std::map<std::string, std::size_t> places_of_names_;
  std::vector<const std::string*> names_;
  std::string text_;
  JsonWriter json_{text_, JsonLayout::kCompact};
};

}  // namespace

std::string timeline_data(const TraceInput& input) { return TimelineColumns(input).text(); }

}  // namespace ooc
