// Reads the stub's settings and counts calls for its faults. See settings.hpp.
#include "calibrate/stub/settings.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <vector>

namespace ooc::bench::stub {
namespace {

struct Key {
  const char* name;
  double Settings::*member;
};

const Key kKeys[] = {{"devices", &Settings::devices},
                     {"memory", &Settings::memory},
                     {"free", &Settings::free},
                     {"to_near_rate", &Settings::to_near_rate},
                     {"to_far_rate", &Settings::to_far_rate},
                     {"to_near_latency_ns", &Settings::to_near_latency_ns},
                     {"to_far_latency_ns", &Settings::to_far_latency_ns},
                     {"duplex", &Settings::duplex},
                     {"pageable_factor", &Settings::pageable_factor},
                     {"prefetch_factor", &Settings::prefetch_factor},
                     {"fault_factor", &Settings::fault_factor},
                     {"copy_slowdown", &Settings::copy_slowdown},
                     {"kernel_slowdown", &Settings::kernel_slowdown},
                     {"near_rate", &Settings::near_rate},
                     {"host_rate", &Settings::host_rate},
                     {"issue_ns", &Settings::issue_ns},
                     {"sleep_ns", &Settings::sleep_ns},
                     {"launch_ns", &Settings::launch_ns},
                     {"noise", &Settings::noise},
                     {"outliers", &Settings::outliers},
                     {"warmup_copies", &Settings::warmup_copies},
                     {"seed", &Settings::seed},
                     {"concurrent_managed", &Settings::concurrent_managed},
                     {"integrated", &Settings::integrated},
                     {"host_page_tables", &Settings::host_page_tables},
                     {"driver", &Settings::driver},
                     {"l2", &Settings::l2},
                     {"multiprocessors", &Settings::multiprocessors}};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
    if (end == std::string::npos) break;
    begin = end + 1;
  }
  return parts;
}

double number(const std::string& text, const std::string& of) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') {
    throw std::runtime_error(of + ": '" + text + "' is no number");
  }
  return value;
}

// Does the variable's value "call:n[:code]" mean this call? Then its third part, else -1.
int meant(const char* variable, const std::string& name, int count, int if_meant) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return -1;
  const std::vector<std::string> parts = split(value, ':');
  if (parts.size() < 2 || parts.size() > 3) {
    throw std::runtime_error(std::string(variable) + ": expected call:n, found '" + value + "'");
  }
  if (parts[0] != name || static_cast<int>(number(parts[1], variable)) != count) return -1;
  return parts.size() == 3 ? static_cast<int>(number(parts[2], variable)) : if_meant;
}

}  // namespace

const char* device_name() {
  const char* name = std::getenv("OOC_STUB_NAME");
  return name == nullptr || *name == '\0' ? "Stub device" : name;
}

Settings parse_settings(const std::string& text) {
  Settings settings;
  if (text.empty()) return settings;
  for (const std::string& pair : split(text, ',')) {
    const std::size_t equals = pair.find('=');
    const std::string name = pair.substr(0, equals);
    double Settings::*member = nullptr;
    for (const Key& key : kKeys) {
      if (name == key.name) member = key.member;
    }
    if (member == nullptr) throw std::runtime_error("OOC_STUB: unknown setting '" + name + "'");
    settings.*member =
        number(equals == std::string::npos ? "" : pair.substr(equals + 1), "OOC_STUB: " + name);
  }
  return settings;
}

Fault next_fault(const std::string& name) {
  static std::map<std::string, int> calls;
  const int count = ++calls[name];
  if (meant("OOC_STUB_DIE", name, count, 1) > 0) {
    std::raise(SIGKILL);
  }
  if (meant("OOC_STUB_HANG", name, count, 1) > 0) {
    for (;;) pause();
  }
  Fault fault;
  const int code = meant("OOC_STUB_FAIL", name, count, 2);
  if (code > 0) fault.code = code;
  fault.corrupt = meant("OOC_STUB_CORRUPT", name, count, 1) > 0;
  return fault;
}

}  // namespace ooc::bench::stub
