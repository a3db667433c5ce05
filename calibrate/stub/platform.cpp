// The host's part with the fake device: time passes on the simulated clock. See platform.hpp.
#include "calibrate/bench/platform.hpp"

#include "calibrate/stub/device.hpp"
#include "calibrate/stub/memory.hpp"

namespace ooc::bench {

const char* backend_name() { return "stub"; }

double host_now_ns() { return stub::device().host_now_ns(); }

double copy_on_host_ns(void* target, const void* source, std::size_t bytes, unsigned) {
  const double ns =
      2 * static_cast<double>(bytes) / stub::settings().host_rate * 1e9 * stub::device().vary();
  stub::copy_bytes(target, source, bytes, false);
  stub::device().spend_host_ns(ns);
  return ns;
}

double touch_on_host_ns(void* managed, std::size_t bytes) {
  const stub::Settings& s = stub::settings();
  const double ns =
      (s.to_far_latency_ns + static_cast<double>(bytes) / (s.to_far_rate * s.fault_factor) * 1e9) *
      stub::device().vary();
  stub::set_resident_near(managed, false);
  stub::device().spend_host_ns(ns);
  return ns;
}

double timer_tick_ns() { return 1; }

void load_everything(int) {}

}  // namespace ooc::bench
