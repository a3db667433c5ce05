// What the measuring program says when things go wrong, and its recorded sessions.
#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "calibrate/gpu/line.hpp"
#include "calibrate/gpu/server.hpp"
#include "tests/unit/gpu_child.hpp"

using ooc::gpu::parse_line;
using ooc::test::GpuChild;
using ooc::test::last;
using ooc::test::times;
using Environment = GpuChild::Environment;

namespace {

const std::string kCopy =
    " what=copy mode=pinned direction=to_near bytes=100000 repetitions=3 warmup_ms=0";

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int protocol_count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

// A folder of its own, removed at the end.
struct Folder {
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "ooc-gpu-XXXXXX";
    path = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path;
};

}  // namespace

TEST_CASE("the child greets with hello, machine and ready, and ends on quit with 0") {
  GpuChild child;
  CHECK(child.read_line() ==
        "hello protocol=1 program=ooc-paleo-gpu version=0.1.0 backend=stub plans=2");
  const auto machine = parse_line(child.read_line().value_or("")).line;
  REQUIRE(machine.has_value());
  CHECK(machine->word == "machine");
  CHECK(*machine->find("device_name") == "Stub device");
  CHECK(*machine->find("memory_total_bytes") == "8589934592");
  CHECK(machine->find("pcie_width") == nullptr);  // unknown, so left out
  CHECK(child.read_line() == "ready");
  child.send("quit");
  CHECK(child.finish() == 0);
}

TEST_CASE("no device, no such device and too little free memory are said before anything runs") {
  const auto reason = [](const Environment& environment,
                         const std::vector<std::string>& arguments) {
    GpuChild child(environment, arguments);
    child.read_line();
    const auto line = parse_line(child.read_line().value_or("")).line;
    REQUIRE(line.has_value());
    CHECK(line->word == "no_device");
    CHECK(child.finish() == 5);
    return *line->find("reason");
  };
  CHECK(reason({{"OOC_STUB", "devices=0"}}, {}) ==
        "cudaGetDeviceCount: no CUDA-capable device is detected");
  CHECK(reason({}, {"--device", "3"}) == "there are 1 devices");
  CHECK(reason({{"OOC_STUB", "free=1000000"}}, {"--need", "2000000"}) ==
        "Stub device has 1000000 bytes free of 8589934592, 2000000 are needed: end what else uses "
        "the device");
}

TEST_CASE("a call that fails is an error with call, code, file and line, and the child goes on") {
  // Calls of this request: 5 to warm up, so the 7th is the second repetition.
  GpuChild child(Environment{{"OOC_STUB_FAIL", "cudaMemcpyAsync:7"}});
  const auto lines = child.ask("measure id=1" + kCopy);
  CHECK(times(lines, "time").size() == 1);  // the sample before it is kept
  CHECK(lines.back().word == "error");
  CHECK(last(lines, "id") == "1");
  CHECK(last(lines, "call") == "cudaMemcpyAsync");
  CHECK(last(lines, "code") == "2");
  CHECK(last(lines, "name") == "cudaErrorMemoryAllocation");
  CHECK(last(lines, "text") == "out of memory");
  CHECK(last(lines, "file") == "timing.cpp");
  CHECK(std::stoi(last(lines, "line")) > 0);
  CHECK(child.ask("measure id=2" + kCopy).back().word == "done");
  CHECK(child.finish() == 0);
}

TEST_CASE("an error of the device that stays ends the child with 4") {
  GpuChild child(Environment{{"OOC_STUB_FAIL", "cudaStreamSynchronize:3:700"}});
  const auto lines = child.ask("measure id=1" + kCopy);
  CHECK(last(lines, "name") == "cudaErrorIllegalAddress");
  CHECK_FALSE(child.read_line().has_value());
  CHECK(child.finish() == 4);
}

