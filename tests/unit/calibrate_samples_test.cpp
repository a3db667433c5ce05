// Protocol lines, the samples file and the protocol's log: what is written reads back, and what is
// wrong is an error that names the place.
#include <doctest/doctest.h>

#include <string>

#include "calibrate/session/protocol.hpp"
#include "calibrate/session/samples.hpp"
#include "model/base/errors.hpp"
#include "tests/support/text.hpp"

using namespace ooc;

namespace {

bool is_line(const std::string& text) {
  return std::holds_alternative<ProtocolLine>(parse_protocol_line(text));
}

/// The message of the error that reading `text` gives; empty without one.
std::string samples_error(const std::string& text) {
  try {
    (void)read_samples(text, "x.json");
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

const std::string kSamplesHello =
    "hello protocol=1 program=ooc-paleo-gpu version=0.1.0 backend=stub\n"
    "machine device=0 device_name=NVIDIA%20H200 memory_total_bytes=1000\n"
    "ready\n";
const std::string kOneSample =
    "sample id=1 what=copy mode=pinned direction=to_near bytes=4096 repetitions=3 metric=time "
    "timer=event ns=";

SampleSet small_set() {
  SampleSet set;
  set.date = "2025-01-31";
  set.effort = "quick";
  set.program = "p 1";
  set.backend = "stub";
  set.machine = {{"device_name", "A \"B\" \\ \xe9"}};
  SampleGroup group;
  group.request = identity_of({{"bytes", "8"}, {"what", "copy"}, {"mode", "pinned"}});
  group.state = GroupState::kDone;
  group.notes = {"first", "second"};
  group.done = {{"samples", "2"}};
  group.metrics = {{"time", "event", {{"algorithm", "x"}}, {1234.5, 0.1}},
                   {"issue", "host", {}, {}}};
  set.groups.push_back(group);
  group.request = identity_of({{"bytes", "16"}, {"what", "copy"}});
  group.state = GroupState::kRefused;
  group.error = "no memory";
  set.groups.push_back(group);
  return set;
}

}  // namespace

TEST_CASE("a protocol line is a word and percent-encoded values") {
  const auto parsed = parse_protocol_line("machine device_name=NVIDIA%20H200 empty= a1=x%3Dy");
  const auto& line = std::get<ProtocolLine>(parsed);
  CHECK(line.word == "machine");
  CHECK(find_value(line.values, "device_name") == "NVIDIA H200");
  CHECK(find_value(line.values, "empty") == "");
  CHECK(find_value(line.values, "a1") == "x=y");
  CHECK(format_protocol_line(line) == "machine device_name=NVIDIA%20H200 empty= a1=x%3Dy\n");
}

TEST_CASE("what is not of the protocol's form is not a line of it") {
  for (const char* text : {"", " sample", "Sample id=1", "sample id", "sample id=1  ns=2",
                           "sample id=1 ns=2 ", "sample id=1 id=2", "sample 1d=1", "sample a=%2",
                           "sample a=%zz", "sample a=\x01", "sample\tid=1", "=1"}) {
    CAPTURE(text);
    CHECK_FALSE(is_line(text));
  }
  CHECK(is_line("ready"));
  CHECK(is_line("sample a=" + std::string(4000, 'x')));
  CHECK_FALSE(is_line("sample a=" + std::string(4096, 'x')));
}

TEST_CASE("numbers of the protocol are whole texts") {
  const KeyValues values{{"a", "12"}, {"b", "12x"}, {"c", "1.5"}, {"d", "nan"}, {"e", ""}};
  CHECK(find_integer(values, "a") == 12);
  CHECK_FALSE(find_integer(values, "b").has_value());
  CHECK_FALSE(find_integer(values, "c").has_value());
  CHECK(find_number(values, "c") == 1.5);
  CHECK_FALSE(find_number(values, "d").has_value());
  CHECK_FALSE(find_number(values, "e").has_value());
  CHECK_FALSE(find_number(values, "f").has_value());
}

TEST_CASE("what is measured does not depend on the order of keys or on repetitions") {
  const KeyValues one{{"what", "copy"},
                      {"bytes", "8"},
                      {"mode", "pinned"},
                      {"repetitions", "5"},
                      {"warmup_ms", "1"}};
  const KeyValues two{{"id", "9"}, {"mode", "pinned"}, {"what", "copy"}, {"bytes", "8"}};
  CHECK(identity_of(one) == identity_of(two));
  CHECK(identity_text(identity_of(one)) == "copy bytes=8 mode=pinned");
}

TEST_CASE("samples that are written read back as they were") {
  const std::string text = write_samples(small_set());
  const SampleSet read = read_samples(text, "x.json");
  CHECK(write_samples(read) == text);
  REQUIRE(read.groups.size() == 2);
  CHECK(read.groups[0].metrics[0].ns == std::vector<double>{1234.5, 0.1});
  CHECK(read.groups[0].notes.size() == 2);
  CHECK(read.groups[1].error == "no memory");
  CHECK(read.groups[1].state == GroupState::kRefused);
  CHECK(read.date == "2025-01-31");
  CHECK(read.effort == "quick");
}

TEST_CASE("malformed samples are an error that names the place") {
  CHECK(has(samples_error(""), "x.json"));
  CHECK(has(samples_error("{}"), "format"));
  CHECK(has(samples_error(R"({"format": "ooc-paleo/hardware-profile"})"), "this is a profile"));
  const std::string text = write_samples(small_set());
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string copy = text;
    copy.replace(copy.find(from), from.size(), to);
    return samples_error(copy);
  };
  CHECK(has(broken("1234.5", "-1"), "/groups/0/metrics/0/ns/0"));
  CHECK(has(broken("1234.5", "1e300"), "/groups/0/metrics/0/ns/0"));
  CHECK(has(broken("1234.5", "\"x\""), "/groups/0/metrics/0/ns/0"));
  CHECK(has(broken("\"what\": \"copy\"", "\"whatever\": \"copy\""), "/groups/0/request"));
  CHECK(has(broken("\"bytes\": \"16\"", "\"bytes\": \"8\", \"mode\": \"pinned\""), "again"));
  CHECK(has(broken("\"done\"", "\"dome\""), "did you mean"));
  CHECK(has(broken("\"version\": 1", "\"version\": 2"), "/version"));
  CHECK(has(broken("\"notes\"", "\"nodes\""), "nodes"));
  CHECK(has(samples_error(text.substr(0, text.size() / 2)), "line"));
}

TEST_CASE("a log of the measuring program is read, conversation after conversation") {
  const SampleSet set = read_samples(
      kSamplesHello + kOneSample + "10\n" + kOneSample + "20\n" + "note id=1 text=so%20so\n" +
          "done id=1 samples=2 stable=1\n" + kSamplesHello + kOneSample + "30\n" + kOneSample + "4",
      "log");
  CHECK(set.backend == "stub");
  CHECK(set.program == "ooc-paleo-gpu 0.1.0");
  CHECK(find_value(set.machine, "device_name") == "NVIDIA H200");
  REQUIRE(set.groups.size() == 1);
  // The last line was cut off by an interruption; the second conversation never said `done`.
  CHECK(set.groups[0].metrics[0].ns == std::vector<double>{10, 20, 30});
  CHECK(identity_text(set.groups[0].request) == "copy bytes=4096 direction=to_near mode=pinned");
}

TEST_CASE("samples before an error of the device count, those of a wrong copy do not") {
  const auto state = [](const std::string& error) {
    return read_samples(kSamplesHello + kOneSample + "10\nerror id=1 " + error + "\n", "log");
  };
  const SampleSet memory =
      state("call=cudaMalloc name=cudaErrorMemoryAllocation text=out file=a line=1");
  REQUIRE(memory.groups.size() == 1);
  CHECK(memory.groups[0].state == GroupState::kRefused);
  CHECK(memory.count() == 1);
  CHECK(has(memory.groups[0].error, "cudaMalloc"));
  const SampleSet wrong = state("text=the%20copied%20data%20are%20wrong:%203%20words");
  REQUIRE(wrong.groups.size() == 1);
  CHECK(wrong.count() == 0);
}

TEST_CASE("a log with anything else in it is an error with the number of the line") {
  CHECK(has(samples_error(kSamplesHello + "Segmentation fault\n"), "line 4"));
  CHECK(has(samples_error(kSamplesHello + "sample id=1 what=copy metric=time timer=event\n"),
            "line 4"));
  CHECK(has(samples_error("sample id=1\n"), "line 1"));
  CHECK(has(samples_error("hello protocol=2\n"), "protocol"));
  CHECK(has(samples_error(kSamplesHello + "hello protocol=1\nmachine device_name=Other\n"),
            "two machines"));
  CHECK(has(samples_error("\n\n"), "x.json"));
}

TEST_CASE("samples of one request from two sessions are merged and the newer state holds") {
  SampleSet set = small_set();
  SampleGroup more = set.groups[1];
  more.state = GroupState::kDone;
  more.error.clear();
  more.metrics = {{"time", "event", {{"algorithm", "x"}}, {7}}, {"other", "host", {}, {8}}};
  merge_group(set, more);
  REQUIRE(set.groups.size() == 2);
  CHECK(set.groups[1].state == GroupState::kDone);
  CHECK(set.groups[1].error.empty());
  CHECK(set.groups[1].metrics[0].ns == std::vector<double>{1234.5, 0.1, 7});
  CHECK(set.groups[1].metrics[2].ns == std::vector<double>{8});
}
