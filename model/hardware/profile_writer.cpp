// Writer of hardware profiles: builds the value tree and prints it. Every quantity is written by an
// exact_* function, every ratio with the digits that give it back, so that reading what was written
// gives an equal profile (tested).
#include "model/base/quantity_io.hpp"
#include "model/hardware/architecture_json.hpp"
#include "model/hardware/profile_json.hpp"
#include "model/hardware/spec_nodes.hpp"

namespace ooc {
namespace {

using namespace spec_nodes;

/// Parts per billion as a decimal fraction without trailing zeros.
SpecNode ratio(Ratio value) {
  std::string fraction = std::to_string(value.count() % kOne.count());
  fraction.insert(0, 9 - fraction.size(), '0');
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  const std::string whole = std::to_string(value.count() / kOne.count());
  return number(fraction.empty() ? whole : whole + "." + fraction);
}

SpecNode pair(SpecNode first, SpecNode second) {
  SpecNode node = list();
  node.items.push_back(std::move(first));
  node.items.push_back(std::move(second));
  return node;
}

SpecNode efficiency(const std::string& kind, const Efficiency& value) {
  // A single point is a constant, whatever its abscissa.
  if (value.points.size() == 1) return real(value.points.front().second);
  SpecNode curve = list();
  for (const auto& [work, share] : value.points) {
    const std::string at = kind == "memory" ? exact_bytes(Bytes(static_cast<std::int64_t>(work)))
                                            : exact_flop_count(work);
    curve.items.push_back(pair(text(at), real(share)));
  }
  SpecNode node = object();
  put(node, "curve", std::move(curve));
  return node;
}

const char* pass_name(ConvolutionPass pass) {
  switch (pass) {
    case ConvolutionPass::kForward:
      return "forward";
    case ConvolutionPass::kBackwardData:
      return "backward_data";
    case ConvolutionPass::kBackwardWeights:
      break;
  }
  return "backward_weights";
}

SpecNode layer(const MeasuredLayer& value) {
  SpecNode node = object();
  const auto put_size = [&](std::string key, std::int64_t size) {
    put(node, std::move(key), number(std::to_string(size)));
  };
  put(node, "kind", text("conv"));
  put(node, "pass", text(pass_name(value.pass)));
  put(node, "dtype", text(std::string(dtype_info(value.dtype).name)));
  put_size("batch", value.batch);
  put_size("channels", value.shape.channels);
  put_size("height", value.shape.dims[0].input);
  put_size("width", value.shape.dims[1].input);
  put_size("filters", value.shape.filters);
  for (std::size_t i = 0; i < 2; ++i) {
    const ConvolutionDim& dim = value.shape.dims[i];
    const std::string end = i == 0 ? "_h" : "_w";
    put_size("kernel" + end, dim.kernel);
    put_size("stride" + end, dim.stride);
    put_size("pad" + end, dim.padding / 2);
    put_size("dilation" + end, dim.dilation);
  }
  put_size("groups", value.shape.groups);
  SpecNode algorithms = list();
  for (const MeasuredAlgorithm& each : value.algorithms) {
    SpecNode item = object();
    put(item, "algorithm", text(std::string(algorithm_name(each.algorithm))));
    put(item, "time", text(exact_duration(each.time)));
    put(item, "workspace", text(exact_bytes(each.workspace)));
    algorithms.items.push_back(std::move(item));
  }
  put(node, "algorithms", std::move(algorithms));
  return node;
}

void put_kernel_units(SpecNode& node, const KernelUnits& units) {
  put(node, "architecture",
      units.written_out ? architecture_node(*units.architecture) : text(units.architecture->name));
  put(node, "multiprocessors", number(std::to_string(units.multiprocessors)));
  if (units.sustained.empty()) return;
  SpecNode sustained = object();
  for (const auto& [dtype, share] : units.sustained) {
    put(sustained, std::string(dtype_info(dtype).name), real(share));
  }
  put(node, "sustained", std::move(sustained));
}

SpecNode compute(const HardwareProfile& profile) {
  SpecNode peak = object();
  for (const auto& [dtype, rate] : profile.peak) {
    put(peak, std::string(dtype_info(dtype).name), text(exact_flop_rate(rate)));
  }
  SpecNode node = object();
  put(node, "peak", std::move(peak));
  if (profile.kernels) {
    put_kernel_units(node, *profile.kernels);
  } else {
    SpecNode efficiencies = object();
    for (const auto& [kind, value] : profile.efficiency) {
      put(efficiencies, kind, efficiency(kind, value));
    }
    put(node, "efficiency", std::move(efficiencies));
    put(node, "kernel_launch", text(exact_duration(profile.kernel_launch)));
  }
  if (profile.cudnn) {
    put(node, "cudnn",
        text(std::to_string(profile.cudnn->first) + "." + std::to_string(profile.cudnn->second)));
  }
  if (!profile.layers.empty()) {
    SpecNode layers = list();
    for (const MeasuredLayer& each : profile.layers) layers.items.push_back(layer(each));
    put(node, "layers", std::move(layers));
  }
  return node;
}

SpecNode tier(const MemoryTier& value, bool reserves) {
  SpecNode node = object();
  put(node, "capacity", text(exact_bytes(value.capacity)));
  if (reserves) put(node, "reserved", text(exact_bytes(value.reserved)));
  put(node, "throughput", text(exact_rate(value.throughput)));
  put(node, "latency", text(exact_duration(value.latency)));
  return node;
}

SpecNode line(const TransferLine& value) {
  SpecNode node = object();
  if (const auto* straight = std::get_if<StraightLine>(&value)) {
    put(node, "throughput", text(exact_rate(straight->throughput)));
    put(node, "latency", text(exact_duration(straight->latency)));
    if (const auto& range = straight->range) {
      put(node, "range", pair(text(exact_rate(range->lowest)), text(exact_rate(range->highest))));
    }
    return node;
  }
  SpecNode curve = list();
  for (const auto& [size, time] : std::get<SizeCurve>(value).points) {
    curve.items.push_back(pair(text(exact_bytes(size)), text(exact_duration(time))));
  }
  put(node, "curve", std::move(curve));
  return node;
}

SpecNode duplex(const Duplex& value) {
  if (value.alike()) return ratio(value.to_near);
  SpecNode node = object();
  put(node, "to_near", ratio(value.to_near));
  put(node, "to_far", ratio(value.to_far));
  return node;
}

SpecNode connection(const Connection& value) {
  SpecNode modes = object();
  for (const auto& [name, mode] : value.modes) {
    SpecNode node = object();
    put(node, "to_near", line(mode.to_near));
    put(node, "to_far", line(mode.to_far));
    if (mode.page) put(node, "page", text(exact_bytes(*mode.page)));
    if (mode.fault) put(node, "fault", text(exact_duration(*mode.fault)));
    if (mode.grows_to) put(node, "grows_to", text(exact_bytes(*mode.grows_to)));
    put(modes, name, std::move(node));
  }
  for (const std::string& name : value.impossible_modes) put(modes, name, SpecNode());
  SpecNode node = object();
  put(node, "name", text(value.name));
  if (value.theoretical) put(node, "theoretical", text(exact_rate(*value.theoretical)));
  put(node, "duplex", duplex(value.duplex));
  put(node, "modes", std::move(modes));
  return node;
}

void put_far(SpecNode& root, const HardwareProfile& profile) {
  put(root, "far_memory", tier(profile.far_memory, profile.far_memory.reserved > Bytes(0)));
  if (const auto& compute = profile.far_compute) {
    SpecNode node = object();
    if (compute->share) {
      put(node, "share", ratio(*compute->share));
    } else {
      put(node, "throughput", text(exact_rate(compute->throughput)));
    }
    if (compute->latency.count() > 0) {
      put(node, "latency", text(exact_duration(compute->latency)));
    }
    put(root, "far_compute", std::move(node));
  }
  put(root, "connection", connection(profile.connection));
  if (profile.peers) {
    SpecNode node = object();
    put(node, "throughput", text(exact_rate(profile.peers->throughput)));
    put(node, "latency", text(exact_duration(profile.peers->latency)));
    put(root, "peers", std::move(node));
  }
  put(root, "devices", number(std::to_string(profile.devices)));
}

}  // namespace

std::string write_profile(const HardwareProfile& profile) {
  SpecNode root = object();
  put(root, "$schema", text("hwprofile.schema.json"));
  put(root, "format", text("ooc-paleo/hardware-profile"));
  put(root, "version", number("1"));
  put(root, "name", text(profile.name));
  if (!profile.description.empty()) put(root, "description", text(profile.description));
  if (!profile.framework.empty()) put(root, "framework", text(profile.framework));
  put(root, "compute", compute(profile));
  put(root, "near_memory", tier(profile.near_memory, true));
  if (profile.one_pool) {
    SpecNode yes;
    yes.type = SpecType::kBoolean;
    yes.boolean = true;
    put(root, "one_pool", std::move(yes));
  } else {
    put_far(root, profile);
  }
  put(root, "provenance", provenance(profile.provenance));
  if (!profile.measurement_json.empty()) {
    SpecDocument kept = read_spec_text(profile.measurement_json, "measurement");
    for (auto& [key, value] : kept.root.members) {
      OOC_CHECK(key == "machine" || key == "samples", "a profile keeps machine and samples only");
      put(root, key, std::move(value));
    }
  }
  return json_text(root);
}

}  // namespace ooc
