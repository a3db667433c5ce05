// A measured profile's memories: capacity, what the driver keeps, throughput, and the efficiency of
// kernels that memory limits. They are never slower than the copies over the link, whose latency
// contains theirs (assemble_connection.cpp).
#include <algorithm>
#include <vector>

#include "calibrate/session/assembler.hpp"

namespace ooc {
namespace {

constexpr Bytes kUsualReserve(std::int64_t{700} << 20);
constexpr Bytes kUsualHost(std::int64_t{64} << 30);

}  // namespace

void Assembler::memories() {
  HardwareProfile& profile = result_.profile;
  double fastest_copy = 0;
  for (const CopyFit& copy : calibration_.copies) {
    fastest_copy = std::max(fastest_copy, top_rate(copy.fit));
  }
  near_capacity();
  double near = std::max(calibration_.near_rate, best_rate(calibration_.kernels));
  if (near > 0) {
    measured("near_memory.throughput",
             "the best of copies within near memory and element-wise kernels, read plus written");
  } else {
    near = std::max(500e9, 2 * fastest_copy);
    assumed("near_memory.throughput", "not measured: 500 GB/s stand in");
  }
  profile.near_memory.throughput = rate_from(std::max(near, fastest_copy));
  memory_efficiency(near);
  const char* end_to_end = "0: part of the connection's latency, which was measured end to end";
  measured("near_memory.latency", end_to_end);
  measured("far_memory.latency", end_to_end);
  const auto host = machine_integer("host_memory_bytes");
  profile.far_memory.capacity =
      host && *host > 0 && *host < kMaxTotalBytes ? Bytes(*host) : kUsualHost;
  if (host) {
    measured("far_memory.capacity", "the host's memory; others use some of it");
  } else {
    assumed("far_memory.capacity", "the host's memory was not read");
  }
  profile.far_memory.throughput = rate_from(std::max(calibration_.host_rate, fastest_copy));
  measured("far_memory.throughput",
           calibration_.host_rate >= fastest_copy
               ? "copies from host buffer to host buffer with all threads, read plus written"
               : "at least what copies over the link were seen to reach");
}

void Assembler::near_capacity() {
  MemoryTier& near = result_.profile.near_memory;
  const auto total = machine_integer("memory_total_bytes");
  const auto free = machine_integer("memory_free_bytes");
  const bool known = total && *total > 0 && *total < kMaxTotalBytes;
  near.capacity = known ? Bytes(*total) : Bytes(std::int64_t{16} << 30);
  if (known) {
    measured("near_memory.capacity", "as the driver reports it");
  } else {
    assumed("near_memory.capacity", "the driver did not report it");
  }
  if (known && free && *free > 0 && *free <= *total) {
    near.reserved = Bytes(*total - *free);
    measured("near_memory.reserved",
             "total - free when the measuring program had its context; libraries take more");
  } else {
    near.reserved = std::min(kUsualReserve, Bytes(near.capacity.count() / 2));
    assumed("near_memory.reserved", "700 MiB, as for every CUDA device");
  }
}

void Assembler::memory_efficiency(double near) {
  auto& efficiency = result_.profile.efficiency["memory"];
  if (!calibration_.kernels.empty()) {
    efficiency = efficiency_curve(calibration_.kernels, near);
    measured("compute.efficiency.memory", "element-wise, norm and pool kernels, over bytes");
    return;
  }
  if (calibration_.near_copy) {
    std::vector<WorkTimes> copies;
    for (const SizeFit& size : calibration_.near_copy->sizes) {
      copies.push_back({2 * static_cast<double>(size.bytes.count()), {size.times.median}});
    }
    efficiency = efficiency_curve(work_points(copies, calibration_.launch_ns()), near);
    measured("compute.efficiency.memory", "copies within near memory, over bytes");
    return;
  }
  efficiency = {{{1.0, 0.75}}};
  assumed("compute.efficiency.memory", "the usual share");
}

}  // namespace ooc
