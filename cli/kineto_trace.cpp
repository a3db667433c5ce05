// What ran belongs to the operator on whose thread, and within whose time, it was launched. What autograd runs has the
// sequence number of the forward operator; of several with one number the last made the node. Categories are spelled
// as PyTorch 1.9 to 2.x do.
#include "cli/kineto_trace.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <istream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <streambuf>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "cli/locate.hpp"
#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/quantity_io.hpp"
#include "model/base/terminal_text.hpp"

namespace ooc {
namespace {

using Json = nlohmann::json;

/// Operator that the program called itself, or a range that the program named, with everything that ran within.
struct TracedCall {
  std::string name;  ///< name of the operator, "aten::conv2d", or of the range
  bool is_range = false;
  /// Time of kernels and copies on the device; in a trace without any, time of the operator on the host.
  double forward_us = 0;
  double backward_us = 0;     ///< as forward_us, of the backward operators that autograd ran
  bool has_backward = false;  ///< true: autograd ran backward operators for the call
};

struct KinetoTrace {
  std::vector<TracedCall> calls;  ///< forward calls in order, without optimizer steps
  double total_us = 0;            ///< sum of all forward and backward passes
};

/// Also files that are not compressed.
class GzipBuffer : public std::streambuf {
 public:
  explicit GzipBuffer(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "rb")) {
    if (!file_) fail("no file that can be read", "a trace of torch.profiler");
  }

  [[noreturn]] void fail(std::string found, std::string expected) const {
    throw SpecError({path_, "--layer-times", std::move(found), std::move(expected)});
  }

 protected:
  int_type underflow() override {
    const int count = gzread(file_.get(), buffer_.data(), static_cast<unsigned>(buffer_.size()));
    if (count < 0) fail("a damaged .gz file", "a whole one");
    if (count == 0) return traits_type::eof();
    setg(buffer_.data(), buffer_.data(), buffer_.data() + count);
    return traits_type::to_int_type(buffer_.front());
  }

 private:
  struct Close {
    void operator()(gzFile file) const { gzclose(file); }
  };
  const std::string& path_;
  std::unique_ptr<gzFile_s, Close> file_;
  std::array<char, std::size_t{1} << 16> buffer_{};
};

enum class Category { kOperator, kAnnotation, kPython, kLaunch, kDevice, kOther };

Category category_of(std::string_view text) {
  const std::string word = lower_case(text);
  constexpr std::pair<std::string_view, Category> kWords[] = {
      {"cpu_op", Category::kOperator},
      {"operator", Category::kOperator},
      {"user_annotation", Category::kAnnotation},
      {"python_function", Category::kPython},
      {"cuda_runtime", Category::kLaunch},
      {"cuda_driver", Category::kLaunch},
      {"runtime", Category::kLaunch},
      {"kernel", Category::kDevice},
      {"gpu_memcpy", Category::kDevice},
      {"gpu_memset", Category::kDevice},
      {"memcpy", Category::kDevice},
      {"memset", Category::kDevice}};
  const auto* found = find_named(kWords, word);
  return found == nullptr ? Category::kOther : found->second;
}

/// What of a thread's time is an operator's or a range's.
struct Range {
  std::int32_t thread = 0;
  std::int32_t name = 0;
  double start = 0;
  double end = 0;
  std::int64_t sequence = -1;  ///< -1: none
  bool is_backward = false;
  bool is_range = false;
  bool is_optimizer = false;
  std::optional<std::size_t> call = {};  ///< that its time counts for
};
struct Launch {
  std::int32_t thread = 0;
  double at = 0;
};

double number_in(const Json& object, const char* key, double unset) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : unset;
}

std::string text_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// -1: none.
std::int64_t whole_number_in(const Json& object, const char* key) {
  constexpr double kMostWhole = 9e15;  // whole numbers are exact below
  const double value = number_in(object, key, -1);
  return std::abs(value) < kMostWhole ? static_cast<std::int64_t>(value) : -1;
}

/// Keeps the events that matter.
class Events {
 public:
  explicit Events(const std::vector<std::string>& wanted) : wanted_(wanted.begin(), wanted.end()) {}

  std::vector<Range> ranges;
  std::unordered_map<std::int64_t, Launch> launches;       ///< by correlation
  std::vector<std::pair<std::int64_t, double>> on_device;  ///< correlation, duration
  std::map<std::string, std::int32_t, std::less<>> threads, names;

