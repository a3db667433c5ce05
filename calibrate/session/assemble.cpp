// The order in which a profile is put together, its name and its provenance. Where each number comes from
// is docs/calibration.md, "The profile".
#include "calibrate/session/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "calibrate/session/assembler.hpp"

namespace ooc {

BytesPerSecond rate_from(double bytes_per_s) {
  const double megabytes = std::max(1.0, std::round(bytes_per_s / 1e6));
  return BytesPerSecond(static_cast<std::int64_t>(std::min(megabytes, 1e12)) * 1'000'000);
}

double top_rate(const TransferFit& fit) {
  const SizeFit& last = fit.sizes.back();
  const double line = fit.line.ns_per_byte > 0 ? 1e9 / fit.line.ns_per_byte : 0;
  return std::max(line, static_cast<double>(last.bytes.count()) * 1e9 / last.times.median);
}

Assembled Assembler::run() {
  result_.profile = head_.like;
  HardwareProfile& profile = result_.profile;
  profile.name = head_.name.empty() ? default_profile_name(set_) : head_.name;
  const std::string device = find_value(set_.machine, "device_name").value_or("unknown device");
  profile.description = fmt::format("{}, measured{}{}; compute as {}", device,
                                    head_.date.empty() ? "" : " on ", head_.date, head_.like.name);
  if (set_.backend != "cuda") profile.description += " (" + set_.backend + ": no real machine)";
  launch();
  copies();
  memories();
  duplex();
  profile.devices = 1;
  measured("devices", "one device was measured; the machine may hold more");
  profile.measurement_json = measurement_json(set_, calibration_);
  return std::move(result_);
}

/// Where kernels are priced by an architecture the launch is a number of its own.
void Assembler::launch() {
  if (result_.profile.kernels || !calibration_.launch.time_ns) return;
  result_.profile.kernel_launch = Duration(std::llround(*calibration_.launch.time_ns));
  measured("compute.kernel_launch", "one of 200 empty kernels back to back, median");
}

void Assembler::say(const char* fields, ProvenanceKind kind, std::string source) {
  const std::string below = std::string(fields) + ".";
  std::erase_if(result_.profile.provenance, [&](const Provenance& each) {
    return each.fields == fields || each.fields.starts_with(below);
  });
  const bool dated = kind == ProvenanceKind::kMeasured;
  result_.profile.provenance.push_back({.fields = fields,
                                        .kind = kind,
                                        .source = std::move(source),
                                        .date = dated ? head_.date : ""});
}

void Assembler::measured(const char* fields, std::string source) {
  say(fields, ProvenanceKind::kMeasured, std::move(source));
}

std::optional<long long> Assembler::machine_integer(const char* key) const {
  return find_integer(set_.machine, key);
}

std::string default_profile_name(const SampleSet& set) {
  std::string name;
  for (const char c : find_value(set.machine, "device_name").value_or("machine")) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (upper) {
      name += static_cast<char>(c - 'A' + 'a');
    } else if (plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  if (!name.empty() && name.back() != '-') name += '-';
  return name + "measured";
}

Assembled assemble_profile(const SampleSet& set, const Calibration& calibration,
                           const ProfileHead& head) {
  return Assembler(set, calibration, head).run();
}

}  // namespace ooc
