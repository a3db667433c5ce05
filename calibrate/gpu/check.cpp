// Turns a CUDA status into an exception or a message. See check.hpp.
#include "calibrate/gpu/check.hpp"

#include <cstdio>

namespace ooc::gpu {

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
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, expression, cudaGetErrorString(status));
}

}  // namespace ooc::gpu
