// Small networks and a machine as JSON text, for tests that want numbers small enough to redo by
// hand.
#pragma once

#include <string>

namespace ooc::tiny {

/// A network of these layers (JSON objects separated by commas) on one input of `shape`.
inline std::string network(const std::string& layers, const std::string& shape = "[2, 4, 4]") {
  return R"({"format": "ooc-paleo/network", "version": 1, "name": "tiny", "source": "made up for a test",
    "inputs": [{"name": "data", "shape": )" +
         shape + R"(}], "layers": [)" + layers + "]}";
}

/// 1 TFLOP/s at efficiency 1 and 0.5 (linear), 100 GB/s near memory, no launch cost; link 10 GB/s
/// in, 5 GB/s out, 1 + 2 + 3 us of latency; far memory 20 GB/s.
inline std::string machine(const std::string& launch = "0 us", const std::string& duplex = "1.0") {
  return R"({"format": "ooc-paleo/hardware-profile", "version": 1, "name": "tiny-machine",
    "description": "made up for a test",
    "compute": {"peak": {"float32": "1 TFLOP/s"}, "efficiency": {"default": 1.0, "linear": 0.5, "memory": 1.0},
                "kernel_launch": ")" +
         launch + R"("},
    "near_memory": {"capacity": "1 GiB", "reserved": "24 MiB", "throughput": "100 GB/s", "latency": "1 us"},
    "far_memory": {"capacity": "8 GiB", "throughput": "20 GB/s", "latency": "2 us"},
    "connection": {"name": "test link", "duplex": )" +
         duplex + R"(, "modes": {
      "pinned": {"to_near": {"throughput": "10 GB/s", "latency": "3 us"}, "to_far": {"throughput": "5 GB/s", "latency": "3 us"}},
      "pageable": {"to_near": {"curve": [["1 kB", "10 us"], ["1 MB", "110 us"], ["10 MB", "1010 us"]]},
                   "to_far": {"curve": [["1 kB", "10 us"], ["1 MB", "110 us"], ["10 MB", "1010 us"]]}}}},
    "devices": 1,
    "provenance": [{"fields": "*", "kind": "assumed", "source": "made up for a test", "date": "2026-01"}]})";
}

}  // namespace ooc::tiny
