// Copy times. A straight line is OOC-Paleo's eq. (5) with the latencies of its Table 1 in front: rate = min(far,
// connection, near), latency = far + connection + near. A measured curve is end to end: its latency is its smallest time
// and the rest of t(n) moves the n bytes, so that a copy that shares the link slows down only in the part that uses it.
#include "model/cost/transfer_cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

const TransferMode& find_mode(const HardwareProfile& profile, const std::string& mode) {
  const auto it = profile.connection.modes.find(mode);
  if (it != profile.connection.modes.end()) return it->second;
  std::string known;
  for (const auto& [name, unused] : profile.connection.modes) {
    known += (known.empty() ? "\"" : ", \"") + name + "\"";
  }
  throw SpecError({profile.file, "/connection/modes/" + mode, "nothing",
                   "a transfer mode \"" + mode + "\"", "the profile has " + known});
}

/// A direction with the overrides applied.
struct Direction {
  const SizeCurve* curve = nullptr;  ///< none: a straight line
  double curve_scale = 1;            ///< of the curve's rates
  BytesPerSecond rate;               ///< cap (curve) or rate (line)
  BytesPerSecond peak;               ///< of the link as a whole
  Duration latency;                  ///< line only
  std::optional<Duration> curve_latency;
  const char* limited_by = "connection";
  SwapInRates rates;
};

BytesPerSecond to_rate(double bytes_per_second) {
  if (bytes_per_second >= static_cast<double>(kInfiniteRate.count())) return kInfiniteRate;
  return BytesPerSecond(std::max<std::int64_t>(1, std::llround(bytes_per_second)));
}

/// Which of the three binds; ties go to the connection: it is what a buyer changes first.
const char* binding_limit(BytesPerSecond connection, BytesPerSecond far, BytesPerSecond near) {
  if (connection == kInfiniteRate && far == kInfiniteRate && near == kInfiniteRate)
    return "nothing";
  if (connection <= far && connection <= near) return "connection";
  return far <= near ? "far memory" : "near memory";
}

BytesPerSecond fair_share(BytesPerSecond peak, int sharers) {
  if (sharers == 1 || peak == kInfiniteRate) return peak;
  return BytesPerSecond(std::max<std::int64_t>(1, peak.count() / sharers));
}

Direction straight_direction(const StraightLine& line, const HardwareProfile& profile,
                             BytesPerSecond far, const TransferOptions& options) {
  const BytesPerSecond connection = fair_share(
      scale(options.link.value_or(line.throughput), options.link_scale), options.sharers);
  Direction direction;
  direction.rate = std::min({far, connection, profile.near_memory.throughput});
  direction.limited_by = binding_limit(connection, far, profile.near_memory.throughput);
  direction.peak = std::min(far, connection);
  direction.rates = {.far = far, .connection = connection, .near = profile.near_memory.throughput};
  direction.latency = profile.far_memory.latency + options.latency.value_or(line.latency) +
                      profile.near_memory.latency;
  return direction;
}

Direction curve_direction(const SizeCurve& curve, const HardwareProfile& profile,
                          BytesPerSecond far, const TransferOptions& options) {
  const double peak = curve.peak_rate();
  const BytesPerSecond wanted = scale(options.link.value_or(to_rate(peak)), options.link_scale);
  Direction direction;
  direction.curve = &curve;
  // The curve is end to end: without overrides no other limit applies to it on one device.
  const bool overridden = options.link || options.far_throughput || options.link_scale != kOne ||
                          options.host_sharers > 1;
  const BytesPerSecond connection = fair_share(wanted, options.sharers);
  direction.rate =
      overridden ? std::min({far, connection, profile.near_memory.throughput}) : connection;
  direction.rates.connection = connection;
  if (overridden) {
    direction.rates.far = far;
    direction.rates.near = profile.near_memory.throughput;
    direction.limited_by = binding_limit(connection, far, profile.near_memory.throughput);
  }
  direction.peak = direction.rate;
  direction.curve_scale = static_cast<double>(wanted.count()) / peak;
  direction.curve_latency = options.latency;
  return direction;
}

