// Reads a recording of `ooc-paleo-gpu --script`: conversations one after another, each with its own
// greeting, with answers to plans and to measurements. Only those with the job's id count. A last line
// without its end is what an interruption leaves and is dropped.
#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

#include "calibrate/session/replay_session.hpp"
#include "model/base/errors.hpp"

namespace ooc {
namespace {

class ReplayLogReader {
 public:
  ReplayLogReader(const std::string& file, const ReplayJob& job)
      : file_(file), job_(job), parser_(job.steps) {}

  void take(std::string_view text, std::size_t number) {
    number_ = number;
    const auto parsed = parse_protocol_line(text);
    if (const auto* wrong = std::get_if<NotProtocol>(&parsed)) {
      fail(in_quotes(text), "a line of ooc-paleo-gpu", wrong->reason);
    }
    const ProtocolLine& line = std::get<ProtocolLine>(parsed);
    if (line.word == "hello") return take_hello(line.values);
    if (!greeted_) fail(in_quotes(line.word), "\"hello\" first", "is it a log of ooc-paleo-gpu?");
    if (line.word == "machine") {
      machine_ = line.values;
      return;
    }
    const auto id = find_integer(line.values, "id");
    if (!id) return;
    if (line.word == "iteration") plans_.insert(*id);
    if (*id == job_.id) take_answer(line);
  }

  ReplayAnswer finish() {
    if (finished_) return std::move(*finished_);
    if (begun_) {
      fail("the answer to this plan without its end", "\"done\"",
           "the same ooc-paleo-gpu command again goes on where it stopped");
    }
    throw SpecError({.file = file_,
                     .place = "",
                     .found = plans_.empty() ? std::string("no run of a plan")
                                             : fmt::format("runs of {} other plans", plans_.size()),
                     .expected = fmt::format("a run of this plan, id={}", job_.id),
                     .hint =
                         "network, profile, batch, memory, schedule and --compute must be those "
                         "of --export-plan"});
  }

 private:
  [[noreturn]] void fail(std::string found, std::string expected, std::string hint = {}) const {
    throw SpecError({.file = file_,
                     .place = fmt::format("line {}", number_),
                     .found = std::move(found),
                     .expected = std::move(expected),
                     .hint = std::move(hint)});
  }

  void take_hello(const KeyValues& values) {
    const std::string protocol = find_value(values, "protocol").value_or("none");
    if (protocol != "1") fail("protocol " + in_quotes(protocol), "protocol=1");
    greeted_ = true;
    program_ = find_value(values, "program").value_or("") + " " +
               find_value(values, "version").value_or("");
    backend_ = find_value(values, "backend").value_or("");
    machine_.clear();
    // What was interrupted begins again in the next conversation.
    if (begun_) parser_ = ReplayParser(job_.steps);
    begun_ = false;
  }

  void take_answer(const ProtocolLine& line) {
    if (!begun_ && parser_.complete()) parser_ = ReplayParser(job_.steps);
    begun_ = true;
    const std::string problem = parser_.take(line);
    if (!problem.empty()) fail("an answer that " + problem, "one that fits the plan");
    if (!parser_.complete()) return;
    ReplayAnswer& answer = parser_.answer();
    answer.measurement.program = program_;
    answer.measurement.backend = backend_;
    answer.measurement.machine = machine_;
    finished_ = std::move(answer);
    begun_ = false;
  }

  const std::string& file_;
  const ReplayJob& job_;
  ReplayParser parser_;
  std::optional<ReplayAnswer> finished_;  ///< the latest
  std::set<long long> plans_;
  KeyValues machine_;
  std::string program_;
  std::string backend_;
  bool greeted_ = false;
  bool begun_ = false;
  std::size_t number_ = 0;
};

}  // namespace

ReplayAnswer read_replay_log(std::string_view text, const std::string& file, const ReplayJob& job) {
  ReplayLogReader reader(file, job);
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;  // cut off by an interruption
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    ++number;
    if (!line.empty()) reader.take(line, number);
  }
  return reader.finish();
}

}  // namespace ooc
