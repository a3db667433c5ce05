// A field of the list names an entry of the profile's provenance; it is worth a warning as long as one
// number that the entry answers for is used.
#include "simulator/predict/assumed.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <variant>

#include "model/base/precision.hpp"
#include "model/hardware/profile_provenance.hpp"

namespace ooc {
namespace {

constexpr std::string_view kModes = "connection.modes";
constexpr const char* kFaults = "unified_fault";

bool below(std::string_view field, std::string_view path) {
  return field.starts_with(path) && (field.size() == path.size() || field[path.size()] == '.');
}

/// Of a single peak, whether this job multiplies in that type.
bool other_peak(std::string_view field, const RunInputs& inputs) {
  constexpr std::string_view kPeak = "compute.peak.";
  if (!field.starts_with(kPeak)) return false;
  const std::string_view dtype = field.substr(kPeak.size());
  const std::optional<Precision> precision = find_precision(inputs.precision);
  return dtype != inputs.dtype && dtype != dtype_info(Dtype::kFloat32).name &&
         !(precision && dtype == dtype_info(precision_info(*precision).products).name);
}

/// The numbers of a mode in use that no flag replaces.
void add_numbers_of_mode(std::vector<std::string>& numbers, const HardwareProfile& hardware,
                         const RunInputs& inputs, const std::string& mode) {
  const auto found = hardware.connection.modes.find(mode);
  if (found == hardware.connection.modes.end()) return;
  const auto add = [&](const TransferLine& line, const std::string& direction) {
    const std::string path = std::string(kModes) + "." + mode + "." + direction;
    if (std::holds_alternative<SizeCurve>(line)) {
      numbers.push_back(path + ".curve");  // --link and --latency keep its shape
      return;
    }
    const auto& own = direction == "to_near" ? inputs.link_to_near : inputs.link_to_far;
    if (!inputs.link && !own) numbers.push_back(path + ".throughput");
    if (!inputs.latency) numbers.push_back(path + ".latency");
  };
  add(found->second.to_near, "to_near");
  add(found->second.to_far, "to_far");
  if (mode != kFaults) return;
  for (const char* cost : {".page", ".fault"}) {
    numbers.push_back(std::string(kModes) + "." + mode + cost);
  }
  if (found->second.grows_to) numbers.push_back(std::string(kModes) + "." + mode + ".grows_to");
}

/// What is fetched ahead may still be missing, and then faults.
std::vector<std::string> numbers_of_modes(const HardwareProfile& hardware,
                                          const RunInputs& inputs) {
  std::vector<std::string> numbers;
  add_numbers_of_mode(numbers, hardware, inputs, inputs.mode);
  if (inputs.mode == "unified_prefetch") add_numbers_of_mode(numbers, hardware, inputs, kFaults);
  return numbers;
}

}  // namespace

namespace {

/// The assumed sections of an architecture that prices of this element type come from. Single numbers below a
/// fitted section are left to its file.
std::vector<std::string> assumed_of_architecture(const HardwareProfile& hardware,
                                                 const RunInputs& inputs) {
  std::vector<std::string> used;
  if (!hardware.kernels || inputs.compute != "native") return used;
  const std::optional<Dtype> dtype = find_dtype(inputs.dtype);
  const bool tensor = hardware.kernels->architecture->parameters.tensor && dtype &&
                      *dtype != Dtype::kFloat32 && *dtype != Dtype::kFloat64;
  const std::string own_sustained = "sustained." + inputs.dtype;
  for (const std::string& field : hardware.kernels->architecture->assumed) {
    const bool of_type = field == "sustained" || field == own_sustained;
    if (of_type && dtype && hardware.kernels->sustained.contains(*dtype)) continue;
    const bool counts = of_type || field == "near_share" || field == "kernel" ||
                        field == "elementwise_kernel" || field == (tensor ? "tensor" : "simt") ||
                        (field == "flash" && tensor && inputs.flash_attention);
    if (counts) used.push_back("compute.architecture." + field);
  }
  return used;
}

}  // namespace

std::vector<std::string> assumed_in_use(const HardwareProfile& hardware, const RunInputs& inputs,
                                        const Framework& framework) {
  const std::vector<std::string> of_mode = numbers_of_modes(hardware, inputs);
  const auto is_used = [&](const std::string& field) {
    if (below(field, kModes)) {
      return std::any_of(of_mode.begin(), of_mode.end(), [&](const std::string& number) {
        return is_assumed_under(hardware.provenance, field, number);
      });
    }
    const bool other_model = inputs.compute != "native" && (below(field, "compute.efficiency") ||
                                                           below(field, "compute.kernel_launch"));
    const bool replaced =
        ((inputs.memory_given || framework.context) && field == "near_memory.reserved") ||
        (inputs.far_memory_given &&
         (field == "far_memory.capacity" || field == "far_memory.reserved")) ||
        (inputs.far_throughput && field == "far_memory.throughput") ||
        (inputs.duplex && below(field, "connection.duplex"));
    const bool updates_far =
        !inputs.far_compute && inputs.offload.find("update far") != std::string::npos;
    if (below(field, "far_compute") && !updates_far) return false;
    if (below(field, "peers") && inputs.offload.find(" shards") == std::string::npos) return false;
    return !other_model && !replaced && !other_peak(field, inputs);
  };
  std::vector<std::string> used = assumed_of_architecture(hardware, inputs);
  std::copy_if(hardware.assumed.begin(), hardware.assumed.end(), std::back_inserter(used), is_used);
  for (const std::string& field : framework.assumed) used.push_back("framework." + field);
  return used;
}

}  // namespace ooc