Direction direction_of(const TransferLine& line, const std::optional<BytesPerSecond>& link,
                       const HardwareProfile& profile, TransferOptions options) {
  if (link) options.link = link;
  const BytesPerSecond far = fair_share(
      options.far_throughput.value_or(profile.far_memory.throughput), options.host_sharers);
  if (const auto* straight = std::get_if<StraightLine>(&line)) {
    return straight_direction(*straight, profile, far, options);
  }
  return curve_direction(std::get<SizeCurve>(line), profile, far, options);
}

TransferCost cost_of(Bytes bytes, const Direction& direction) {
  TransferCost cost;
  if (direction.curve == nullptr) {
    cost.latency = direction.latency;
    cost.rate = direction.rate;
  } else if (bytes.count() > 0) {
    const double whole = direction.curve->time_ns(bytes);
    const double first = static_cast<double>(direction.curve->points.front().second.count());
    const double latency = std::min(whole, first);
    cost.latency = direction.curve_latency.value_or(
        Duration(static_cast<std::int64_t>(std::llround(latency))));
    const double moving = whole - latency;
    const BytesPerSecond rate =
        moving > 0
            ? to_rate(static_cast<double>(bytes.count()) * 1e9 / moving * direction.curve_scale)
            : kInfiniteRate;
    cost.rate = std::min(rate, direction.rate);
    // Below the smallest measured size the whole time is latency.
    if (moving <= 0) cost.rate = kInfiniteRate;
  }
  cost.alone = cost.latency + transfer_time(bytes, cost.rate);
  return cost;
}

}  // namespace

std::string_view copy_mode_name(CopyMode mode) {
  return text_at(mode, {"pinned", "pageable", "unified_fault", "unified_prefetch"});
}

std::optional<CopyMode> copy_mode_named(std::string_view name) {
  for (const CopyMode mode : {CopyMode::kPinned, CopyMode::kPageable, CopyMode::kUnifiedFault,
                              CopyMode::kUnifiedPrefetch}) {
    if (copy_mode_name(mode) == name) return mode;
  }
  return std::nullopt;
}

namespace {

/// Half the limit on one time, because a copy that meets another one runs at half its rate at worst.
void check_time(const TransferCost& cost, Bytes bytes, const char* direction) {
  if (cost.alone.count() <= kMaxTimeNs / 2) return;
  bad_value("--link",
            "a link on which copying a tensor of " + std::to_string(bytes.count()) + " bytes " +
                direction + " takes 52 days or more",
            "every copy below 2^52 ns", "a faster link, or a smaller batch");
}

/// Both directions together carry no less than the faster one alone: half duplex is just that.
void check_duplex(Ratio duplex, BytesPerSecond to_far, BytesPerSecond to_near) {
  if (to_far == kInfiniteRate || to_near == kInfiniteRate) return;
  const auto [slower, faster] = std::minmax(to_far, to_near);
  const Int128 both = Int128{slower.count()} + faster.count();
  const Int128 lowest = (Int128{faster.count()} * kOne.count() + both - 1) / both;
  if (duplex.count() >= lowest) return;
  const auto text = [](double ratio) {  // six decimals, no zeros at the end
    std::string digits = std::to_string(ratio);
    digits.erase(digits.find_last_not_of('0') + 1);
    return digits;
  };
  const double least = std::ceil(static_cast<double>(lowest) / 1e3) / 1e6;
  bad_value("--duplex", text(static_cast<double>(duplex.count()) / 1e9),
            "a ratio from " + text(least) + " to 1",
            "below that it would be faster to take turns on this link");
}

/// Both directions together move no more than far memory does. Rates that were measured end to end have that in them.
Duplex within_far_memory(Duplex duplex, const Direction& to_far, const Direction& to_near) {
  const auto& far = to_far.rates.far;
  const bool is_known = far && to_near.rates.far && *far != kInfiniteRate;
  if (!is_known) return duplex;
  const Int128 both = Int128{to_far.rate.count()} * duplex.to_far.count() +
                      Int128{to_near.rate.count()} * duplex.to_near.count();
  const Int128 most = Int128{far->count()} * kOne.count();
  if (both <= most) return duplex;
  const auto cut = [&](Ratio share) {
    return Ratio(static_cast<std::int64_t>(share.count() * most / both));
  };
  return {cut(duplex.to_near), cut(duplex.to_far)};
}

}  // namespace

