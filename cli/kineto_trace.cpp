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
#include "model/base/option_text.hpp"

namespace ooc {
namespace {

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

/// Keeps the events that matter.
class Events : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Events(const std::vector<std::string>& wanted) : wanted_(wanted.begin(), wanted.end()) {}

  std::vector<Range> ranges;
  std::unordered_map<std::int64_t, Launch> launches;       ///< by correlation
  std::vector<std::pair<std::int64_t, double>> on_device;  ///< correlation, duration
  std::map<std::string, std::int32_t, std::less<>> threads, names;
  std::string error;

  bool start_object(std::size_t) override {
    if (++depth_ == kEventDepth && in_events_) event_ = {};
    return true;
  }
  bool end_object() override {
    if (depth_-- == kEventDepth && in_events_) add();
    return true;
  }
  bool start_array(std::size_t) override {
    in_events_ |= depth_ == 1 && key_ == "traceEvents";
    ++depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    in_events_ = in_events_ && depth_ > 1;
    return true;
  }
  bool key(std::string& text) override {
    key_ = text;
    return true;
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(std::int64_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(std::uint64_t value) override { return number(static_cast<double>(value)); }
  bool number_float(double value, const std::string&) override { return number(value); }
  bool binary(nlohmann::json::binary_t&) override { return true; }
  bool string(std::string& text) override {
    if (!in_events_ || depth_ != kEventDepth) return true;
    if (key_ == "name") event_.name = text;
    if (key_ == "cat") event_.category = category_of(text);
    if (key_ == "ph") event_.is_whole = text == "X";
    if (key_ == "tid") event_.thread = text;
    return true;
  }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::json::exception&) override {
    error = fmt::format("no JSON at byte {}", at);
    return false;
  }

 private:
  static constexpr int kEventDepth = 3;             // { [ {
  static constexpr double kMostWhole = 9e15;        // whole numbers are exact below
  static constexpr double kMostMicroseconds = 1e9;  // of one operator, so that sums stay in range
  struct Event {
    std::string name;
    std::string thread;
    Category category = Category::kOther;
    bool is_whole = false;
    double start = 0;
    double length = 0;
    std::int64_t sequence = -1;
    std::int64_t correlation = -1;
    bool is_backward = false;
  };

  bool number(double value) {
    if (!in_events_) return true;
    if (depth_ == kEventDepth) {
      if (key_ == "ts") event_.start = value;
      if (key_ == "dur") event_.length = std::min(value, kMostMicroseconds);
      if (key_ == "tid") event_.thread = fmt::format("{}", value);
    } else if (depth_ == kEventDepth + 1 && std::abs(value) < kMostWhole) {
      const auto whole = static_cast<std::int64_t>(value);
      if (key_ == "Sequence number") event_.sequence = whole;
      if (key_ == "Fwd thread id") event_.is_backward = whole > 0;
      if (key_ == "correlation") event_.correlation = whole;
    }
    return true;
  }
  static std::int32_t number_of(std::map<std::string, std::int32_t, std::less<>>& known,
                                const std::string& text) {
    return known.emplace(text, static_cast<std::int32_t>(known.size())).first->second;
  }
  void add() {
    const bool is_kept = event_.is_whole && event_.length >= 0;
    if (!is_kept || event_.category == Category::kOther) return;
    if (event_.category == Category::kDevice) {
      on_device.emplace_back(event_.correlation, event_.length);
      return;
    }
    const std::int32_t thread = number_of(threads, event_.thread);
    if (event_.category == Category::kLaunch) {
      if (event_.correlation >= 0) launches[event_.correlation] = {thread, event_.start};
      return;
    }
    const bool is_operator = event_.category == Category::kOperator;
    constexpr std::string_view kModule = "nn.Module: ";
    if (event_.category == Category::kPython) {
      if (!event_.name.starts_with(kModule)) return;
      event_.name = event_.name.substr(kModule.size(), event_.name.rfind('_') - kModule.size());
    }
    constexpr std::string_view kOptimizer = "Optimizer.";
    constexpr std::string_view kStep = "ProfilerStep#";  // an operator until PyTorch 1.9
    if (event_.name.starts_with(kStep)) return;
    const bool is_optimizer = event_.name.starts_with(kOptimizer);
    const bool is_wanted = wanted_.contains(event_.name);
    if (!is_operator && !is_optimizer && !is_wanted) return;
    ranges.push_back({.thread = thread,
                      .name = number_of(names, event_.name),
                      .start = event_.start,
                      .end = event_.start + event_.length,
                      .sequence = event_.sequence,
                      .is_backward = event_.is_backward,
                      .is_range = !is_operator,
                      .is_optimizer = is_optimizer});
  }

  std::set<std::string, std::less<>> wanted_;
  std::string key_;
  Event event_;
  int depth_ = 0;
  bool in_events_ = false;
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
  (void)nlohmann::json::sax_parse(stream, &events);
  if (!events.error.empty()) buffer.fail(events.error, "a trace of torch.profiler, whole");
  if (events.ranges.empty()) {
    buffer.fail("no operators", "the \"traceEvents\" of torch.profiler, with CPU activities");
  }
  return Attribution(std::move(events)).run();
}

}  // namespace ooc
