// Lists of equal length, as the plan has steps and the run had iterations.
#include "calibrate/session/replay_records.hpp"

#include <fmt/format.h>

#include <optional>

#include "calibrate/session/records.hpp"
#include "calibrate/session/samples.hpp"
#include "model/base/errors.hpp"

namespace ooc {
namespace {

class ReplayReader {
 public:
  ReplayReader(const std::string& file, long long id, std::size_t steps)
      : file_(file), request_(fmt::format("replay id={}", id)), steps_(steps) {}

  void take(const BenchRecord& record) {
    if (record.kind == "hello") {
      program_ = find_value(record.values, "program").value_or("");
      backend_ = find_value(record.values, "backend").value_or("");
    } else if (record.kind == "machine") {
      machine_ = record.values;
    } else if (record.request == request_) {
      take_answer(record);
    } else if (record.request.starts_with("replay ") && record.kind == "done") {
      ++others_;
    }
  }

  ReplayMeasurement finish() {
    if (finished_) return std::move(*finished_);
    throw SpecError({.file = file_,
                     .place = "",
                     .found = others_ == 0 ? std::string("no run of a plan")
                                           : fmt::format("runs of {} other plans", others_),
                     .expected = "a run of this plan, " + request_,
                     .hint =
                         "network, profile, batch, memory, schedule and --compute must be those "
                         "of --export-plan"});
  }

 private:
  void take_answer(const BenchRecord& record) {
    if (record.kind == "begin") {
      open_ = {};
      open_.program = program_;
      open_.backend = backend_;
      open_.machine = machine_;
    } else if (record.kind == "note") {
      open_.notes.push_back(find_value(record.values, "text").value_or(""));
    } else if (record.kind == "iterations") {
      const std::size_t count = list(record, "ns").size();
      for (std::size_t i = 0; i < count; ++i) {
        open_.iterations.push_back({.ns = at(record, "ns", i, count),
                                    .issue_ns = at(record, "issue_ns", i, count),
                                    .host_ns = at(record, "host_ns", i, count)});
      }
    } else if (record.kind == "spans") {
      for (std::size_t i = 0; i < steps_; ++i) {
        open_.spans.push_back({.start_ns = at(record, "start_ns", i, steps_),
                               .end_ns = at(record, "end_ns", i, steps_),
                               .median_ns = at(record, "median_ns", i, steps_),
                               .min_ns = at(record, "min_ns", i, steps_),
                               .max_ns = at(record, "max_ns", i, steps_)});
        if (open_.spans.back().end_ns < open_.spans.back().start_ns) {
          fail(record, fmt::format("step {} that ends before it starts", i), "spans of steps");
        }
      }
    } else if (record.kind == "error") {
      open_.error = error_text(record.values);
      finished_ = std::move(open_);
    } else if (record.kind == "done") {
      if (open_.iterations.empty() || open_.spans.size() != steps_) {
        fail(record, "the end of a run without its times", "iterations and spans before it");
      }
      open_.near_bytes = find_integer(record.values, "near_bytes").value_or(0);
      open_.far_bytes = find_integer(record.values, "far_bytes").value_or(0);
      open_.spin_overhead_ns = find_number(record.values, "spin_overhead_ns").value_or(0);
      open_.host_bound = find_integer(record.values, "host_bound") == 1;
      finished_ = std::move(open_);
    }
  }

  [[nodiscard]] static std::vector<double> list(const BenchRecord& record, const char* key) {
    const auto found = record.lists.find(key);
    return found == record.lists.end() ? std::vector<double>{} : found->second;
  }

  [[nodiscard]] double at(const BenchRecord& record, const char* key, std::size_t index,
                          std::size_t count) const {
    const auto found = record.lists.find(key);
    if (found == record.lists.end() || found->second.size() != count) {
      fail(record, fmt::format("{} values of {}", list(record, key).size(), key),
           std::to_string(count));
    }
    return found->second[index];
  }

  [[noreturn]] void fail(const BenchRecord& record, std::string found, std::string expected) const {
    throw SpecError({.file = file_,
                     .place = record.place,
                     .found = std::move(found),
                     .expected = std::move(expected),
                     .hint = {}});
  }

  const std::string& file_;
  std::string request_;
  std::size_t steps_;
  std::string program_;
  std::string backend_;
  KeyValues machine_;
  std::size_t others_ = 0;
  ReplayMeasurement open_;
  std::optional<ReplayMeasurement> finished_;
};

}  // namespace

ReplayMeasurement read_replay(std::string_view text, const std::string& file, long long id,
                              std::size_t steps) {
  ReplayReader reader(file, id, steps);
  read_records(text, file, [&](const BenchRecord& record) { reader.take(record); });
  return reader.finish();
}

}  // namespace ooc
