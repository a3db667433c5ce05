// Records of ooc-paleo-gpu as samples, and what is none.
#include "calibrate/session/samples.hpp"
#include "model/base/errors.hpp"
#include "tests/support/test.hpp"

using namespace ooc;
using namespace ooc::test;

namespace {

const std::string kHello =
    R"({"record":"hello","format":"ooc-paleo/bench","version":1,"program":"ooc-paleo-gpu 0.2.0","backend":"cuda","effort":"full","date":"2025-01-31"})"
    "\n";
const std::string kMachine =
    R"({"record":"machine","device_name":"NVIDIA H200","memory_total_bytes":150000000000})"
    "\n";
const std::string kRequest = R"("request":"copy bytes=4096 direction=to_near mode=pinned")";

std::string answered(const std::string& ns) {
  return R"({"record":"begin",)" + kRequest +
         R"(,"limit_s":20})"
         "\n" +
         R"({"record":"samples",)" + kRequest + R"(,"metric":"time","ns":)" + ns +
         "}\n" + R"({"record":"done",)" + kRequest +
         R"(,"verified":1})"
         "\n";
}

std::string refusal(const std::string& text) {
  try {
    (void)read_samples(text, "f");
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("records become samples by request") {
  const SampleSet set = read_samples(kHello + kMachine + answered("[8163.8,8200]"), "f");
  CHECK(set.date == "2025-01-31");
  CHECK(set.effort == "full");
  CHECK(set.program == "ooc-paleo-gpu 0.2.0");
  CHECK(find_integer(set.machine, "memory_total_bytes") == 150'000'000'000);
  REQUIRE(set.groups.size() == 1);
  CHECK(find_value(set.groups[0].request, "what") == "copy");
  CHECK(find_value(set.groups[0].request, "mode") == "pinned");
  CHECK(request_text(set.groups[0].request) == "copy bytes=4096 direction=to_near mode=pinned");
  CHECK(set.groups[0].times("time") == std::vector<double>{8163.8, 8200});
}

TEST_CASE("a request that was measured again counts once, with its later answer") {
  const SampleSet set =
      read_samples(kHello + kMachine + answered("[1,2]") + kHello + answered("[3]"), "f");
  REQUIRE(set.groups.size() == 1);
  CHECK(set.groups[0].times("time") == std::vector<double>{3});
}

TEST_CASE("what ended the program is an error of its request, half a line at the end is nothing") {
  const std::string text = kHello + kMachine + R"({"record":"begin",)" + kRequest +
                           R"(,"limit_s":20})"
                           "\n" +
                           R"({"record":"error",)" + kRequest +
                           R"(,"text":"ended the program by signal 9"})"
                           "\n" +
                           R"({"record":"samp)";
  const SampleSet set = read_samples(text, "f");
  REQUIRE(set.groups.size() == 1);
  CHECK(set.groups[0].error == "ended the program by signal 9");
}

TEST_CASE("clocks are counted, idle readings are no throttling") {
  const std::string clocks =
      R"({"record":"clocks","sm_mhz":1980,"power_mw":500000,"throttle_reasons":4})"
      "\n"
      R"({"record":"clocks","sm_mhz":345,"power_mw":70000,"throttle_reasons":1})"
      "\n";
  const SampleSet set = read_samples(kHello + clocks, "f");
  CHECK(set.clocks.sm_mhz == std::vector<double>{1980, 345});
  CHECK(set.clocks.power_w == std::vector<double>{500, 70});
  CHECK(set.clocks.throttled == 1);
}

TEST_CASE(
    "what is no record, no time, of another version or of two machines is refused with its line") {
  CHECK(has(refusal(""), "no records"));
  CHECK(has(refusal("hello protocol=1\n"), "f: line 1"));
  CHECK(has(refusal(R"({"record":"hello","format":"ooc-paleo/bench","version":2})"
                    "\n"),
            "version 1"));
  CHECK(has(refusal(kMachine), "a greeting of ooc-paleo-gpu"));
  CHECK(has(refusal(kHello + answered("[-1]")), "f: line 3, /ns/0"));
  CHECK(has(refusal(kHello + answered("[1e300]")), "a time in ns"));
  CHECK(has(refusal(kHello + R"({"record":{}})"
                             "\n"),
            "line 2, /record"));
  const std::string other = R"({"record":"machine","device_name":"NVIDIA A100"})"
                            "\n";
  CHECK(has(refusal(kHello + kMachine + other), "line 3: found samples of another machine"));
}
