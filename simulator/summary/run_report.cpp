// Names that reports give to the values of run_report.hpp, and the largest of its waits.
#include "simulator/summary/run_report.hpp"

#include <algorithm>

namespace ooc {

std::string_view action_name(TensorAction action) {
  switch (action) {
    case TensorAction::kKeep:
      return "keep";
    case TensorAction::kSwap:
      return "swap";
    case TensorAction::kRecompute:
      return "recompute";
    case TensorAction::kCompress:
      return "compress";
  }
  return "keep";
}

std::optional<LargestWait> largest_wait(const RunReport& report) {
  const auto largest = std::max_element(report.stalls.begin(), report.stalls.end());
  if (largest->count() == 0) return std::nullopt;
  return LargestWait{
      static_cast<StallCause>(largest - report.stalls.begin()), *largest,
      static_cast<double>(largest->count()) / static_cast<double>(report.iteration_time.count())};
}

std::string_view limit_name(StallCause cause) {
  switch (cause) {
    case StallCause::kDependency:
      return "dependencies";
    case StallCause::kSwapIn:
      return "link to near memory";
    case StallCause::kSwapOut:
      return "link to far memory";
    case StallCause::kMemory:
      return "memory capacity";
    case StallCause::kFault:
      return "page faults";
    case StallCause::kRecompute:
      return "recomputation";
    case StallCause::kLaunch:
      return "kernel launches";
    case StallCause::kUpdate:
      return "updates in far memory";
  }
  return "";
}

}  // namespace ooc
