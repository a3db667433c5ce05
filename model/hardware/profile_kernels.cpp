// Reader of what names a machine's kernels: "architecture" is a name or the architecture itself.
#include <fmt/format.h>

#include "model/base/suggest.hpp"
#include "model/hardware/architecture_json.hpp"
#include "model/hardware/profile_section.hpp"

namespace ooc {
namespace {

constexpr std::int64_t kMostReadable = 100'000;
constexpr double kLeastSustained = 0.01;

Architecture read_named(const SpecView& view, const ProfileSources& sources) {
  const std::string name = view.as_text();
  if (const auto file = find_architecture(name, view.file(), sources)) {
    return read_architecture_file(*file, sources.limits);
  }
  const std::vector<std::string> known = known_architectures(view.file(), sources);
  view.fail(view.found(),
            known.empty() ? "an architecture; no folder of architectures was found"
                          : fmt::format("an architecture: {}", fmt::join(known, ", ")),
            did_you_mean(name, known));
}

void refuse_shares(const ProfileSection& compute, const char* key) {
  const std::optional<SpecView> value = compute.view().find(key);
  if (!value) return;
  value->fail(value->found(), fmt::format("no \"{}\" beside \"architecture\"", key),
              "the architecture's fitted numbers take its place");
}

}  // namespace

void read_kernel_units(const ProfileSection& compute, const ProfileSources& sources,
                       HardwareProfile& profile) {
  KernelUnits units;
  (void)compute.attempt([&] {
    const SpecView view = compute.view().get("architecture");
    units.written_out = view.type() == SpecType::kObject;
    units.architecture = std::make_shared<const Architecture>(
        units.written_out ? read_architecture(view) : read_named(view, sources));
  });
  (void)compute.attempt([&] {
    units.multiprocessors =
        static_cast<int>(compute.number("multiprocessors").as_integer(1, kMostReadable));
  });
  (void)compute.attempt([&] {
    if (!compute.view().find("sustained")) return;
    for (const auto& [name, value] : compute.part("sustained").numbers()) {
      const Dtype dtype = dtype_named(name, value);
      if (!profile.peak.empty() && !profile.peak.contains(dtype)) {
        value.fail("a share of a peak that is not there",
                   fmt::format("\"{}\" in \"peak\" too, or no share of it", name));
      }
      units.sustained[dtype] = value.as_ratio(kLeastSustained, 1);
    }
  });
  (void)compute.attempt([&] {
    if (profile.peak.empty() || profile.peak.contains(Dtype::kFloat32)) return;
    const SpecView peak = compute.view().get("peak");
    peak.fail("no \"float32\"", "its rate too: what no tensor core multiplies runs at it");
  });
  for (const char* key : {"efficiency", "kernel_launch"}) {
    (void)compute.attempt([&] { refuse_shares(compute, key); });
  }
  if (units.architecture) profile.kernels = std::move(units);
}

}  // namespace ooc