TEST_CASE("data that arrive wrong are an error, in every mode and direction") {
  const auto error = [](const std::string& call, const std::string& keys) {
    GpuChild child(Environment{{"OOC_STUB_CORRUPT", call}});
    const auto lines = child.ask("measure id=1 bytes=100000 repetitions=1 warmup_ms=0 " + keys);
    return last(lines, "text");
  };
  const std::string wrong = "the copied data are wrong: 1 words of 8 bytes differ";
  // The copy that arrives last counts: 5 to warm up and 1.
  CHECK(error("cudaMemcpyAsync:6", "what=copy mode=pinned direction=to_near") == wrong);
  CHECK(error("cudaMemcpyAsync:6", "what=copy mode=pageable direction=to_far") == wrong);
  CHECK(error("cudaMemcpyAsync:6", "what=near_copy") == wrong);
  CHECK(error("cudaMemcpyAsync:36", "what=duplex") == wrong);
  CHECK(error("cudaMemPrefetchAsync:12", "what=copy mode=unified_prefetch direction=to_near") ==
        wrong);
}

TEST_CASE("a child that hangs is silent, one that dies closes its output") {
  GpuChild hanging(Environment{{"OOC_STUB_HANG", "cudaMemcpyAsync:7"}});
  GpuChild dying(Environment{{"OOC_STUB_DIE", "cudaMemcpyAsync:7"}});
  for (GpuChild* child : {&hanging, &dying}) {
    while (child->read_line() != "ready") {
    }
    child->send("measure id=1" + kCopy);
    CHECK(child->read_line().has_value());  // the time and the issue of the repetition before
    CHECK(child->read_line().has_value());
    CHECK_FALSE(child->read_line(300).has_value());
  }
  CHECK(dying.finish() == 128 + SIGKILL);
}

TEST_CASE("rubbish on the output is no line of the protocol") {
  GpuChild child(Environment{{"OOC_STUB_RUBBISH", "cudaMemcpyAsync:7"}});
  while (child.read_line() != "ready") {
  }
  child.send("measure id=1" + kCopy);
  CHECK(parse_line(child.read_line().value_or("")).line.has_value());
  CHECK(parse_line(child.read_line().value_or("")).line.has_value());
  CHECK_FALSE(parse_line(child.read_line().value_or("")).line.has_value());
}

TEST_CASE("what would take too much memory is refused before it is allocated") {
  GpuChild child(Environment{{"OOC_STUB", "memory=1e9,free=4e8"}});
  const auto near = child.ask("measure id=1 what=device_malloc bytes=400000000");
  // 4e8 less 64 MiB
  CHECK(last(near, "text") ==
        "needs 400000000 bytes of near memory, at most 332891136 may be taken");
  const auto managed =
      child.ask("measure id=2 what=copy mode=unified_fault direction=to_near bytes=200000001");
  CHECK(last(managed, "text") ==
        "needs 200000001 bytes of managed memory, at most 200000000 may be taken");
}

TEST_CASE("buffers of one kind of request do not stand in the way of the next kind") {
  GpuChild child(Environment{{"OOC_STUB", "memory=1e9"}});
  // Two buffers of 300 MB are kept; 600 MB more would not fit beside them.
  CHECK(child.ask("measure id=1 what=near_copy bytes=300000000 repetitions=1").back().word ==
        "done");
  CHECK(child.ask("measure id=2 what=device_malloc bytes=600000000 repetitions=1").back().word ==
        "done");
}

TEST_CASE("what a device cannot do is skipped with a note") {
  GpuChild child(Environment{{"OOC_STUB", "concurrent_managed=0"}});
  const auto lines =
      child.ask("measure id=1 what=copy mode=unified_fault direction=to_near bytes=100000");
  REQUIRE(lines.size() == 2);
  CHECK(lines.front().word == "note");
  CHECK(last(lines, "samples") == "0");
}

TEST_CASE("a request that is not understood is an error and the child goes on") {
  GpuChild child;
  const auto text = [&child](const std::string& request) {
    return last(child.ask(request), "text");
  };
  CHECK(text("sing id=1") == "unknown request 'sing', known are measure, plan, quit");
  CHECK(text("measure what=launch") == "'id' is missing");
  CHECK(text("measure id=x what=launch") == "'id': found 'x', expected an integer");
  CHECK(text("measure id=1 what=weight").rfind("unknown what 'weight', known are copy,", 0) == 0);
  CHECK(text("measure id=1 what=copy mode=fast direction=to_near bytes=8") ==
        "unknown mode 'fast', known are pinned, pageable, unified_fault, unified_prefetch");
  CHECK(text("measure id=1 what=copy mode=pinned direction=up bytes=8") ==
        "'direction': found 'up', expected to_near or to_far");
  CHECK(text("measure id=1 what=near_copy bytes=0") == "'bytes': found 0, expected 8 to 2^42");
  CHECK(text("measure id=1 id=2") == "'id' given twice");
  CHECK(text("measure  id=1") == "expected key=value, found ''");
  CHECK(text("") == "expected a word, found ''");
  CHECK(text("measure id=1 what=%zz") == "bad value of 'what'");
  CHECK(child.ask("measure id=9 what=launch").back().word == "done");
}

