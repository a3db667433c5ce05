// A measured profile's connection: a line or a curve for each mode and direction, page faults, the
// link's name and what it carries both ways at once.
//
// A straight line's latency is end to end, measured. The cost model adds the latencies of both
// memories to it and limits its rate by theirs, so that the memories (assemble_memories.cpp) get
// latency 0 and at least the rate that copies were seen to have.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <variant>

#include "calibrate/session/assembler.hpp"
#include "model/base/errors.hpp"

namespace ooc {
namespace {

const char* shape(const TransferFit& fit) { return fit.is_curve() ? "curve" : "line"; }

TransferLine rounded(const TransferLine& line) {
  if (const auto* straight = std::get_if<StraightLine>(&line)) {
    return StraightLine{rate_from(static_cast<double>(straight->throughput.count())),
                        straight->latency};
  }
  return line;
}

/// Six decimals: rounded down it could be less than taking turns.
Ratio rounded_up(double share) {
  return Ratio(std::min<std::int64_t>(kOne.count(),
                                      static_cast<std::int64_t>(std::ceil(share * 1e6)) * 1000));
}

std::string shares_text(const DuplexShares& shares) {
  if (shares.alike()) return fmt::format("{:.3f}", shares.to_near);
  return fmt::format("{:.3f} to near and {:.3f} to far", shares.to_near, shares.to_far);
}

}  // namespace

void Assembler::copies() {
  Connection& connection = result_.profile.connection;
  for (const char* mode : kCopyModes) {
    const TransferFit* near = calibration_.copy(mode, "to_near");
    const TransferFit* far = calibration_.copy(mode, "to_far");
    if (near == nullptr && far == nullptr) continue;
    if (near == nullptr || far == nullptr) {
      result_.remarks.push_back(std::string(mode) +
                                ": only one direction was measured; it stays as in " +
                                head_.like.name);
      continue;
    }
    TransferMode& kept = connection.modes[mode];
    kept = {};
    kept.to_near = rounded(near->kept);
    kept.to_far = rounded(far->kept);
    const std::string fields = std::string("connection.modes.") + mode;
    measured(fields.c_str(),
             fmt::format("{} sizes to near memory ({}), {} to far memory ({})", near->sizes.size(),
                         shape(*near), far->sizes.size(), shape(*far)));
    if (std::string_view(mode) == "unified_fault") faults(kept);
  }
  if (calibration_.copy("pinned", "to_near") == nullptr ||
      calibration_.copy("pinned", "to_far") == nullptr) {
    throw SpecError({.file = "",
                     .place = "samples",
                     .found = "no pinned copies in both directions",
                     .expected = "at least those: a profile is nothing without them",
                     .hint = "let the calibration run longer, or go on with --from"});
  }
  link();
}

void Assembler::faults(TransferMode& mode) {
  const FaultFit& fit = *calibration_.faults;
  const double rate = fit.ns_per_byte > 0 ? 1e9 / fit.ns_per_byte : 1e18;
  mode.to_near = StraightLine{rate_from(rate), Duration(std::llround(fit.latency_ns))};
  mode.page = fit.page;
  mode.fault = Duration(std::llround(fit.fault_ns));
  measured("connection.modes.unified_fault.to_near",
           "between faults: the rate of a prefetch; what faults take is in page and fault");
  measured("connection.modes.unified_fault.page",
           "of the groups from 4 KiB to 2 MiB the one that fits the times best");
  measured("connection.modes.unified_fault.fault",
           "what a kernel that reads host-resident pages takes beyond moving them");
  // A host thread that touches pages brings them back one fault at a time; what the driver evicts
  // leaves as a prefetch does.
  const TransferFit* prefetch = calibration_.copy("unified_prefetch", "to_far");
  if (prefetch == nullptr) return;
  mode.to_far = rounded(prefetch->kept);
  measured("connection.modes.unified_fault.to_far",
           "what is evicted leaves at the rate of a prefetch; a host thread that touches the pages "
           "is in the report");
}

void Assembler::link() {
  Connection& connection = result_.profile.connection;
  if (!calibration_.link) return;
  const auto expected = expected_pcie(calibration_.link->generation, calibration_.link->width);
  if (!expected) return;
  // The bus that is read is not always the link that copies take (NVLink to the host).
  const TransferFit* near = calibration_.copy("pinned", "to_near");
  if (top_rate(*near) > static_cast<double>(expected->theoretical.count())) {
    result_.remarks.push_back(
        "the link is faster than the PCIe that the system tells of: it is named as in " +
        head_.like.name);
    return;
  }
  connection.name = expected->name;
  connection.theoretical = expected->theoretical;
  say("connection.theoretical", ProvenanceKind::kDatasheet,
      "PCI Express: lanes x transfer rate x coding, for the generation and width that were read");
}

double Assembler::peak_rate(const TransferLine& line) const {
  if (const auto* straight = std::get_if<StraightLine>(&line)) {
    return static_cast<double>(
        std::min({straight->throughput, result_.profile.near_memory.throughput,
                  result_.profile.far_memory.throughput})
            .count());
  }
  return std::get<SizeCurve>(line).peak_rate();
}

void Assembler::duplex() {
  Connection& connection = result_.profile.connection;
  const auto share_of = [](Ratio ratio) {
    return static_cast<double>(ratio.count()) / static_cast<double>(kOne.count());
  };
  const DuplexShares measured_shares = calibration_.duplex.value_or(
      DuplexShares{share_of(connection.duplex.to_near), share_of(connection.duplex.to_far)});
  // Both shares go up by the same part of what they lack, until both directions of the mode that asks
  // for most carry what the faster one does alone.
  double part = 0;
  std::string mode_of_least = "pinned";
  for (const auto& [name, mode] : connection.modes) {
    if (name == "unified_fault") continue;  // as the reader
    const double in = peak_rate(mode.to_near);
    const double out = peak_rate(mode.to_far);
    const double kept = in * measured_shares.to_near + out * measured_shares.to_far;
    const double lacks = std::max(in, out) - kept;
    if (!(in + out > 0) || lacks <= part * (in + out - kept)) continue;
    part = lacks / (in + out - kept);
    mode_of_least = name;
  }
  const auto raised = [&](double share) { return share + part * (1 - share); };
  const DuplexShares shares{raised(measured_shares.to_near), raised(measured_shares.to_far)};
  connection.duplex = Duplex(rounded_up(shares.to_near), rounded_up(shares.to_far));
  if (!calibration_.duplex) return;
  std::string source =
      shares.alike() ? "both directions of pinned copies at once: sum of the rates against alone"
                     : "both directions of pinned copies at once: the rate of each against alone";
  if (std::max(shares.to_near - measured_shares.to_near, shares.to_far - measured_shares.to_far) >
      1e-6) {
    const std::string change =
        fmt::format("measured {}, raised to {}, what taking turns gives mode {}",
                    shares_text(measured_shares), shares_text(shares), mode_of_least);
    source += "; " + change;
    result_.remarks.push_back("connection.duplex: " + change);
  }
  measured("connection.duplex", source);
}

}  // namespace ooc