  /// Reads { "traceEvents": [ {...} ] }, an event at a time: traces are larger than memory should hold. Throws what the
  /// parser throws.
  void read(std::istream& stream) {
    bool in_events = false;
    const auto keep = [&](int depth, Json::parse_event_t parsed, const Json& value) {
      if (depth == 1 && parsed == Json::parse_event_t::key) {
        return in_events = value == "traceEvents";
      }
      if (depth != 2 || parsed != Json::parse_event_t::object_end) return true;
      if (in_events) add(value);
      return false;
    };
    [[maybe_unused]] const Json rest = Json::parse(stream, keep);
  }

 private:
  static constexpr double kMostMicroseconds = 1e9;  // of one operator, so that sums stay in range

  static std::int32_t number_of(std::map<std::string, std::int32_t, std::less<>>& known,
                                const std::string& text) {
    return known.emplace(text, static_cast<std::int32_t>(known.size())).first->second;
  }
  void add(const Json& event) {
    const Category category = category_of(text_in(event, "cat"));
    const double start = number_in(event, "ts", 0);
    const double length = std::min(number_in(event, "dur", 0), kMostMicroseconds);
    if (text_in(event, "ph") != "X" || length < 0 || category == Category::kOther) return;
    const auto found = event.find("args");
    const Json& args = found == event.end() ? event : *found;
    const std::int64_t correlation = whole_number_in(args, "correlation");
    if (category == Category::kDevice) {
      on_device.emplace_back(correlation, length);
      return;
    }
    const double number = number_in(event, "tid", -1);
    const std::int32_t thread =
        number_of(threads, number < 0 ? text_in(event, "tid") : fmt::format("{}", number));
    if (category == Category::kLaunch) {
      if (correlation >= 0) launches[correlation] = {thread, start};
      return;
    }
    std::string name = text_in(event, "name");
    constexpr std::string_view kModule = "nn.Module: ";
    if (category == Category::kPython) {
      if (!name.starts_with(kModule)) return;
      name = name.substr(kModule.size(), name.rfind('_') - kModule.size());
    }
    constexpr std::string_view kOptimizer = "Optimizer.";
    constexpr std::string_view kStep = "ProfilerStep#";  // an operator until PyTorch 1.9
    if (name.starts_with(kStep)) return;
    const bool is_operator = category == Category::kOperator;
    const bool is_optimizer = name.starts_with(kOptimizer);
    if (!is_operator && !is_optimizer && !wanted_.contains(name)) return;
    ranges.push_back({.thread = thread,
                      .name = number_of(names, name),
                      .start = start,
                      .end = start + length,
                      .sequence = whole_number_in(args, "Sequence number"),
                      .is_backward = whole_number_in(args, "Fwd thread id") > 0,
                      .is_range = !is_operator,
                      .is_optimizer = is_optimizer});
  }

  std::set<std::string, std::less<>> wanted_;
};

class Attribution {
 public:
  explicit Attribution(Events events) : events_(std::move(events)) {
    for (const auto& [name, number] : events_.names) names_[number] = name;
  }

  KinetoTrace run() && {
    keep_outermost();
    find_calls();
    if (events_.on_device.empty()) {
      for (const Range& each : ranges_) count(each, each.end - each.start);
    }
    for (const auto& [correlation, length] : events_.on_device) {
      const auto launch = events_.launches.find(correlation);
      const Range* range = launch == events_.launches.end() ? nullptr : range_at(launch->second);
      if (range != nullptr) count(*range, length);
    }
    return std::move(trace_);
  }

 private:
  /// Of operators within others the outermost; the sequence numbers of what it calls are its own, too.
  void keep_outermost() {
    std::vector<Range>& all = events_.ranges;
    std::ranges::sort(all, {}, [](const Range& each) {
      return std::tuple(each.thread, each.start, -each.end, !each.is_range);
    });
    for (const Range& each : all) {
      const bool within = !ranges_.empty() && ranges_.back().thread == each.thread &&
                          each.start < ranges_.back().end;
      if (!within) {
        ranges_.push_back(each);
        inner_.emplace_back();
      } else if (!ranges_.back().is_backward && !each.is_backward) {
        inner_.back().push_back(each.sequence);
      }
    }
  }

