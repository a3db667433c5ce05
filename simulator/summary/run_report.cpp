// Names that reports give to the values of run_report.hpp, and the largest of its losses.
#include "simulator/summary/run_report.hpp"

#include <algorithm>

namespace ooc {

void ask(AskedFor& asked, std::string_view key, std::string json) {
  const auto same =
      std::find_if(asked.begin(), asked.end(), [&](const auto& each) { return each.first == key; });
  if (same != asked.end()) {
    same->second = std::move(json);
  } else {
    asked.emplace_back(key, std::move(json));
  }
}

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

std::optional<Bytes> needed_bytes(const OutOfMemory& oom) {
  return oom.smallest_budget ? oom.smallest_budget : oom.least_budget;
}

Bytes lacking_bytes(const OutOfMemory& oom, Bytes there) {
  const std::optional<Bytes> needs = needed_bytes(oom);
  return needs && *needs > there ? *needs - there
                                 : oom.wanted - std::min(oom.wanted, oom.largest_hole);
}

Bytes lacking_bytes(const RunReport& report) {
  const OutOfMemory& oom = *report.out_of_memory;
  const bool near = oom.tier == OutOfMemory::Tier::kNear;
  return lacking_bytes(oom, near ? report.budget_near : report.inputs.far_memory);
}

std::optional<LargestLoss> largest_loss(const RunReport& report) {
  const auto largest = std::max_element(report.stalls.begin(), report.stalls.end());
  const Duration slower = report.compute_time - report.reference_time;
  const Duration most = std::max(slower, *largest);
  if (most <= Duration(0)) return std::nullopt;
  LargestLoss loss;
  loss.share =
      static_cast<double>(most.count()) / static_cast<double>(report.iteration_time.count());
  if (most > slower) loss.cause = static_cast<StallCause>(largest - report.stalls.begin());
  return loss;
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

std::string_view limit_name(const LargestLoss& loss, const RunReport& report) {
  if (loss.cause) return limit_name(*loss.cause);
  // Kernels for fewer samples are less efficient, whatever the algorithm.
  return report.rounds > 1 ? "micro-batches" : "slower algorithms";
}

}  // namespace ooc
