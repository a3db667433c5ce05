// Reads what `ooc-paleo-gpu --script ... --output FILE` wrote: conversations one after another. The
// requests themselves are not in it, but every sample echoes the keys of its request. A last line
// without its end is what an interruption leaves and is dropped; any other line that is not of the
// protocol is an error with its number.
#include <fmt/format.h>

#include <map>

#include "calibrate/session/samples.hpp"
#include "model/base/errors.hpp"

namespace ooc {
namespace {

class LogReader {
 public:
  explicit LogReader(const std::string& file) : file_(file) {}

  void take(const ProtocolLine& line, std::size_t number) {
    number_ = number;
    if (line.word == "hello") return take_hello(line);
    if (!greeted_) fail(in_quotes(line.word), "\"hello\" first", "is it a log of ooc-paleo-gpu?");
    if (line.word == "machine") return take_machine(line);
    if (line.word == "sample") return take_sample(line);
    if (line.word == "note" || line.word == "done" || line.word == "error") return take_end(line);
    // "ready", "no_device" and words of later versions carry nothing that is kept.
  }

  SampleSet finish() {
    if (!greeted_) {
      throw SpecError({.file = file_,
                       .place = "",
                       .found = "no conversation",
                       .expected = "samples as JSON, or a log of ooc-paleo-gpu",
                       .hint = {}});
    }
    close_conversation();
    return std::move(set_);
  }

  [[noreturn]] void fail(std::string found, std::string expected, std::string hint = {}) const {
    throw SpecError({.file = file_,
                     .place = fmt::format("line {}", number_),
                     .found = std::move(found),
                     .expected = std::move(expected),
                     .hint = std::move(hint)});
  }
  void at_line(std::size_t number) { number_ = number; }

 private:
  void take_hello(const ProtocolLine& line) {
    const std::string protocol = find_value(line.values, "protocol").value_or("none");
    if (protocol != "1") fail("protocol " + in_quotes(protocol), "protocol=1");
    close_conversation();
    greeted_ = true;
    if (!set_.program.empty()) return;
    set_.program = find_value(line.values, "program").value_or("") + " " +
                   find_value(line.values, "version").value_or("");
    set_.backend = find_value(line.values, "backend").value_or("");
  }

  void take_machine(const ProtocolLine& line) {
    const std::string difference = machine_difference(set_.machine, line.values);
    if (!difference.empty()) fail("two machines: " + difference, "samples of one");
    if (set_.machine.empty()) set_.machine = line.values;
  }

  void take_sample(const ProtocolLine& line) {
    SampleGroup& group = open_[id_of(line)];
    if (group.request.empty()) {
      KeyValues echoed;
      for (const auto& [key, value] : line.values) {
        if (!is_sample_key(key)) echoed.emplace_back(key, value);
      }
      group.request = identity_of(echoed);
      if (!find_value(group.request, "what")) fail("a sample without \"what\"", "what=...");
    }
    const std::string wrong = add_sample(group, line.values);
    if (!wrong.empty()) fail(wrong, "metric=... ns=...");
  }

  void take_end(const ProtocolLine& line) {
    const auto id = find_integer(line.values, "id");
    if (!id) return;  // an answer to a line that had none
    SampleGroup& group = open_[*id];
    if (line.word == "note") {
      group.notes.push_back(find_value(line.values, "text").value_or(""));
      return;
    }
    group.state = line.word == "done" ? GroupState::kDone : GroupState::kRefused;
    if (line.word == "error") group.error = error_text(line.values);
    for (const auto& [key, value] : line.values) {
      if (line.word == "done" && key != "id") group.done.emplace_back(key, value);
    }
    // Ids may come again: the group is complete.
    SampleGroup complete = std::move(group);
    open_.erase(*id);
    keep(std::move(complete));
  }

  [[nodiscard]] long long id_of(const ProtocolLine& line) const {
    const auto id = find_integer(line.values, "id");
    if (!id) fail("a sample without an id", "id=N");
    return *id;
  }

  /// A refused request without samples says nothing of what it was: it is left out.
  void keep(SampleGroup group) {
    if (group.request.empty()) return;
    if (is_corruption(group.error)) group.metrics.clear();
    merge_group(set_, std::move(group));
  }

  void close_conversation() {
    for (auto& [id, group] : open_) keep(std::move(group));
    open_.clear();
  }

  const std::string& file_;
  SampleSet set_;
  std::map<long long, SampleGroup> open_;
  bool greeted_ = false;
  std::size_t number_ = 0;
};

}  // namespace

SampleSet read_protocol_log(std::string_view text, const std::string& file) {
  LogReader reader(file);
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;  // cut off by an interruption
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    reader.at_line(++number);
    if (line.empty()) continue;
    const auto parsed = parse_protocol_line(line);
    if (const auto* wrong = std::get_if<NotProtocol>(&parsed)) {
      reader.fail(in_quotes(line), "a line of ooc-paleo-gpu", wrong->reason);
    }
    reader.take(std::get<ProtocolLine>(parsed), number);
  }
  return reader.finish();
}

}  // namespace ooc
