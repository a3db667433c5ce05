// Every call into CUDA is checked: OOC_GPU_CHECK(cudaFree(p)) throws a CallFailure that
// knows the call, its status, file and line, which become an `error` record. RequestError is everything else
// that ends a request: a key that is missing, a size that does not fit.
#pragma once

#include <string>

#include "calibrate/bench/cuda_layer.hpp"

namespace ooc::bench {

struct CallFailure {
  std::string call;
  int code;
  std::string name;
  std::string text;
  std::string file;
  int line;
};

struct RequestError {
  std::string text;
};

// "cudaFree(p)" -> "cudaFree"; "/a/b/c.cpp" -> "c.cpp".
std::string call_name(const char* expression);
std::string file_name(const char* path);

void check(cudaError_t status, const char* expression, const char* file, int line);

// In destructors and other places that cannot throw: a failure goes to standard error.
void report(cudaError_t status, const char* expression, const char* file, int line) noexcept;

}  // namespace ooc::bench

#define OOC_GPU_CHECK(call) ::ooc::bench::check((call), #call, __FILE__, __LINE__)
#define OOC_GPU_REPORT(call) ::ooc::bench::report((call), #call, __FILE__, __LINE__)
