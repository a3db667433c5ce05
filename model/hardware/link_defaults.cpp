// A link file is read by the profile's own readers: its parts are a profile's parts.
#include "model/hardware/link_defaults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/base/quantity_io.hpp"
#include "model/hardware/architecture_json.hpp"
#include "model/hardware/profile_section.hpp"

namespace ooc {
namespace {

constexpr int kMostLanes = 1024;

std::vector<int> read_widths(const SpecView& root, const std::string& name) {
  std::vector<int> widths;
  const std::optional<SpecView> list = root.find("widths");
  if (!list) return widths;
  for (const SpecView& item : list->items()) {
    const int least = widths.empty() ? 1 : widths.back() + 1;
    widths.push_back(static_cast<int>(item.as_integer(least, kMostLanes)));
  }
  if (widths.empty() || !name.ends_with("x" + std::to_string(widths.back()))) {
    list->fail(list->found(), "the width that the name ends in, last");
  }
  return widths;
}

void check_modes(const SpecView& root, const Connection& connection) {
  const SpecView modes = root.get("connection").get("modes");
  const bool straight = std::ranges::all_of(connection.modes, [](const auto& mode) {
    return std::holds_alternative<StraightLine>(mode.second.to_near) &&
           std::holds_alternative<StraightLine>(mode.second.to_far);
  });
  if (!straight) modes.fail("a curve", "throughput and latency: widths have a share of them");
  if (!connection.modes.contains("pinned")) modes.fail("no mode pinned", "pinned and others");
}

BytesPerSecond pinned_rate(const LinkDefaults& link) {
  return std::get<StraightLine>(link.connection.modes.at("pinned").to_near).throughput;
}

BytesPerSecond times(BytesPerSecond rate, double factor) {
  return BytesPerSecond(std::llround(static_cast<double>(rate.count()) * factor));
}

void scale_rates(Connection& connection, double factor) {
  if (connection.theoretical) connection.theoretical = times(*connection.theoretical, factor);
  for (auto& entry : connection.modes) {
    for (TransferLine* line : {&entry.second.to_near, &entry.second.to_far}) {
      StraightLine& straight = std::get<StraightLine>(*line);
      straight.throughput = times(straight.throughput, factor);
      if (!straight.range) continue;
      straight.range =
          RateRange{times(straight.range->lowest, factor), times(straight.range->highest, factor)};
    }
  }
}

/// "pcie3x16" at 4 -> "pcie3x4".
std::string name_at(const LinkDefaults& link, int width) {
  const std::size_t digits = std::to_string(link.widths.back()).size();
  return link.name.substr(0, link.name.size() - digits) + std::to_string(width);
}

/// Modes are in proportion to the link, but for what is published of the driver.
bool scales(const Provenance& entry) {
  return entry.fields.starts_with("connection.modes") && entry.kind != ProvenanceKind::kPublished;
}

LinkDefaults narrowed(LinkDefaults link, int width) {
  if (width == link.widths.back()) return link;
  const int whole = link.widths.back();
  const std::string share = fmt::format("{}/{} of {}", width, whole, link.connection.name);
  link.name = name_at(link, width);
  link.connection.name = share;
  scale_rates(link.connection, static_cast<double>(width) / whole);
  for (Provenance& entry : link.provenance) {
    if (entry.fields == "connection.theoretical" || scales(entry)) {
      entry.source = share + ": " + entry.source;
    }
  }
  return link;
}

}  // namespace

LinkDefaults read_link(const SpecDocument& document) {
  const SpecView view(document);
  check_format(view, "ooc-paleo/link");
  (void)view.find("description");
  ProfileReading reading;
  const ProfileSection root(view, "", reading);
  LinkDefaults link;
  HardwareProfile profile;
  profile.near_memory.throughput = kInfiniteRate;  // a link alone is bound by none
  (void)root.attempt([&] {
    link.name = view.get("name").as_text();
    link.widths = read_widths(view, link.name);
  });
  (void)root.attempt([&] {
    const ProfileSection near = root.part("near_memory");
    link.reserved = near.number("reserved").as_bytes();
    link.near_latency = near.number("latency").as_duration();
    near.reject_unknown_keys(near.errors());
  });
  (void)root.attempt([&] { profile.far_memory = read_far_memory(root.part("far_memory")); });
  (void)root.attempt([&] {
    const std::size_t before = root.errors();
    read_connection(root.part("connection"), profile);
    if (root.errors() == before) check_modes(view, profile.connection);
  });
  std::optional<SpecView> provenance;
  (void)root.attempt([&] { provenance = view.get("provenance"); });
  root.reject_unknown_keys(0);
  reading.errors.finish();
  link.provenance = read_provenance(*provenance, reading.numbers);
  link.far_memory = profile.far_memory;
  link.connection = std::move(profile.connection);
  return link;
}

std::vector<LinkDefaults> read_links(const std::vector<std::string>& folders,
                                     const ReadLimits& limits) {
  std::vector<LinkDefaults> links;
  for (const std::string& name : data_names_in(folders)) {
    if (const auto file = data_file_in(folders, name)) {
      links.push_back(read_link(read_spec_file(*file, limits)));
    }
  }
  return links;
}

std::vector<std::string> link_names(const std::vector<LinkDefaults>& links) {
  std::vector<std::string> names;
  for (const LinkDefaults& link : links) {
    if (link.widths.empty()) names.push_back(link.name);
    for (const int width : link.widths) names.push_back(name_at(link, width));
  }
  return names;
}

std::optional<LinkDefaults> find_link(const std::vector<LinkDefaults>& links,
                                      const std::string& name) {
  for (const LinkDefaults& link : links) {
    if (link.name == name) return link;
    for (const int width : link.widths) {
      if (name_at(link, width) == name) return narrowed(link, width);
    }
  }
  return std::nullopt;
}

LinkDefaults link_of_rate(const std::vector<LinkDefaults>& links, BytesPerSecond rate) {
  const auto distance = [&](const LinkDefaults& link) {
    return std::abs(std::log(pinned_rate(link) / rate));
  };
  LinkDefaults link = *std::ranges::min_element(links, {}, distance);
  const std::string like = fmt::format("as {}, in proportion to its rate: ", link.name);
  link.name = format_rate(rate);
  link.widths.clear();
  link.connection.name = "link of " + link.name;
  link.connection.theoretical.reset();
  scale_rates(link.connection, rate / pinned_rate(link));
  TransferMode& pinned = link.connection.modes.at("pinned");
  for (TransferLine* line : {&pinned.to_near, &pinned.to_far}) {
    StraightLine& straight = std::get<StraightLine>(*line);
    straight.throughput = rate;
    straight.range.reset();  // given, not reported
  }
  drop_provenance(link.provenance, "connection.theoretical");
  drop_provenance(link.provenance, "connection.modes.pinned.to_near.range");
  drop_provenance(link.provenance, "connection.modes.pinned.to_far.range");
  for (Provenance& entry : link.provenance) {
    if (scales(entry)) entry.source.insert(0, like);
  }
  // A memory that is slower than the link would silently be the link.
  if (link.far_memory.throughput < rate) {
    link.far_memory.throughput = rate;
    set_provenance(link.provenance, {.fields = "far_memory.throughput",
                                     .kind = ProvenanceKind::kAssumed,
                                     .source = "no slower than the link that was given"});
  }
  return link;
}

void set_provenance(std::vector<Provenance>& entries, Provenance entry) {
  std::erase_if(entries, [&](const Provenance& each) { return each.fields == entry.fields; });
  entries.push_back(std::move(entry));
}

void drop_provenance(std::vector<Provenance>& entries, const std::string& prefix) {
  std::erase_if(entries, [&](const Provenance& each) {
    return each.fields == prefix || each.fields.starts_with(prefix + ".");
  });
}

}  // namespace ooc
