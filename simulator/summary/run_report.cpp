// Names that reports give to the values of run_report.hpp, and the largest of its losses.
#include "simulator/summary/run_report.hpp"

#include <algorithm>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"

namespace ooc {

void ask(AskedFor& asked, std::string_view key, std::string json) {
  if (auto* same = find_named(asked, key)) {
    same->second = std::move(json);
  } else {
    asked.emplace_back(key, std::move(json));
  }
}

std::string_view action_name(TensorAction action) {
  return text_at(action, {"keep", "swap", "recompute", "compress"});
}

std::optional<Bytes> needed_bytes(const OutOfMemory& oom) {
  if (oom.smallest_budget) return oom.smallest_budget;
  const bool is_far = oom.tier == OutOfMemory::Tier::kFar;
  return !oom.least_budget && is_far ? oom.far_taken : oom.least_budget;
}

std::string_view needed_word(const OutOfMemory& oom) {
  return oom.smallest_budget ? "" : oom.least_budget ? "more than " : "at most ";
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
  const auto largest = std::ranges::max_element(report.stalls);
  const Duration slower = report.compute_time - report.reference_time;
  const Duration most = std::max(slower, *largest);
  if (most <= Duration(0)) return std::nullopt;
  LargestLoss loss;
  loss.share = most / report.iteration_time;
  if (most > slower) loss.cause = static_cast<StallCause>(largest - report.stalls.begin());
  return loss;
}

std::string_view limit_name(StallCause cause) {
  return text_at(cause, {"dependencies", "link to near memory", "link to far memory",
                         "memory capacity", "page faults", "recomputation", "kernel launches",
                         "updates in far memory", "framework's hooks", "exchange between devices"});
}

std::string_view limit_name(const LargestLoss& loss, const RunReport& report) {
  if (loss.cause) return limit_name(*loss.cause);
  // Kernels for fewer samples are less efficient, whatever the algorithm.
  return report.rounds > 1 ? "micro-batches" : "slower algorithms";
}

}  // namespace ooc
