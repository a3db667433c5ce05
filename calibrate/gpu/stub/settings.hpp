// What the fake device is like and what goes wrong on it, read from environment variables (the tables in
// docs/gpu-protocol.md, "The stub device").
#pragma once

#include <cstdint>
#include <string>

namespace ooc::gpu::stub {

struct Settings {
  double devices = 1;
  double memory = 8.0 * 1024 * 1024 * 1024;
  double free = -1;  // as memory
  double to_near_rate = 25e9, to_far_rate = 26e9;
  double to_near_latency_ns = 8000, to_far_latency_ns = 9000;
  double duplex = 0.9;
  double pageable_factor = 0.4, prefetch_factor = 0.8, fault_factor = 0.3;
  double copy_slowdown = 0.9, kernel_slowdown = 0.8;
  double near_rate = 1e12, host_rate = 4e10;
  double flops = 1e13;
  double issue_ns = 2000, launch_ns = 1500;
  double sleep_ns = 0;  ///< that a call really lasts
  double noise = 0, outliers = 0;
  double warmup_copies = 0;
  double seed = 1;
  double concurrent_managed = 1;
  double page_bytes = 4096;  // the smallest page that can be mapped; 0: none
};

// Throws std::runtime_error that names a key it does not know or a value that is no number.
Settings parse_settings(const std::string& text);

// What the environment says shall happen at this call of `name`; counts the call.
struct Fault {
  int code = 0;          // the error to return, 0: none
  bool corrupt = false;  // one byte shall arrive wrong
};
Fault next_fault(const std::string& name);

}  // namespace ooc::gpu::stub
