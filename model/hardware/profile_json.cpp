// Reader of hardware profiles. It checks what a prediction would silently get wrong: units, ranges, misspelt keys, curves
// that fall, a duplex ratio that no link can have, and numbers that nobody vouches for (profile_provenance.hpp).
#include "model/hardware/profile_json.hpp"

#include <fmt/format.h>

#include <cmath>

#include "model/base/quantity_io.hpp"
#include "model/hardware/plausible.hpp"
#include "model/hardware/profile_section.hpp"

namespace ooc {
namespace {

enum class Reserve { kStated, kOptional };

MemoryTier read_tier(const ProfileSection& section, Reserve reserve) {
  MemoryTier tier;
  const std::size_t before = section.errors();
  const bool sized = section.read("capacity", tier.capacity, size_above_zero);
  if (reserve == Reserve::kStated || section.view().find("reserved")) {
    (void)section.attempt([&] {
      const SpecView reserved = section.number("reserved");
      tier.reserved = reserved.as_bytes();
      if (sized && tier.reserved >= tier.capacity) {
        reserved.fail(reserved.found(), "less than the capacity, " + exact_bytes(tier.capacity));
      }
    });
  }
  section.read("throughput", tier.throughput, &SpecView::as_rate);
  section.read("latency", tier.latency, &SpecView::as_duration);
  section.reject_unknown_keys(before);
  return tier;
}

FarCompute read_far_compute(const ProfileSection& section) {
  FarCompute compute;
  const std::size_t before = section.errors();
  (void)section.attempt([&] {
    if (const auto share = section.optional_number("share")) {
      compute.share = read_ratio(*share, 0.001, 1);
      if (section.view().find("throughput")) {
        share->fail("share beside throughput", "one of them",
                    "a share is of far_memory's throughput");
      }
    } else {
      compute.throughput = section.number("throughput").as_update_rate();
    }
  });
  section.read_if("latency", compute.latency, &SpecView::as_duration);
  section.reject_unknown_keys(before);
  return compute;
}

PeerLink read_peers(const ProfileSection& section) {
  PeerLink peers{.throughput = {}};
  const std::size_t before = section.errors();
  section.read("throughput", peers.throughput, &SpecView::as_rate);
  section.read_if("latency", peers.latency, &SpecView::as_duration);
  section.read_if("taken", peers.taken, read_ratio, 0, 0.9);
  section.reject_unknown_keys(before);
  return peers;
}

/// Everything but provenance; what is wrong is kept in the section.
void read_parts(const ProfileSection& root, const ProfileSources& sources,
                HardwareProfile& profile) {
  const SpecView& view = root.view();
  (void)root.attempt([&] {
    const SpecView name = view.get("name");
    profile.name = name.as_text();
    if (profile.name.empty()) name.fail(name.found(), "a name");
  });
  (void)root.attempt([&] {
    if (const auto description = view.find("description")) {
      profile.description = description->as_text();
    }
  });
  (void)root.attempt([&] {
    if (const auto framework = view.find("framework")) profile.framework = framework->as_text();
  });
  (void)root.attempt([&] { read_compute(root.part("compute"), sources, profile); });
  (void)root.attempt(
      [&] { profile.near_memory = read_tier(root.part("near_memory"), Reserve::kStated); });
  (void)root.attempt([&] {
    if (const auto one_pool = view.find("one_pool")) profile.one_pool = one_pool->as_boolean();
  });
  if (profile.one_pool) {
    const StraightLine line{.throughput = profile.near_memory.throughput};
    profile.far_memory = profile.near_memory;
    profile.connection.name = "one pool";
    profile.connection.modes["pinned"] = {.to_near = line, .to_far = line};
    return;
  }
  (void)root.attempt([&] { profile.far_memory = read_far_memory(root.part("far_memory")); });
  (void)root.attempt([&] {
    if (root.view().find("far_compute")) {
      profile.far_compute = read_far_compute(root.part("far_compute"));
    }
  });
  root.read_if("host_speed", profile.host_speed, read_ratio, 0.01, 100);
  (void)root.attempt([&] { read_connection(root.part("connection"), profile); });
  (void)root.attempt([&] {
    if (root.view().find("peers")) profile.peers = read_peers(root.part("peers"));
  });
  (void)root.attempt([&] {
    root.take("devices", profile.devices, &SpecView::as_integer, 1, 1024);
    root.take("devices_per_host", profile.devices_per_host, &SpecView::as_integer, 1, 1024);
  });
}

}  // namespace

MemoryTier read_far_memory(const ProfileSection& section) {
  return read_tier(section, Reserve::kOptional);
}

std::vector<SpecView> pair_of(const SpecView& view, const char* what) {
  if (view.type() != SpecType::kList || view.node().items.size() != 2) {
    view.fail(view.found(), what);
  }
  return view.items();
}

std::vector<SpecView> curve_points(const SpecView& view, std::size_t fewest) {
  const SpecView curve = view.get("curve");
  view.reject_unknown_keys();
  std::vector<SpecView> points = curve.items();
  if (points.size() < fewest) curve.fail(curve.found(), fmt::format("at least {} points", fewest));
  return points;
}

Bytes size_above_zero(const SpecView& view) {
  const Bytes bytes = view.as_bytes();
  if (bytes.count() == 0) view.fail(view.found(), "a size above 0");
  return bytes;
}

Ratio read_ratio(const SpecView& view, double lowest, double highest) {
  return Ratio(std::llround(view.as_ratio(lowest, highest) * static_cast<double>(kOne.count())));
}

HardwareProfile read_profile(const SpecDocument& document, const ProfileSources& sources) {
  const SpecView view(document);
  check_format(view, "ooc-paleo/hardware-profile",
               {{"ooc-paleo/network", "this is a network, not a machine"}});
  ProfileReading reading;
  const ProfileSection root(view, "", reading);
  HardwareProfile profile;
  profile.file = document.file;
  read_parts(root, sources, profile);
  std::optional<SpecView> provenance;
  (void)root.attempt([&] { provenance = view.get("provenance"); });
  if (const auto machine = view.find("machine")) profile.machine = machine->node();
  (void)view.find("samples");  // of older calibrations
  root.reject_unknown_keys(0);
  // It is about all numbers, so these must be known.
  reading.errors.finish();
  profile.provenance = read_provenance(*provenance, reading.numbers);
  profile.assumed = assumed_fields(profile.provenance, reading.numbers);
  profile.implausible = implausible_numbers(reading.numbers);
  return profile;
}

}  // namespace ooc
