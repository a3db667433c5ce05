// Where each number comes from is docs/calibration.md, "The profile".
//
// A straight line's latency is end to end, measured. The cost model adds the latencies of both memories to it and
// limits its rate by theirs, so that the memories get latency 0 and at least the rate that copies were seen to have.
#include "calibrate/session/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "model/base/errors.hpp"
#include "model/base/spec_tree.hpp"
#include "model/hardware/data_sheet.hpp"

namespace ooc {
namespace {

const char* shape(const TransferFit& fit) { return fit.is_curve() ? "curve" : "line"; }

double count_of(BytesPerSecond rate) { return static_cast<double>(rate.count()); }

TransferLine rounded(const TransferLine& line) {
  const auto* straight = std::get_if<StraightLine>(&line);
  if (straight == nullptr) return line;
  return StraightLine{rate_from(count_of(straight->throughput)), straight->latency};
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

/// What every copy of this mode is limited by at most: the rate at its largest size.
double top_rate(const TransferFit& fit) {
  const SizeFit& last = fit.sizes.back();
  const double line = fit.line.ns_per_byte > 0 ? 1e9 / fit.line.ns_per_byte : 0;
  return std::max(line, static_cast<double>(last.bytes.count()) * 1e9 / last.times.median);
}

/// `NVIDIA H200` -> "nvidia-h200-measured": a name for a profile nobody named.
std::string default_profile_name(const SampleSet& set) {
  std::string name;
  for (char c : find_value(set.machine, "device_name").value_or("machine") + " ") {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  return name + "measured";
}

class Assembler {
 public:
  Assembler(const SampleSet& set, const Calibration& calibration, const ProfileHead& head)
      : set_(set), calibration_(calibration), head_(head) {}

  Assembled run() {
    profile_ = head_.like;
    profile_.host_speed = kOne;  // of another host
    std::erase_if(profile_.provenance,
                  [](const Provenance& each) { return each.fields == "host_speed"; });
    profile_.name = head_.name.empty() ? default_profile_name(set_) : head_.name;
    const std::string device = find_value(set_.machine, "device_name").value_or("unknown device");
    profile_.description =
        fmt::format("{}, measured{}{}; compute as {}", device, head_.date.empty() ? "" : " on ",
                    head_.date, head_.like.name);
    if (set_.backend != "cuda") profile_.description += " (" + set_.backend + ": no real machine)";
    // Where kernels are priced by an architecture the launch is a number of its own.
    if (!profile_.kernels && calibration_.launch.time_ns) {
      profile_.kernel_launch = Duration(std::llround(*calibration_.launch.time_ns));
      measured("compute.kernel_launch", "one of 200 empty kernels back to back, median");
    }
    copies();
    link();
    near_capacity();
    memory_rates();
    duplex();
    profile_.devices = 1;
    measured("devices", "one device was measured; the machine may hold more");
    machine();
    return std::move(result_);
  }

 private:
  void measured(const std::string& fields, std::string source) {
    say_measured(profile_, fields, std::move(source), head_.date);
  }

  void machine() {
    SpecNode node = object_node({});
    const std::optional<LinkState>& link = calibration_.link;
    for (const auto& [key, value] : set_.machine) {
      // What identifies one particular board or says nothing of the machine, and what was seen better later.
      const bool left_out = key == "pci_bus_id" || key == "device";
      const bool of_link = key == "pcie_generation" || key == "pcie_width";
      if (!left_out && !(of_link && link)) put(node, key, text_node(value));
    }
    if (link) {
      put(node, "pcie_generation", text_node(std::to_string(link->generation)));
      put(node, "pcie_width", text_node(std::to_string(link->width)));
    }
    put(node, "measured_with", text_node(set_.program));
    put(node, "backend", text_node(set_.backend));
    if (!set_.effort.empty()) put(node, "effort", text_node(set_.effort));
    if (!set_.date.empty()) put(node, "date", text_node(set_.date));
    profile_.machine = std::move(node);
  }

  void copies() {
    for (const char* mode : kCopyModes) {
      const TransferFit* near = calibration_.copy(mode, "to_near");
      const TransferFit* far = calibration_.copy(mode, "to_far");
      if (near == nullptr && far == nullptr) continue;
      if (near == nullptr || far == nullptr) {
        result_.remarks.push_back(fmt::format(
            "{}: only one direction was measured; it stays as in {}", mode, head_.like.name));
        continue;
      }
      TransferMode& kept = profile_.connection.modes[mode];
      kept = {};
      kept.to_near = rounded(near->kept);
      kept.to_far = rounded(far->kept);
      measured(std::string("connection.modes.") + mode,
               fmt::format("{} sizes to near memory ({}), {} to far memory ({})",
                           near->sizes.size(), shape(*near), far->sizes.size(), shape(*far)));
      if (std::string_view(mode) == "unified_fault") faults(kept);
    }
    if (calibration_.copy("pinned", "to_near") != nullptr &&
        calibration_.copy("pinned", "to_far") != nullptr) {
      return;
    }
    bad_value("samples", "no pinned copies in both directions",
              "at least those: a profile is nothing without them",
              "let the calibration run longer, or go on with --from");
  }

  void faults(TransferMode& mode) {
    const FaultFit& fit = *calibration_.faults;
    const double rate = fit.ns_per_byte > 0 ? 1e9 / fit.ns_per_byte : 1e18;
    mode.to_near = StraightLine{rate_from(rate), Duration(std::llround(fit.latency_ns))};
    mode.page = fit.page;
    mode.fault = Duration(std::llround(fit.fault_ns));
    const std::string fields = "connection.modes.unified_fault.";
    measured(fields + "to_near",
             "between faults: the rate of a prefetch; what faults take is in page and fault");
    measured(fields + "page", "of the groups from 4 KiB to 2 MiB the one that fits the times best");
    measured(fields + "fault",
             "what a kernel that reads host-resident pages takes beyond moving them");
    // A host thread that touches pages brings them back one fault at a time; what the driver evicts
    // leaves as a prefetch does.
    const TransferFit* prefetch = calibration_.copy("unified_prefetch", "to_far");
    if (prefetch == nullptr) return;
    mode.to_far = rounded(prefetch->kept);
    measured(fields + "to_far",
             "what is evicted leaves at the rate of a prefetch; a host thread that touches the "
             "pages is in the report");
  }

  void link() {
    if (!calibration_.link) return;
    const auto expected = expected_pcie(calibration_.link->generation, calibration_.link->width);
    if (!expected) return;
    // The bus that is read is not always the link that copies take (NVLink to the host).
    if (top_rate(*calibration_.copy("pinned", "to_near")) > count_of(expected->theoretical)) {
      result_.remarks.push_back(
          "the link is faster than the PCIe that the system tells of: it is named as in " +
          head_.like.name);
      return;
    }
    profile_.connection.name = expected->name;
    profile_.connection.theoretical = expected->theoretical;
    measured("connection.theoretical",
             "PCI Express: lanes x transfer rate x coding, for the generation and width that were "
             "read");
    profile_.provenance.back().kind = ProvenanceKind::kDatasheet;
    profile_.provenance.back().date.clear();
  }

  void near_capacity() {
    MemoryTier& near = profile_.near_memory;
    const long long total = find_integer(set_.machine, "memory_total_bytes").value_or(0);
    const long long free = find_integer(set_.machine, "memory_free_bytes").value_or(0);
    if (total <= 0 || total >= kMaxTotalBytes) return;
    near.capacity = Bytes(total);
    measured("near_memory.capacity", "as the driver reports it");
    near.reserved = std::min(near.reserved, Bytes(total / 2));
    if (free <= 0 || free > total) return;
    near.reserved = Bytes(total - free);
    measured("near_memory.reserved",
             "total - free when the measuring program had its context; libraries take more");
  }

  /// At least what copies over the link were seen to reach; `rate` 0: not measured.
  void memory_rate(MemoryTier& tier, const std::string& name, double rate,
                   const std::string& source) {
    double fastest = 0;
    for (const CopyFit& copy : calibration_.copies) fastest = std::max(fastest, top_rate(copy.fit));
    const std::string fields = name + ".throughput";
    const bool known = rate >= fastest && rate > 0;
    if (rate > 0 || fastest > count_of(tier.throughput)) {
      tier.throughput = rate_from(std::max(rate, fastest));
      measured(fields, known ? source : "at least what copies over the link were seen to reach");
    }
    tier.latency = Duration(0);
    measured(name + ".latency",
             "0: part of the connection's latency, which was measured end to end");
  }

  /// Prices of kernels take the architecture's share of near memory's rate: what a streaming kernel reached is that share.
  void memory_rates() {
    const double share =
        profile_.kernels ? profile_.kernels->architecture->parameters.near_share : 1.0;
    std::string near = fmt::format(
        "copies and a streaming kernel beyond the caches reach {:.4g} GB/s, read plus written",
        calibration_.near_rate / 1e9);
    if (share < 1) {
      near += fmt::format(", which is the share {:.4g} of it that the architecture's kernels get",
                          share);
    }
    memory_rate(profile_.near_memory, "near_memory", calibration_.near_rate / share, near);
    memory_rate(profile_.far_memory, "far_memory", calibration_.host_rate,
                "copies from host buffer to host buffer with all threads, read plus written");
    const long long host = find_integer(set_.machine, "host_memory_bytes").value_or(0);
    if (host <= 0 || host >= kMaxTotalBytes) return;
    profile_.far_memory.capacity = Bytes(host);
    profile_.far_memory.reserved = std::min(host_reserve(Bytes(host)), Bytes(host / 2));
    measured("far_memory.capacity", "the host's memory; others use some of it");
  }

  /// Behind the memories, which limit the rates.
  void duplex() {
    Connection& connection = profile_.connection;
    const DuplexShares found = calibration_.duplex.value_or(
        DuplexShares{connection.duplex.to_near / kOne, connection.duplex.to_far / kOne});
    // Both shares go up by the same part of what they lack, until both directions of the mode that asks
    // for most carry what the faster one does alone.
    double part = 0;
    std::string mode_of_least = "pinned";
    for (const auto& [name, mode] : connection.modes) {
      if (name == "unified_fault") continue;  // as the reader
      const double in = peak_rate(mode.to_near, profile_);
      const double out = peak_rate(mode.to_far, profile_);
      const double kept = in * found.to_near + out * found.to_far;
      const double lacks = std::max(in, out) - kept;
      if (!(in + out > 0) || lacks <= part * (in + out - kept)) continue;
      part = lacks / (in + out - kept);
      mode_of_least = name;
    }
    const auto raised = [&](double share) { return share + part * (1 - share); };
    const DuplexShares shares{raised(found.to_near), raised(found.to_far)};
    connection.duplex = Duplex(rounded_up(shares.to_near), rounded_up(shares.to_far));
    if (!calibration_.duplex) return;
    std::string source = fmt::format("both directions of pinned copies at once: {} against alone",
                                     shares.alike() ? "sum of the rates" : "the rate of each");
    if (std::max(shares.to_near - found.to_near, shares.to_far - found.to_far) > 1e-6) {
      const std::string change =
          fmt::format("measured {}, raised to {}, what taking turns gives mode {}",
                      shares_text(found), shares_text(shares), mode_of_least);
      source += "; " + change;
      result_.remarks.push_back("connection.duplex: " + change);
    }
    measured("connection.duplex", source);
  }

  const SampleSet& set_;
  const Calibration& calibration_;
  const ProfileHead& head_;
  Assembled result_;
  HardwareProfile& profile_ = result_.profile;
};

}  // namespace

BytesPerSecond rate_from(double bytes_per_s) {
  const double megabytes = std::max(1.0, std::round(bytes_per_s / 1e6));
  return BytesPerSecond(static_cast<std::int64_t>(std::min(megabytes, 1e12)) * 1'000'000);
}

void say_measured(HardwareProfile& profile, const std::string& fields, std::string source,
                  const std::string& date) {
  drop_provenance(profile.provenance, fields);
  profile.provenance.push_back({.fields = fields,
                                .kind = ProvenanceKind::kMeasured,
                                .source = std::move(source),
                                .date = date});
}

Assembled assemble_profile(const SampleSet& set, const Calibration& calibration,
                           const ProfileHead& head) {
  return Assembler(set, calibration, head).run();
}

}  // namespace ooc