  void find_calls() {
    std::vector<std::size_t> forward;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      if (!ranges_[i].is_backward && !ranges_[i].is_optimizer) forward.push_back(i);
    }
    std::ranges::sort(forward, {}, [&](std::size_t each) { return ranges_[each].start; });
    std::unordered_map<std::int64_t, std::size_t> by_sequence;
    for (const std::size_t i : forward) {
      Range& range = ranges_[i];
      range.call = trace_.calls.size();
      trace_.calls.push_back({.name = names_[range.name], .is_range = range.is_range});
      for (const std::int64_t sequence : inner_[i]) by_sequence[sequence] = *range.call;
      by_sequence[range.sequence] = *range.call;
    }
    by_sequence.erase(-1);
    for (Range& range : ranges_) {
      const auto found = by_sequence.find(range.sequence);
      if (!range.is_backward || found == by_sequence.end()) continue;
      range.call = found->second;
      trace_.calls[found->second].has_backward = true;
    }
  }

  [[nodiscard]] const Range* range_at(const Launch& launch) const {
    const auto behind = std::ranges::upper_bound(
        ranges_, std::pair(launch.thread, launch.at), {},
        [](const Range& each) { return std::pair(each.thread, each.start); });
    if (behind == ranges_.begin()) return nullptr;
    const Range& range = *std::prev(behind);
    return range.thread == launch.thread && launch.at <= range.end ? &range : nullptr;
  }

  void count(const Range& range, double length) {
    if (range.is_optimizer) return;
    trace_.total_us += length;
    if (!range.call) return;
    TracedCall& call = trace_.calls[*range.call];
    (range.is_backward ? call.backward_us : call.forward_us) += length;
  }

  Events events_;
  std::map<std::int32_t, std::string> names_;
  std::vector<Range> ranges_;                     ///< by thread and start
  std::vector<std::vector<std::int64_t>> inner_;  ///< sequence numbers within each
  KinetoTrace trace_;
};

/// Calls of the trace. `ranges`: names of ranges, each of which counts as one call.
KinetoTrace read_calls(const std::string& path, const std::vector<std::string>& ranges) {
  GzipBuffer buffer(path);
  std::istream stream(&buffer);
  Events events(ranges);
  constexpr const char* kWhole = "a trace of torch.profiler, whole";
  try {
    events.read(stream);
  } catch (const Json::parse_error& error) {
    buffer.fail(fmt::format("no JSON at byte {}", error.byte), kWhole);
  } catch (const Json::exception&) {
    buffer.fail("a number that is too large", kWhole);
  }
  if (events.ranges.empty()) {
    buffer.fail("no operators", "the \"traceEvents\" of torch.profiler, with CPU activities");
  }
  return Attribution(std::move(events)).run();
}

/// Kinds of layers with their calls, without "aten::" and the "_" of what works in place; or classes of modules.
using TracedKinds = std::vector<std::pair<std::string, std::vector<std::string>>>;

TracedKinds traced_kinds() {
  const SpecDocument document = read_data_table("traced_calls");
  TracedKinds kinds;
  for (const auto& [kind, calls] : SpecView(document).members()) {
    kinds.emplace_back(kind, calls.as_texts());
  }
  return kinds;
}

std::string_view brief(std::string_view name) {
  constexpr std::string_view kAten = "aten::";
  if (name.starts_with(kAten)) name.remove_prefix(kAten.size());
  if (name.ends_with('_')) name.remove_suffix(1);
  return name;
}

class Matcher {
 public:
  Matcher(const std::string& file, const Network& network)
      : network_(network),
        file_(file),
        kinds_(traced_kinds()),
        trace_(read_calls(file, ranges())),
        forward_(network.layers.size()),
        backward_(network.layers.size()),
        times_(network.layers.size(), 0) {}

  TracedLayers run() && {
    match_names();
    std::map<std::string_view, OfOneKind> kinds;
    for (const auto& [kind, calls] : kinds_) kinds.emplace(kind, of_kind(kind, calls));
    // The trace has as many passes as most of its time says.
    std::map<std::size_t, double> time_by_passes;
    for (const auto& [unused, kind] : kinds) {
      for (const auto* calls : {&kind.calls, &kind.learning}) {
        if (calls->empty() || kind.layers.empty() || calls->size() % kind.layers.size() != 0)
          continue;
        double& time = time_by_passes[calls->size() / kind.layers.size()];
        for (const TracedCall* call : *calls) time += call->forward_us + call->backward_us;
        break;
      }
    }
    const auto passes =
        std::ranges::max_element(time_by_passes, {}, [](const auto& each) { return each.second; });
    if (passes != time_by_passes.end()) {
      for (const auto& [name, kind] : kinds) match_kind(name, kind, passes->first);
    }
    const double share = trace_.total_us > 0 ? found_us_ / trace_.total_us : 0;
    constexpr double kLeast = 0.5;
    if (share < kLeast) refuse(share);
    TracedLayers result;
    for (std::size_t i = 0; i < times_.size(); ++i) {
      if (times_[i] == 0) continue;
      result.times.push_back({.layer = make_id<LayerId>(i),
                              .forward = duration(forward_[i], times_[i]),
                              .backward = duration(backward_[i], times_[i])});
    }
    result.coverage = fmt::format("{} of {} layers have times of the trace, {} of what ran in it",
                                  result.times.size(), times_.size(), format_percent(share));
    if (!missed_.empty()) {
      result.coverage += fmt::format("; not those of {}", fmt::join(missed_, ", "));
    }
    return result;
  }

