// Reader of "connection": the link's transfer modes, each a straight line or a measured curve, and
// what both directions at once leave of it.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "model/base/named.hpp"
#include "model/base/quantity_io.hpp"
#include "model/hardware/profile_section.hpp"

namespace ooc {
namespace {

SizeCurve read_size_curve(const SpecView& view) {
  SizeCurve curve;
  for (const SpecView& point : curve_points(view, 2)) {
    const std::vector<SpecView> both = pair_of(point, "a pair such as [\"4 KiB\", \"9.1 us\"]");
    const Bytes size = size_above_zero(both[0]);
    const Duration time = both[1].as_duration();
    if (time.count() == 0) both[1].fail(both[1].found(), "a time above 0");
    if (!curve.points.empty()) {
      if (size <= curve.points.back().first) {
        both[0].fail(both[0].found(), "a larger size than at the point before: curves ascend");
      }
      if (time < curve.points.back().second) {
        both[1].fail(both[1].found(), "no less than the time of the smaller size before");
      }
    }
    curve.points.emplace_back(size, time);
  }
  if (curve.points.front().second == curve.points.back().second) {
    view.get("curve").fail("a curve that never rises", "a time that grows with the size",
                           "so small a size gives no rate: measure a larger one too");
  }
  return curve;
}

/// The lowest and the highest rate that reports have, around the one that counts.
std::optional<RateRange> read_range(const ProfileSection& section, BytesPerSecond throughput) {
  const std::optional<SpecView> view = section.optional_number("range");
  if (!view) return std::nullopt;
  const std::vector<SpecView> ends = pair_of(*view, "a pair such as [\"22 GB/s\", \"33 GB/s\"]");
  const RateRange range{ends[0].as_rate(), ends[1].as_rate()};
  if (range.lowest >= range.highest) {
    ends[1].fail(ends[1].found(), "a rate above the first one, " + ends[0].found());
  }
  // A throughput that could not be read is an error of its own.
  const bool inside = range.lowest <= throughput && throughput <= range.highest;
  if (!inside && throughput.count() > 0) {
    view->fail(ends[0].found() + " to " + ends[1].found(),
               "two rates with the throughput between them, " + exact_rate(throughput));
  }
  return range;
}

TransferLine read_line(const ProfileSection& section) {
  if (find_named(section.view().node().members, "curve") != nullptr) {
    (void)section.number("curve");
    return read_size_curve(section.view());
  }
  StraightLine line;
  const std::size_t before = section.errors();
  section.read("throughput", line.throughput, &SpecView::as_rate);
  section.read("latency", line.latency, &SpecView::as_duration);
  (void)section.attempt([&] { line.range = read_range(section, line.throughput); });
  section.reject_unknown_keys(before);
  return line;
}

/// A block is pages in a binary tree.
constexpr std::uint64_t kMostPagesInBlock = std::uint64_t{1} << 20;

std::optional<Bytes> read_grows_to(const ProfileSection& section, std::optional<Bytes> page) {
  const std::optional<SpecView> view = section.optional_number("grows_to");
  if (!view) return std::nullopt;
  const Bytes block = size_above_zero(*view);
  // A page that could not be read is an error of its own.
  if (!page) return block;
  const auto pages = static_cast<std::uint64_t>(block.count() / page->count());
  if (block.count() % page->count() != 0 || !std::has_single_bit(pages) ||
      pages > kMostPagesInBlock) {
    view->fail(view->found(), "1, 2, 4, 8, ... 2^20 times the page, " + exact_bytes(*page));
  }
  return block;
}

TransferMode read_mode(const ProfileSection& section, const std::string& name) {
  TransferMode mode;
  const std::size_t before = section.errors();
  (void)section.attempt([&] { mode.to_near = read_line(section.part("to_near")); });
  (void)section.attempt([&] { mode.to_far = read_line(section.part("to_far")); });
  if (name == "unified_fault") {
    section.read("page", mode.page, size_above_zero);
    section.read("fault", mode.fault, &SpecView::as_duration);
    (void)section.attempt([&] { mode.grows_to = read_grows_to(section, mode.page); });
  }
  section.reject_unknown_keys(before);
  return mode;
}

/// One share for both, or {to_near, to_far}. No direction of a link that is worth the name starves.
Duplex read_duplex(const ProfileSection& section) {
  constexpr double kLeastShare = 0.01;
  const SpecView duplex = section.view().get("duplex");
  if (duplex.type() != SpecType::kObject) return read_ratio(section.number("duplex"), 0.5, 1);
  const ProfileSection shares = section.part("duplex");
  const std::size_t before = section.errors();
  Duplex read;
  shares.read("to_near", read.to_near, read_ratio, kLeastShare, 1);
  shares.read("to_far", read.to_far, read_ratio, kLeastShare, 1);
  shares.reject_unknown_keys(before);
  return read;
}

/// Both directions at once cannot carry less than the faster one alone: below that ratio taking
/// turns would be faster (half duplex is exactly that).
void check_duplex(const SpecView& view, const HardwareProfile& profile) {
  const Duplex& duplex = profile.connection.duplex;
  const bool pair = view.type() == SpecType::kObject;
  for (const auto& [name, mode] : profile.connection.modes) {
    // On demand a kernel's faults bring pages in, and the host's touches bring them back: two
    // mechanisms whose rates may be far apart, and never two copies side by side.
    if (name == "unified_fault") continue;
    const double in = peak_rate(mode.to_near, profile);
    const double out = peak_rate(mode.to_far, profile);
    const double lowest = std::max(in, out) / (in + out);
    // 5e-7: a ratio written with six decimals may be rounded down.
    const double kept = duplex.to_near / kOne * in + duplex.to_far / kOne * out;
    if (kept >= (lowest - 5e-7) * (in + out)) continue;
    if (!pair) {
      view.fail(view.found(), fmt::format("a ratio from {:.6f} to 1", lowest),
                fmt::format("half duplex of mode {} is {:.6f}", in_quotes(name), lowest));
    }
    const double near = (std::max(in, out) - duplex.to_far / kOne * out) / in;
    view.fail(fmt::format("{} to near and {} to far", duplex.to_near / kOne, duplex.to_far / kOne),
              "shares with which both directions carry what the faster one does alone",
              fmt::format("in mode {} they carry {:.3f} of it; {}", in_quotes(name),
                          kept / std::max(in, out),
                          near <= 1 ? fmt::format("to_near from {:.6f} on would do", near)
                                    : "to_far must be larger"));
  }
}

void read_modes(const ProfileSection& modes, Connection& connection) {
  const std::size_t before = modes.errors();
  static constexpr const char* kModes[] = {"pinned", "pageable", "unified_fault",
                                           "unified_prefetch"};
  for (const char* name : kModes) {
    const std::optional<SpecView> mode = modes.view().find(name);
    if (!mode) continue;
    const bool unified = std::string_view(name).starts_with("unified");
    if (unified && mode->type() == SpecType::kNull) {
      connection.impossible_modes.insert(name);
    } else {
      (void)modes.attempt([&] { connection.modes[name] = read_mode(modes.part(name), name); });
    }
  }
  modes.reject_unknown_keys(before);
  if (connection.modes.empty() && modes.errors() == before) {
    modes.view().fail("no mode",
                      "at least one of pinned, pageable, unified_fault, unified_prefetch");
  }
}

}  // namespace

void read_connection(const ProfileSection& section, HardwareProfile& profile) {
  const std::size_t before = section.errors();
  Connection& connection = profile.connection;
  (void)section.attempt([&] { connection.name = section.view().get("name").as_text(); });
  section.read_if("theoretical", connection.theoretical, &SpecView::as_rate);
  std::optional<SpecView> duplex;
  (void)section.attempt([&] {
    duplex = section.view().get("duplex");
    connection.duplex = read_duplex(section);
  });
  (void)section.attempt([&] { read_modes(section.part("modes"), connection); });
  section.reject_unknown_keys(before);
  // Both memories count too, so nothing may be wrong anywhere.
  if (section.errors() == 0) (void)section.attempt([&] { check_duplex(*duplex, profile); });
}

}  // namespace ooc
