// Reads the stub's settings and counts calls for its faults. See device.hpp.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <vector>

#include "calibrate/stub/device.hpp"

namespace ooc::bench::stub {
namespace {

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

const Settings& settings() {
  static const Settings kParsed = [] {
    Settings settings;
    const char* text = std::getenv("OOC_STUB");
    for (const std::string& pair : split(text == nullptr ? "" : text, ',')) {
      if (pair.empty()) continue;
      const std::string name = pair.substr(0, pair.find('='));
      double* member = nullptr;
#define OOC_STUB_FIND(key, usual) \
  if (name == #key) member = &settings.key;
      OOC_STUB_SETTINGS(OOC_STUB_FIND)
      if (member == nullptr) throw std::runtime_error("OOC_STUB: unknown setting '" + name + "'");
      *member = number(pair.substr(std::min(pair.size(), name.size() + 1)), "OOC_STUB: " + name);
    }
    return settings;
  }();
  return kParsed;
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
