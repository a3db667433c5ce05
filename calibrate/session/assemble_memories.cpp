// A measured profile's memories: capacity, what the driver keeps, throughput. They are never slower than the copies over
// the link, whose latency contains theirs (assemble_connection.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "calibrate/session/assembler.hpp"

namespace ooc {
void Assembler::memories() {
  HardwareProfile& profile = result_.profile;
  double fastest_copy = 0;
  for (const CopyFit& copy : calibration_.copies) {
    fastest_copy = std::max(fastest_copy, top_rate(copy.fit));
  }
  near_capacity();
  near_rate(fastest_copy);
  const char* end_to_end = "0: part of the connection's latency, which was measured end to end";
  profile.near_memory.latency = Duration(0);
  profile.far_memory.latency = Duration(0);
  measured("near_memory.latency", end_to_end);
  measured("far_memory.latency", end_to_end);
  const auto host = machine_integer("host_memory_bytes");
  if (host && *host > 0 && *host < kMaxTotalBytes) {
    profile.far_memory.capacity = Bytes(*host);
    measured("far_memory.capacity", "the host's memory; others use some of it");
  }
  const auto kept = static_cast<double>(profile.far_memory.throughput.count());
  if (calibration_.host_rate > 0) {
    profile.far_memory.throughput = rate_from(std::max(calibration_.host_rate, fastest_copy));
    measured("far_memory.throughput",
             calibration_.host_rate >= fastest_copy
                 ? "copies from host buffer to host buffer with all threads, read plus written"
                 : "at least what copies over the link were seen to reach");
  } else if (fastest_copy > kept) {
    profile.far_memory.throughput = rate_from(fastest_copy);
    measured("far_memory.throughput", "at least what copies over the link were seen to reach");
  }
}

void Assembler::near_capacity() {
  MemoryTier& near = result_.profile.near_memory;
  const auto total = machine_integer("memory_total_bytes");
  const auto free = machine_integer("memory_free_bytes");
  if (!total || *total <= 0 || *total >= kMaxTotalBytes) return;
  near.capacity = Bytes(*total);
  measured("near_memory.capacity", "as the driver reports it");
  near.reserved = std::min(near.reserved, Bytes(*total / 2));
  if (!free || *free <= 0 || *free > *total) return;
  near.reserved = Bytes(*total - *free);
  measured("near_memory.reserved",
           "total - free when the measuring program had its context; libraries take more");
}

/// Prices of kernels take the architecture's share of this rate: what a streaming kernel reached is that share of it.
void Assembler::near_rate(double fastest_copy) {
  HardwareProfile& profile = result_.profile;
  const auto kept = static_cast<double>(profile.near_memory.throughput.count());
  if (calibration_.near_rate > 0) {
    const double share =
        profile.kernels ? profile.kernels->architecture->parameters.near_share : 1.0;
    profile.near_memory.throughput =
        rate_from(std::max(calibration_.near_rate / share, fastest_copy));
    std::string source = fmt::format(
        "copies and a streaming kernel beyond the caches reach {:.4g} GB/s, read plus written",
        calibration_.near_rate / 1e9);
    if (share < 1) {
      source += fmt::format(", which is the share {:.4g} of it that the architecture's kernels get",
                            share);
    }
    measured("near_memory.throughput", source);
  } else if (fastest_copy > kept) {
    profile.near_memory.throughput = rate_from(fastest_copy);
    measured("near_memory.throughput", "at least what copies over the link were seen to reach");
  }
}

}  // namespace ooc
