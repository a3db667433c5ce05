// Turns a CUDA status into an exception or a message. See check.hpp.
#include "calibrate/bench/check.hpp"

#include <cstdio>

namespace ooc::bench {

std::string call_name(const char* expression) {
  const std::string text = expression;
  return text.substr(0, text.find('('));
}

std::string file_name(const char* path) {
  const std::string text = path;
  const std::size_t slash = text.rfind('/');
  return slash == std::string::npos ? text : text.substr(slash + 1);
}

void check(cudaError_t status, const char* expression, const char* file, int line) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // an error that does not stay must not hit the next call
  throw CallFailure{call_name(expression),      static_cast<int>(status), cudaGetErrorName(status),
                    cudaGetErrorString(status), file_name(file),          line};
}

void report(cudaError_t status, const char* expression, const char* file, int line) noexcept {
  static bool said = false;  // a device that has failed for good fails every call
  if (status == cudaSuccess || said) return;
  said = true;
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, expression, cudaGetErrorString(status));
}

}  // namespace ooc::bench
