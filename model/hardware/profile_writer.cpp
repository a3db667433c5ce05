// Writer of hardware profiles: builds the value tree and prints it. Every quantity is written by an exact_* function, every
// ratio with the digits that give it back, so that reading what was written gives an equal profile (tested).
#include "model/base/quantity_io.hpp"
#include "model/base/spec_tree.hpp"
#include "model/hardware/architecture_json.hpp"
#include "model/hardware/profile_json.hpp"
#include "model/hardware/profile_provenance.hpp"

namespace ooc {
namespace {

SpecNode ratio(Ratio value) { return number_node(value / kOne); }

SpecNode efficiency(const std::string& kind, const Efficiency& value) {
  // A single point is a constant, whatever its abscissa.
  if (value.points.size() == 1) return number_node(value.points.front().second);
  SpecNode curve = list_node({});
  for (const auto& [work, share] : value.points) {
    const std::string at = kind == "memory" ? exact_bytes(Bytes(static_cast<std::int64_t>(work)))
                                            : exact_flop_count(work);
    curve.items.push_back(list_node({text_node(at), number_node(share)}));
  }
  SpecNode node = object_node({});
  put(node, "curve", std::move(curve));
  return node;
}

void put_kernel_units(SpecNode& node, const KernelUnits& units) {
  put(node, "architecture",
      units.written_out ? architecture_node(*units.architecture)
                        : text_node(units.architecture->name));
  put(node, "multiprocessors", integer_node(units.multiprocessors));
  if (units.sustained.empty()) return;
  SpecNode sustained = object_node({});
  for (const auto& [dtype, share] : units.sustained) {
    put(sustained, std::string(dtype_info(dtype).name), number_node(share));
  }
  put(node, "sustained", std::move(sustained));
}

SpecNode compute(const HardwareProfile& profile) {
  SpecNode peak = object_node({});
  for (const auto& [dtype, rate] : profile.peak) {
    put(peak, std::string(dtype_info(dtype).name), text_node(exact_flop_rate(rate)));
  }
  SpecNode node = object_node({});
  put(node, "peak", std::move(peak));
  if (profile.kernels) {
    put_kernel_units(node, *profile.kernels);
  } else {
    SpecNode efficiencies = object_node({});
    for (const auto& [kind, value] : profile.efficiency) {
      put(efficiencies, kind, efficiency(kind, value));
    }
    put(node, "efficiency", std::move(efficiencies));
    put(node, "kernel_launch", text_node(exact_duration(profile.kernel_launch)));
  }
  if (profile.cudnn) {
    put(node, "cudnn",
        text_node(std::to_string(profile.cudnn->first) + "." +
                  std::to_string(profile.cudnn->second)));
  }
  return node;
}

SpecNode tier(const MemoryTier& value, bool reserves) {
  SpecNode node = object_node({});
  put(node, "capacity", text_node(exact_bytes(value.capacity)));
  if (reserves) put(node, "reserved", text_node(exact_bytes(value.reserved)));
  put(node, "throughput", text_node(exact_rate(value.throughput)));
  put(node, "latency", text_node(exact_duration(value.latency)));
  return node;
}

SpecNode line(const TransferLine& value) {
  SpecNode node = object_node({});
  if (const auto* straight = std::get_if<StraightLine>(&value)) {
    put(node, "throughput", text_node(exact_rate(straight->throughput)));
    put(node, "latency", text_node(exact_duration(straight->latency)));
    if (const auto& range = straight->range) {
      put(node, "range",
          list_node({text_node(exact_rate(range->lowest)), text_node(exact_rate(range->highest))}));
    }
    return node;
  }
  SpecNode curve = list_node({});
  for (const auto& [size, time] : std::get<SizeCurve>(value).points) {
    curve.items.push_back(
        list_node({text_node(exact_bytes(size)), text_node(exact_duration(time))}));
  }
  put(node, "curve", std::move(curve));
  return node;
}

SpecNode duplex(const Duplex& value) {
  if (value.alike()) return ratio(value.to_near);
  return object_node({{"to_near", ratio(value.to_near)}, {"to_far", ratio(value.to_far)}});
}

SpecNode connection(const Connection& value) {
  SpecNode modes = object_node({});
  for (const auto& [name, mode] : value.modes) {
    SpecNode node = object_node({});
    put(node, "to_near", line(mode.to_near));
    put(node, "to_far", line(mode.to_far));
    if (mode.page) put(node, "page", text_node(exact_bytes(*mode.page)));
    if (mode.fault) put(node, "fault", text_node(exact_duration(*mode.fault)));
    if (mode.grows_to) put(node, "grows_to", text_node(exact_bytes(*mode.grows_to)));
    put(modes, name, std::move(node));
  }
  for (const std::string& name : value.impossible_modes) put(modes, name, SpecNode());
  SpecNode node = object_node({});
  put(node, "name", text_node(value.name));
  if (value.theoretical) put(node, "theoretical", text_node(exact_rate(*value.theoretical)));
  put(node, "duplex", duplex(value.duplex));
  put(node, "modes", std::move(modes));
  return node;
}

void put_far(SpecNode& root, const HardwareProfile& profile) {
  put(root, "far_memory", tier(profile.far_memory, profile.far_memory.reserved > Bytes(0)));
  if (const auto& compute = profile.far_compute) {
    SpecNode node = object_node({});
    if (compute->share) {
      put(node, "share", ratio(*compute->share));
    } else {
      put(node, "throughput", text_node(exact_rate(compute->throughput)));
    }
    if (compute->latency.count() > 0) {
      put(node, "latency", text_node(exact_duration(compute->latency)));
    }
    put(root, "far_compute", std::move(node));
  }
  if (profile.host_speed != kOne) put(root, "host_speed", ratio(profile.host_speed));
  put(root, "connection", connection(profile.connection));
  if (profile.peers) {
    SpecNode peers = object_node({{"throughput", text_node(exact_rate(profile.peers->throughput))},
                                  {"latency", text_node(exact_duration(profile.peers->latency))}});
    if (profile.peers->taken > Ratio(0)) put(peers, "taken", ratio(profile.peers->taken));
    put(root, "peers", std::move(peers));
  }
  put(root, "devices", integer_node(profile.devices));
  if (profile.devices_per_host) {
    put(root, "devices_per_host", integer_node(*profile.devices_per_host));
  }
}

}  // namespace

std::string write_profile(const HardwareProfile& profile) {
  SpecNode root = object_node({});
  put(root, "$schema", text_node("hwprofile.schema.json"));
  put(root, "format", text_node("ooc-paleo/hardware-profile"));
  put(root, "version", integer_node(1));
  put(root, "name", text_node(profile.name));
  if (!profile.description.empty()) put(root, "description", text_node(profile.description));
  if (!profile.framework.empty()) put(root, "framework", text_node(profile.framework));
  put(root, "compute", compute(profile));
  put(root, "near_memory", tier(profile.near_memory, true));
  if (profile.one_pool) {
    put(root, "one_pool", boolean_node(true));
  } else {
    put_far(root, profile);
  }
  put(root, "provenance", provenance_node(profile.provenance));
  if (profile.machine) put(root, "machine", *profile.machine);
  return json_text(root);
}

}  // namespace ooc