 private:
  /// Names of ranges that count as one call: of layers, and classes of modules (RMSNorm).
  [[nodiscard]] std::vector<std::string> ranges() const {
    std::vector<std::string> names;
    for (const Layer& layer : network_.layers) names.push_back(layer.name);
    for (const auto& [kind, calls] : kinds_) {
      std::ranges::copy_if(calls, std::back_inserter(names),
                           [](const std::string& call) { return call.ends_with("RMSNorm"); });
    }
    return names;
  }
  static Duration duration(double us, int times) {
    return Duration(std::llround(us * 1e3 / times));
  }
  void add(std::size_t layer, const TracedCall& call) {
    forward_[layer] += call.forward_us;
    backward_[layer] += call.backward_us;
    found_us_ += call.forward_us + call.backward_us;
    ++times_[layer];
  }
  void match_names() {
    std::map<std::string_view, std::size_t> names;
    for (std::size_t i = 0; i < network_.layers.size(); ++i) names[network_.layers[i].name] = i;
    for (const TracedCall& call : trace_.calls) {
      const auto found = call.is_range ? names.find(call.name) : names.end();
      if (found != names.end()) add(found->second, call);
    }
  }
  struct OfOneKind {
    std::vector<std::size_t> layers;
    std::vector<const TracedCall*> calls;
    std::vector<const TracedCall*>
        learning;  ///< a counter's addition has no backward, a residual one has
  };
  [[nodiscard]] OfOneKind of_kind(const std::string& kind,
                                  const std::vector<std::string>& calls) const {
    OfOneKind result;
    for (std::size_t i = 0; i < network_.layers.size(); ++i) {
      if (network_.layers[i].kind->name == kind && times_[i] == 0) result.layers.push_back(i);
    }
    for (const TracedCall& call : trace_.calls) {
      if (!contains(calls, brief(call.name))) continue;
      result.calls.push_back(&call);
      if (call.has_backward) result.learning.push_back(&call);
    }
    return result;
  }
  void match_kind(std::string_view name, const OfOneKind& kind, std::size_t passes) {
    if (kind.layers.empty() || kind.calls.empty()) return;
    for (const auto* calls : {&kind.calls, &kind.learning}) {
      if (calls->size() != passes * kind.layers.size()) continue;
      for (std::size_t i = 0; i < calls->size(); ++i) {
        add(kind.layers[i % kind.layers.size()], *(*calls)[i]);
      }
      return;
    }
    missed_.push_back(fmt::format("{} ({} calls in {} passes of {} layers)", name,
                                  kind.calls.size(), passes, kind.layers.size()));
  }
  [[noreturn]] void refuse(double share) const {
    throw SpecError(
        {.file = file_,
         .place = "--layer-times",
         .found = fmt::format(
             "layers of the network for {} of what ran{}", format_percent(share),
             missed_.empty() ? ""
                             : fmt::format("; numbers differ of {}", fmt::join(missed_, ", "))),
         .expected = "at least half: a trace of this network, neither compiled nor checkpointed",
         .hint = "torch.profiler.record_function(NAME) around a module tells its layer"});
  }

  const Network& network_;
  const std::string& file_;
  const TracedKinds kinds_;
  const KinetoTrace trace_;
  std::vector<double> forward_, backward_;  ///< microseconds by layer
  std::vector<int> times_;                  ///< how often each ran
  std::vector<std::string> missed_;
  double found_us_ = 0;
};

}  // namespace

bool is_kineto_trace(const std::string& path) {
  if (std::error_code ignored; !std::filesystem::is_regular_file(path, ignored)) return false;
  GzipBuffer buffer(path);
  std::istream stream(&buffer);
  char first = 0;
  return stream >> first && first == '{';
}

TracedLayers read_kineto_trace(const std::string& path, const Network& network) {
  return Matcher(path, network).run();
}

}  // namespace ooc
