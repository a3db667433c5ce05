// ooc-paleo-gpu: measures one GPU and speaks a line protocol on standard input and output. The only program of
// this project that needs CUDA; `ooc-paleo calibrate` starts it as a child. docs/gpu-protocol.md has all of it.
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include "calibrate/gpu/server.hpp"
#include "calibrate/gpu/version.hpp"

namespace {

constexpr int kExitUsage = 2;

const char kUsage[] =
    "ooc-paleo-gpu [--device N] [--need BYTES] [--script FILE --output FILE [--budget-seconds S]]\n"
    "  --device N           the CUDA device (default 0)\n"
    "  --need BYTES         near memory that must be free (default 64 MiB)\n"
    "  --script FILE        requests from a file instead of standard input\n"
    "  --output FILE        with --script: answers are appended here; what it has is not done "
    "again\n"
    "  --budget-seconds S   with --script: begin no request after this time\n"
    "The line protocol is described in docs/gpu-protocol.md.\n";

struct Arguments {
  int device = 0;
  std::size_t need = std::size_t{64} << 20;
  ooc::gpu::Script script{"", "", 1e9};
};

double number(const std::string& flag, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value >= 0) || value > 1e15) {
    throw std::runtime_error(flag + ": found '" + text + "', expected a number");
  }
  return value;
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; i += 2) {
    const std::string flag = argv[i];
    if (i + 1 == argc) throw std::runtime_error(flag + ": its value is missing (try --help)");
    const std::string value = argv[i + 1];
    if (flag == "--device") {
      arguments.device = static_cast<int>(number(flag, value));
    } else if (flag == "--need") {
      arguments.need = static_cast<std::size_t>(number(flag, value));
    } else if (flag == "--script") {
      arguments.script.requests = value;
    } else if (flag == "--output") {
      arguments.script.answers = value;
    } else if (flag == "--budget-seconds") {
      arguments.script.budget_seconds = number(flag, value);
    } else {
      throw std::runtime_error("unknown argument '" + flag + "' (try --help)");
    }
  }
  if (arguments.script.requests.empty() != arguments.script.answers.empty()) {
    throw std::runtime_error("--script and --output belong together");
  }
  return arguments;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--help") {
    std::cout << kUsage;
    return 0;
  }
  if (argc == 2 && std::string(argv[1]) == "--version") {
    std::cout << "ooc-paleo-gpu " << ooc::gpu::kVersion << '\n';
    return 0;
  }
  try {
    const Arguments arguments = parse(argc, argv);
    if (!arguments.script.requests.empty()) {
      return ooc::gpu::run_script(arguments.script, arguments.device, arguments.need);
    }
    return ooc::gpu::run_conversation(arguments.device, arguments.need);
  } catch (const std::exception& error) {
    std::cerr << "ooc-paleo-gpu: " << error.what() << '\n';
    return kExitUsage;
  }
}