SwapInRates swap_in_rates(const HardwareProfile& profile, const TransferOptions& options) {
  const TransferMode& mode = find_mode(profile, std::string(copy_mode_name(options.mode)));
  return direction_of(mode.to_near, options.link_to_near, profile, options).rates;
}

void estimate_transfers_into(TransferCosts& out, const std::vector<Bytes>& tensor_bytes,
                             const HardwareProfile& profile, const TransferOptions& options) {
  const TransferMode& mode = find_mode(profile, std::string(copy_mode_name(options.mode)));
  const Direction to_far = direction_of(mode.to_far, options.link_to_far, profile, options);
  const Direction to_near = direction_of(mode.to_near, options.link_to_near, profile, options);
  out.to_far.resize(tensor_bytes.size());
  out.to_near.resize(tensor_bytes.size());
  out.pinning = options.mode == CopyMode::kPinned ? options.pinning : Duration(0);
  // Tensors are of few sizes: where one of this size was seen, its price is taken.
  std::array<std::size_t, 64> seen{};
  for (std::size_t i = 0; i < tensor_bytes.size(); ++i) {
    const auto mixed = static_cast<std::uint64_t>(tensor_bytes[i].count()) * 0x9E3779B97F4A7C15U;
    const std::size_t before = std::exchange(seen[mixed >> 58], i);
    if (before < i && tensor_bytes[before] == tensor_bytes[i]) {
      out.to_far[i] = out.to_far[before];
      out.to_near[i] = out.to_near[before];
      continue;
    }
    out.to_far[i] = cost_of(tensor_bytes[i], to_far);
    out.to_far[i].latency += out.pinning;
    out.to_far[i].alone += out.pinning;
    out.to_near[i] = cost_of(tensor_bytes[i], to_near);
    check_time(out.to_far[i], tensor_bytes[i], "to far memory");
    check_time(out.to_near[i], tensor_bytes[i], "to near memory");
  }
  out.to_far_peak = to_far.peak;
  out.to_near_peak = to_near.peak;
  out.duplex = options.duplex ? Duplex(*options.duplex) : profile.connection.duplex;
  if (options.duplex) check_duplex(*options.duplex, to_far.peak, to_near.peak);
  out.duplex = within_far_memory(out.duplex, to_far, to_near);
  out.limited_by = to_far.rate < to_near.rate ? to_far.limited_by : to_near.limited_by;
}

TransferCosts estimate_transfers(const std::vector<Bytes>& tensor_bytes,
                                 const HardwareProfile& profile, const TransferOptions& options) {
  TransferCosts costs;
  estimate_transfers_into(costs, tensor_bytes, profile, options);
  return costs;
}

/// Bus bandwidth of NCCL's all-reduce among GPUs without links of their own, over that of a copy by the PCIe link: the
/// median of ten machines with PCIe 3 to 5 and 2 to 8 GPUs, 0.1 to 0.73 (hwprofiles/README.md). Wrong: direct access
/// (modified drivers, switches) reaches 0.9 to 1, slots of virtual machines 0.1 to 0.3.
constexpr Ratio kShareThroughTheHost{500'000'000};

PeerLink peers_of(const HardwareProfile& profile, const TransferOptions& options) {
  if (profile.peers) return *profile.peers;
  const TransferOptions link{.link = options.link,
                             .link_to_far = options.link_to_far,
                             .link_to_near = options.link_to_near,
                             .link_scale = options.link_scale};
  const TransferCosts copies = estimate_transfers({}, profile, link);
  return {.throughput =
              scale(std::min(copies.to_far_peak, copies.to_near_peak), kShareThroughTheHost)};
}

double slowdown_beside(const PeerLink& peers, Duration collectives, Duration computes) {
  const double taken = peers.taken / kOne;
  if (computes == Duration(0)) return 1;
  // Beside a collective (1 - taken) of a kernel is done.
  return 1 + std::min(taken * (collectives / computes), taken / (1 - taken));
}

void lengthen(CostTable& costs, TaskId task, double factor) {
  const auto first = static_cast<std::size_t>(costs.first_alternative[task.at()]);
  const auto end = static_cast<std::size_t>(costs.first_alternative[task.at() + 1]);
  for (std::size_t at = first; at < end; ++at) {
    TaskAlternative& way = costs.alternatives[at];
    way.time = Duration(std::llround(static_cast<double>(way.time.count()) * factor));
    way.seconds *= factor;
  }
}

