// What the fake device is like and what goes wrong on it, read from environment variables.
//   OOC_STUB                  key=value,...  keys are the members of Settings
//   OOC_STUB_FAIL=call:n[:code]  the nth call of that name returns this CUDA error (2); codes from 700 on stay
//   OOC_STUB_HANG, OOC_STUB_DIE=call:n  it never returns, it kills the process
//   OOC_STUB_CORRUPT=call:n   a copy or prefetch: one byte arrives wrong
//   OOC_STUB_NAME             the device's name
#pragma once

#include <cstdint>
#include <string>

namespace ooc::bench::stub {

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
  double issue_ns = 2000, launch_ns = 1500;
  double sleep_ns = 0;  ///< that a call really lasts
  double noise = 0, outliers = 0;
  double warmup_copies = 0;
  double seed = 1;
  double concurrent_managed = 1;
  double integrated = 0;        // its memory is the host's
  double host_page_tables = 0;  // reads far memory in place of moving pages
  double driver = 13000;        // the newest CUDA that it knows; 0: there is none
  double l2 = 4.0 * 1024 * 1024;
  double multiprocessors = 4;
};

// OOC_STUB_NAME, else "Stub device".
const char* device_name();

// Throws std::runtime_error that names a key it does not know or a value that is no number.
Settings parse_settings(const std::string& text);

// What the environment says shall happen at this call of `name`; counts the call.
struct Fault {
  int code = 0;          // the error to return, 0: none
  bool corrupt = false;  // one byte shall arrive wrong
};
Fault next_fault(const std::string& name);

}  // namespace ooc::bench::stub
