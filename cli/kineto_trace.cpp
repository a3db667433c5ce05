// What ran belongs to the operator on whose thread, and within whose time, it was launched. What autograd runs has the
// sequence number of the forward operator; of several with one number the last made the node. Categories are spelled
// as PyTorch 1.9 to 2.x do.
#include "cli/kineto_trace.hpp"

#include <fmt/format.h>
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

#include "model/base/errors.hpp"
#include "model/base/terminal_text.hpp"

namespace ooc {
namespace {

using Json = nlohmann::json;

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
  const auto found =
      std::ranges::find_if(kWords, [&](const auto& each) { return each.first == word; });
  return found == std::end(kWords) ? Category::kOther : found->second;
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
    std::ranges::sort(all, [](const Range& a, const Range& b) {
      return std::tuple(a.thread, a.start, -a.end, !a.is_range) <
             std::tuple(b.thread, b.start, -b.end, !b.is_range);
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
    std::ranges::sort(
        forward, [&](std::size_t a, std::size_t b) { return ranges_[a].start < ranges_[b].start; });
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

}  // namespace

bool is_kineto_trace(const std::string& path) {
  if (std::error_code ignored; !std::filesystem::is_regular_file(path, ignored)) return false;
  GzipBuffer buffer(path);
  std::istream stream(&buffer);
  char first = 0;
  return stream >> first && first == '{';
}

KinetoTrace read_kineto_trace(const std::string& path, const std::vector<std::string>& ranges) {
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

}  // namespace ooc