TEST_CASE("values survive encoding, whatever bytes they have") {
  std::string all;
  for (int c = 1; c < 256; ++c) all += static_cast<char>(c);
  const std::string text = ooc::gpu::LineBuilder("note").add("text", all).text();
  CHECK(text.find(' ') == 4);
  CHECK(text.rfind(' ') == 4);
  const auto parsed = parse_line(text);
  REQUIRE(parsed.line.has_value());
  CHECK(*parsed.line->find("text") == all);
}

TEST_CASE("a script is answered once, and goes on after an interruption") {
  const Folder folder;
  const std::string requests = folder.path + "/requests";
  const std::string answers = folder.path + "/answers";
  std::ofstream(requests) << "# two copies\nmeasure id=1" << kCopy << "\n\nmeasure id=2" << kCopy
                          << "\n";
  const std::vector<std::string> arguments{"--script", requests, "--output", answers};
  {
    GpuChild dying(Environment{{"OOC_STUB_DIE", "cudaMemcpyAsync:18"}}, arguments);
    CHECK(dying.finish() == 128 + SIGKILL);
  }
  // Calls of the first request: 5 + 3, then one that fetches the count of wrong words. The 18th is the
  // second request's, after its samples.
  CHECK(protocol_count(read_file(answers), "done id=") == 1);
  std::ofstream(answers, std::ios::app) << "sample id=2 what=co";
  CHECK(GpuChild({}, arguments).finish() == 0);
  const std::string text = read_file(answers);
  CHECK(protocol_count(text, "done id=1 ") == 1);
  CHECK(protocol_count(text, "done id=2 ") == 1);
  CHECK(protocol_count(text, "hello ") == 2);
  CHECK(protocol_count(text, "what=co\n") == 0);  // the half line is gone
  CHECK(GpuChild({}, arguments).finish() == 0);
  CHECK(read_file(answers) == text);
}

TEST_CASE("a script begins no request after its time is up") {
  const Folder folder;
  const std::string requests = folder.path + "/requests";
  const std::string answers = folder.path + "/answers";
  std::ofstream(requests) << "measure id=1" << kCopy << "\nmeasure id=2" << kCopy << "\n";
  // The first request moves the stub's clock by more than 0.1 ms.
  GpuChild child({}, {"--script", requests, "--output", answers, "--budget-seconds", "0.0001"});
  CHECK(child.finish() == 0);
  CHECK(protocol_count(read_file(answers), "done id=") == 1);
}

TEST_CASE("a bad command line or script ends the program with 2") {
  CHECK(GpuChild({}, {"--speed", "1"}).finish() == 2);
  CHECK(GpuChild({}, {"--device"}).finish() == 2);
  CHECK(GpuChild({}, {"--script", "x"}).finish() == 2);
  CHECK(GpuChild({}, {"--script", "/nowhere/x", "--output", "/nowhere/y"}).finish() == 2);
  CHECK(GpuChild(Environment{{"OOC_STUB", "colour=1"}}).finish() == 2);
}

TEST_CASE("a script's bad line is named by its number, comments and empty lines counted") {
  const Folder folder;
  const std::string requests = folder.path + "/requests";
  const ooc::gpu::Script script{requests, folder.path + "/answers", 1e9};
  const auto problem = [&](const std::string& line) {
    std::ofstream(requests) << "# a copy\n\nmeasure id=1" << kCopy << "\n" << line << "\n";
    try {
      ooc::gpu::run_script(script, 0, 0);
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  CHECK(problem("measure what=copy") ==
        requests + ": line 4: a request without id: measure what=copy");
  CHECK(problem("measure id=2 id=3") ==
        requests + ": line 4: " + parse_line("measure id=2 id=3").problem);
}
