// ooc-paleo-gpu: measures one GPU and prints what it measured as JSON, one object a line. The only program of this
// project that needs CUDA; `ooc-paleo calibrate` starts it. docs/calibration.md has all of it.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>

#include "calibrate/bench/run.hpp"

namespace {

using ooc::bench::Options;

const char kUsage[] =
    "ooc-paleo-gpu [--quick | --full] [--device N] [--only GROUPS] [--output FILE | --resume "
    "FILE]\n"
    "              [--replay FILE] [--within S] [--limit S]\n"
    "  --quick, --full  less than a minute (default), or everything in less than eight\n"
    "  --device N       the device, numbered as nvidia-smi has it (default 0)\n"
    "  --only GROUPS    of pinned,costs,replay,pageable,unified (default: all)\n"
    "  --output FILE    append to FILE; what it has is not measured again\n"
    "  --resume FILE    print to standard output what FILE lacks\n"
    "  --replay FILE    plans of `ooc-paleo replay --export-plan`\n"
    "  --within S       begin no request that would end later\n"
    "  --limit S        give a request up after this time beside 4 times its estimate (default 20)\n"
    "Exit status: 0 done, 2 bad usage, 4 the device failed for good, 5 no usable device.\n";

double number(const std::string& flag, const std::string& text, double most) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value >= 0) || value > most) {
    throw std::runtime_error(flag + ": found '" + text + "', expected a number");
  }
  return value;
}

std::set<std::string> groups(const std::string& text) {
  std::set<std::string> chosen;
  std::istringstream list(text);
  for (std::string each; std::getline(list, each, ',');) {
    if (Options{}.groups.count(each) == 0) {
      throw std::runtime_error("--only: found '" + each + "' (try --help)");
    }
    chosen.insert(each);
  }
  return chosen;
}

std::vector<std::shared_ptr<const ooc::bench::Plan>> plans(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("--replay: " + path + " cannot be read");
  return ooc::bench::read_plans(file, path);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const bool effort = flag == "--full" || flag == "--quick";
    if (effort) options.full = flag == "--full";
    if (effort) continue;
    if (i + 1 == argc) {
      throw std::runtime_error(flag + ": unknown, or its value is missing (try --help)");
    }
    const std::string value = argv[++i];
    const std::map<std::string, std::function<void()>> known{
        {"--device", [&] { options.device = static_cast<int>(number(flag, value, 1e6)); }},
        {"--only", [&] { options.groups = groups(value); }},
        {"--output", [&] { options.output = value; }},
        {"--resume", [&] { options.resume = value; }},
        {"--replay", [&] { options.plans = plans(value); }},
        {"--within", [&] { options.within_s = number(flag, value, 1e9); }},
        {"--limit", [&] { options.limit_s = number(flag, value, 1e6); }}};
    const auto found = known.find(flag);
    if (found == known.end()) {
      throw std::runtime_error("unknown argument '" + flag + "' (try --help)");
    }
    found->second();
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string only = argc == 2 ? argv[1] : "";
  if (only == "--help") return std::fputs(kUsage, stdout) < 0;
  if (only == "--version") return std::puts(ooc::bench::kProgram) < 0;
  try {
    return ooc::bench::supervise(parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ooc-paleo-gpu: %s\n", error.what());
    return ooc::bench::kExitUsage;
  }
}
