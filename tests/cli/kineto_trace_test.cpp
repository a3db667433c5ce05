// --layer-times from a trace of torch.profiler.
#include <fmt/format.h>
#include <zlib.h>

#include "tests/cli/run_program.hpp"

namespace ooc::test {
namespace {

constexpr const char* kTracedNetwork =
    R"({"format": "ooc-paleo/network", "version": 1, "name": "small",
  "inputs": [{"name": "data", "shape": [8]}],
  "layers": [{"name": "fc1", "type": "linear", "units": 4}, {"name": "act", "type": "relu"},
             {"name": "fc2", "type": "linear", "units": 2}]})";

std::string event(std::string_view category, std::string_view name, int thread, double start,
                  double length, std::string_view args) {
  return fmt::format(R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 1, "tid": {}, "ts": {}, )"
                     R"("dur": {}, "args": {{{}}}}},)",
                     category, name, thread, start, length, args) +
         "\n";
}

/// A kernel that a launch within an operator starts.
std::string kernel(int thread, double launched, double length, int correlation) {
  const std::string args = fmt::format(R"("correlation": {})", correlation);
  return event("cuda_runtime", "cudaLaunchKernel", thread, launched, 0.5, args) +
         event("kernel", "sgemm", 7, launched + 1000, length, args);
}

/// One pass from `at` on: fc1 in 10 us and 21, the activation in 1 and 2, fc2 in 5 and 6 us.
std::string pass(double at, int number) {
  const int first = 100 * number;  // of sequence numbers and correlations
  const auto op = [&](std::string_view name, double start, int sequence) {
    return event("cpu_op", name, 1, at + start, 9,
                 fmt::format(R"("Sequence number": {}, "Fwd thread id": 0)", first + sequence));
  };
  const auto back = [&](double start, int sequence) {
    return event("cpu_op", "autograd::engine::evaluate_function: SomeBackward0", 2, at + start, 9,
                 fmt::format(R"("Sequence number": {}, "Fwd thread id": 1)", first + sequence));
  };
  return event("user_annotation", fmt::format("ProfilerStep#{}", number), 1, at, 99, "") +
         op("aten::zeros", 0, 1) + op("aten::linear", 10, 1) +
         event("cpu_op", "aten::addmm", 1, at + 11, 5,
               fmt::format(R"("Sequence number": {}, "Fwd thread id": 0)", first + 9)) +
         kernel(1, at + 12, 10, first + 1) + op("aten::relu_", 20, 2) +
         kernel(1, at + 21, 1, first + 2) + op("aten::linear", 30, 3) +
         kernel(1, at + 31, 5, first + 3) + back(40, 3) + kernel(2, at + 41, 6, first + 4) +
         back(50, 2) + kernel(2, at + 51, 2, first + 5) + back(60, 9) +
         kernel(2, at + 61, 20, first + 6) + kernel(2, at + 62, 1, first + 7) +
         event("user_annotation", "Optimizer.step#SGD.step", 1, at + 80, 15, "") +
         event("cpu_op", "aten::linear", 1, at + 81, 5, "") + kernel(1, at + 82, 50, first + 8);
}

std::string trace_of(const std::string& events) {
  return R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "X"}], "traceEvents": [)" +
         events + R"({"ph": "M", "name": "process_name", "args": {}}]})";
}

struct Predicted {
  const ScratchFolder& scratch;
  Ran run(const std::string& trace) const {
    return run_ooc_paleo({"predict", scratch.file("net.json", kTracedNetwork), "--hardware", "m40",
                          "--batch", "4", "--layer-times", scratch.file("t.json", trace),
                          "--format", "json"});
  }
};

TEST_CASE("layers have the mean time of the operators and of what autograd runs for them") {
  const ScratchFolder scratch;
  const Predicted predicted{scratch};
  const std::string trace = trace_of(pass(0, 1) + pass(5000, 2));
  const Ran ran = predicted.run(trace);
  REQUIRE(ran.exit_code == 0);
  CHECK(ran.err.find("3 of 3 layers have times of the trace, 100.0 % of what ran") !=
        std::string::npos);
  const std::string text = ran.out;
  const auto has = [&](const char* times) { return text.find(times) != std::string::npos; };
  CHECK(has(R"("forward_ns": 10000)"));
  CHECK(has(R"("backward_ns": 21000)"));
  CHECK(has(R"("forward_ns": 1000)"));
  CHECK(has(R"("backward_ns": 2000)"));
  CHECK(has(R"("forward_ns": 5000)"));
  CHECK(has(R"("backward_ns": 6000)"));
  // Compressed it is the same file.
  const std::string packed = (scratch.path() / "t.json.gz").string();
  const gzFile file = gzopen(packed.c_str(), "wb");
  gzwrite(file, trace.data(), static_cast<unsigned>(trace.size()));
  gzclose(file);
  const Ran again =
      run_ooc_paleo({"predict", scratch.file("net.json", kTracedNetwork), "--hardware", "m40",
                     "--batch", "4", "--layer-times", packed, "--format", "json"});
  CHECK(again.out.substr(again.out.find("\"layers\"")) == text.substr(text.find("\"layers\"")));
  // A range tells its layer, whatever runs in it.
  const Ran named = predicted.run(trace_of(
      event("user_annotation", "fc2", 1, 0, 20, "") +
      event("cpu_op", "mine::op", 1, 1, 8, R"("Sequence number": 1, "Fwd thread id": 0)") +
      kernel(1, 2, 7, 1) +
      event("cpu_op", "MineBackward", 2, 50, 8, R"("Sequence number": 1, "Fwd thread id": 1)") +
      kernel(2, 51, 9, 2)));
  CHECK(named.err.find("1 of 3 layers have times of the trace") != std::string::npos);
  CHECK(named.out.find(R"("forward_ns": 7000)") != std::string::npos);
  CHECK(named.out.find(R"("backward_ns": 9000)") != std::string::npos);
}

TEST_CASE("what is no trace of the network is refused") {
  const ScratchFolder scratch;
  const Predicted predicted{scratch};
  const auto refused = [&](const std::string& trace, const std::string& message) {
    const Ran ran = predicted.run(trace);
    CHECK(ran.exit_code == 2);
    CHECK_MESSAGE(ran.err.find("t.json: --layer-times: found " + message) != std::string::npos,
                  ran.err);
  };
  const std::string whole = trace_of(pass(0, 1));
  refused(whole.substr(0, whole.size() / 2), "no JSON at byte ");
  refused("{}", "no operators");
  refused(trace_of(event("cpu_op", "mine", 1, 0, 1e300, R"("Sequence number": 1e300)")),
          "layers of the network for 0.0 %");
  refused(R"({"traceEvents": [{"ph": 3, "args": [[{"tid": {}}]]}, 7]})", "no operators");
  refused(trace_of(event("cpu_op", "aten::conv2d", 1, 0, 9, "")),
          "layers of the network for 0.0 %");
  std::string other = pass(0, 1);
  other +=
      event("cpu_op", "aten::linear", 1, 4000, 9, R"("Sequence number": 9)") +
      event("cpu_op", "AddmmBackward0", 2, 4050, 9, R"("Sequence number": 9, "Fwd thread id": 1)");
  refused(trace_of(other),
          "layers of the network for 6.7 % of what ran; numbers differ of linear (3 calls");
}

}  // namespace
}  // namespace ooc::test