// A kernel that touches n bytes of pages that are far waits for the groups of faults that bring them, each of which costs
// `fault`, and for n bytes at the mode's rate (OOC-Paleo, 4.3). Groups are of one page, or, where the profile says what
// they grow to, as NVIDIA's driver makes them for a kernel that walks through memory in order: in blocks of 2 MiB of 64 KiB
// pages they bring 64, 64, 128, 256, 512 and 1024 KiB, six a block, 341 KiB in the mean. Serving faults takes no share of
// the link, so it stands in the copy's latency. A measured size curve holds its faults already.
//
// Source: the tree of pages and its threshold of 51 % are those of the driver's uvm_perf_prefetch.c
// (NVIDIA/open-gpu-kernel-modules). Profilers show it where one thread after the other faults: 4 MiB come in 24 copies of 170.67 KiB in the
// mean, the largest 1020 KiB, for 12 faults (each fault's own 4 KiB are a copy beside the rest of its group).
//
// Where it is wrong: a kernel's threads fault at many places at once, and up to 256 faults are one batch: several
// pages of a block, and pages of several blocks, may come for the price of one group; for gathers groups hardly grow.

namespace {

TransferCosts estimate_mode(CopyMode mode, const std::vector<Bytes>& tensor_bytes,
                            const HardwareProfile& profile, TransferOptions options) {
  options.mode = mode;
  return estimate_transfers(tensor_bytes, profile, options);
}

/// Of the driver; above 32 pages a block it makes groups grow later than by doubling.
constexpr std::int64_t kThresholdPercent = 51;

void add_faults(std::vector<TransferCost>& costs, const std::vector<Bytes>& tensor_bytes,
                const TransferMode& mode, const std::string& file) {
  if (!mode.page || !mode.fault || !std::holds_alternative<StraightLine>(mode.to_near)) return;
  const Bytes page = std::max(Bytes(1), *mode.page);
  const Bytes block = std::max(page, mode.grows_to.value_or(page));
  const std::vector<Bytes> starts = fault_group_starts(page, block);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    // Groups that bring the bytes, walked through in order.
    const Bytes rest(tensor_bytes[i].count() % block.count());
    const auto begun = std::ranges::lower_bound(starts, rest) - starts.begin();
    const std::int64_t count = tensor_bytes[i].count() / block.count() * std::ssize(starts) + begun;
    const Int128 serving = Int128{count} * mode.fault->count();
    if (serving + costs[i].alone.count() > kMaxTimeNs / 2) {
      throw SpecError({file, "/connection/modes/unified_fault/fault",
                       std::to_string(count) + " faults in one tensor, 52 days or more",
                       "every copy below 2^52 ns", "a smaller batch"});
    }
    const Duration time(static_cast<std::int64_t>(serving));
    costs[i].latency += time;
    costs[i].alone += time;
  }
}

}  // namespace

std::vector<Bytes> fault_group_starts(Bytes page, Bytes block) {
  const std::int64_t pages = block.count() / page.count();
  std::vector<Bytes> starts;
  std::int64_t near = 0;  // in order: the pages before this one
  while (near < pages) {
    starts.emplace_back(near * page.count());
    std::int64_t end = near + 1;
    for (std::int64_t size = 2; size <= pages; size *= 2) {
      const std::int64_t begin = near / size * size;
      if (100 * (near + 1 - begin) > kThresholdPercent * size) end = begin + size;
    }
    near = end;
  }
  return starts;
}

TransferCosts estimate_unified(const std::vector<Bytes>& tensor_bytes,
                               const HardwareProfile& profile, const TransferOptions& options,
                               PageCopies copies) {
  TransferCosts costs = estimate_mode(CopyMode::kUnifiedFault, tensor_bytes, profile, options);
  add_faults(costs.to_near, tensor_bytes, profile.connection.modes.at("unified_fault"),
             profile.file);
  if (copies == PageCopies::kOnDemand) return costs;
  TransferCosts ahead = estimate_mode(CopyMode::kUnifiedPrefetch, tensor_bytes, profile, options);
  costs.faults = std::exchange(costs.to_near, std::move(ahead.to_near));
  costs.to_near_peak = std::max(costs.to_near_peak, ahead.to_near_peak);
  return costs;
}

}  // namespace ooc
