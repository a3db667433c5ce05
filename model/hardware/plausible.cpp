// The ranges are wide: from machines of 2010 to some years ahead, so that a remark means a slip. They are about three
// orders of magnitude where the slip is (a prefix), and zero is never remarked on: it says that a cost is left out.
#include "model/hardware/plausible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"

namespace ooc {
namespace {

enum class Quantity { kBytes, kRate, kUpdateRate, kFlopRate, kTime, kRatio, kCount };

/// `path` begins and `end` ends the dotted path of a number.
struct Range {
  std::string_view path;
  std::string_view end;
  Quantity quantity;
  double low;
  double high;
  std::string_view words;
};

constexpr double kKi = 1024;
constexpr double kGi = kKi * kKi * kKi;

constexpr std::array kRanges{
    // Consumer cards run double precision at 1/64 (GTX 980: 0.16 TFLOP/s), a B200 at 40 TFLOP/s.
    Range{"compute.peak.float64", "", Quantity::kFlopRate, 1e11, 1e15, "0.1 to 1000 TFLOP/s"},
    // Fermi has 1 TFLOP/s, a B200 80.
    Range{"compute.peak.float32", "", Quantity::kFlopRate, 2e11, 2e15, "0.2 to 2000 TFLOP/s"},
    // As many as the slowest that is sold for training has in single precision; a B200 has 2250.
    Range{"compute.peak.", "", Quantity::kFlopRate, 2.5e12, 2e16, "2.5 to 20000 TFLOP/s"},
    // Below 1 % it is a ratio that was written with a % sign.
    Range{"compute.efficiency.", "", Quantity::kRatio, 0.01, 1, "0.01 to 1 (1 % to 100 %)"},
    // One of 2012 has 2, an MI300X 304; thousands are cores.
    Range{"compute.multiprocessors", "", Quantity::kCount, 1, kMostMultiprocessors, "1 to 1000"},
    // Measured: 2 to 10 us, in graphs below 2 us.
    Range{"compute.kernel_launch", "", Quantity::kTime, 100, 1e6, "0.1 us to 1 ms"},
    // One card of 2010; a B300 has 288 GB.
    Range{"near_memory.capacity", "", Quantity::kBytes, kGi, 4 * kKi* kGi, "1 GiB to 4 TiB"},
    // Context and libraries take 0.3 to 2 GiB.
    Range{"near_memory.reserved", "", Quantity::kBytes, kKi* kKi, 64 * kGi, "1 MiB to 64 GiB"},
    // DDR3 has 12.8 GB/s a channel, HBM3e 8 TB/s a card.
    Range{"near_memory.throughput", "", Quantity::kRate, 1e10, 1e14, "10 GB/s to 100 TB/s"},
    Range{"near_memory.latency", "", Quantity::kTime, 10, 1e5, "10 ns to 100 us"},
    Range{"far_memory.capacity", "", Quantity::kBytes, kGi, 1024 * kKi* kGi, "1 GiB to 1 PiB"},
    Range{"far_memory.reserved", "", Quantity::kBytes, kKi* kKi, 64 * kKi* kGi, "1 MiB to 64 TiB"},
    // From a hard disk's 0.2 GB/s to another card's memory.
    Range{"far_memory.throughput", "", Quantity::kRate, 2e8, 1e14, "0.2 GB/s to 100 TB/s"},
    // Up to a disk's seek.
    Range{"far_memory.latency", "", Quantity::kTime, 10, 1e7, "10 ns to 10 ms"},
    // A Python loop on two cores updates 0.06 Gparam/s, 1.7 GB/s; a socket's memory moves up to 1 TB/s.
    Range{"far_compute.throughput", "", Quantity::kUpdateRate, 1e9, 1e13, "1 GB/s to 10 TB/s"},
    // Reports lie from 0.1 to 0.8.
    Range{"far_compute.share", "", Quantity::kRatio, 0.05, 0.95, "0.05 to 0.95"},
    Range{"far_compute.latency", "", Quantity::kTime, 10, 1e9, "10 ns to 1 s"},
    // The slowest core in use against the fastest.
    Range{"host_speed", "", Quantity::kRatio, 0.2, 5, "0.2 to 5"},
    Range{"peers.throughput", "", Quantity::kRate, 5e8, 1e14, "0.5 GB/s to 100 TB/s"},
    Range{"peers.latency", "", Quantity::kTime, 10, 1e7, "10 ns to 10 ms"},
    // A kernel of two blocks to one in two waves.
    Range{"peers.taken", "", Quantity::kRatio, 0.01, 0.5, "0.01 to 0.5"},
    // PCIe 1.0 x4 has 1 GB/s, NVLink 5 1.8 TB/s; half of it may be reached.
    Range{"connection.theoretical", "", Quantity::kRate, 5e8, 1e14, "0.5 GB/s to 100 TB/s"},
    Range{"connection.modes.", ".throughput", Quantity::kRate, 2e8, 1e14, "0.2 GB/s to 100 TB/s"},
    Range{"connection.modes.", ".latency", Quantity::kTime, 10, 1e7, "10 ns to 10 ms"},
    Range{"connection.modes.", ".page", Quantity::kBytes, 4 * kKi, kGi, "4 KiB to 1 GiB"},
    Range{"connection.modes.", ".grows_to", Quantity::kBytes, 4 * kKi, kGi, "4 KiB to 1 GiB"},
    // Measured: 20 to 50 us.
    Range{"connection.modes.", ".fault", Quantity::kTime, 100, 1e7, "0.1 us to 10 ms"},
};

const Range* range_of(std::string_view path) {
  for (const Range& range : kRanges) {
    if (path.starts_with(range.path) && path.ends_with(range.end)) return &range;
  }
  return nullptr;
}

/// None for curves, whose points are measured.
std::optional<double> value_of(const SpecView& view, Quantity quantity) {
  if (view.type() != SpecType::kText && view.type() != SpecType::kNumber) return std::nullopt;
  switch (quantity) {
    case Quantity::kBytes:
      return static_cast<double>(view.as_bytes().count());
    case Quantity::kRate:
      return static_cast<double>(view.as_rate().count());
    case Quantity::kUpdateRate:
      return static_cast<double>(view.as_update_rate().count());
    case Quantity::kFlopRate:
      return view.as_flop_rate().per_second;
    case Quantity::kTime:
      return static_cast<double>(view.as_duration().count());
    case Quantity::kRatio:
      return view.as_ratio(0, 100);
    case Quantity::kCount:
      return view.node().number;
  }
  return std::nullopt;
}

/// "900 MB/s" -> "900 GB/s"; "" where the unit has no larger one.
std::string with_next_prefix(std::string text) {
  constexpr std::string_view kPrefixes = "kMGTP";
  const std::size_t unit = text.find_first_of("BbF");
  if (unit == std::string::npos || unit == 0) return "";
  const std::size_t binary = text[unit - 1] == 'i' ? 1 : 0;
  if (unit < 1 + binary) return "";
  const std::size_t known = kPrefixes.find(text[unit - 1 - binary]);
  if (known == std::string_view::npos || known + 1 == kPrefixes.size()) return "";
  text[unit - 1 - binary] = kPrefixes[known + 1];
  return text;
}

std::string line_about(const SpecView& view, const Slip& slip) {
  std::string hint = fmt::format("line {}, column {}", view.node().line, view.node().column);
  if (!slip.meant.empty()) hint += fmt::format(", is {} meant?", in_quotes(slip.meant));
  return SpecError({.file = view.file(),
                    .place = view.pointer(),
                    .found = view.found(),
                    .expected = slip.expected,
                    .hint = std::move(hint)})
      .what();
}

/// Memory is made in powers of two: a round number of GB is what a data sheet prints for GiB, 7 % more.
std::string meant_in_binary(const SpecView& view) {
  std::string text = view.node().text;
  const std::size_t unit = text.find_first_of("kMGT");
  const bool whole = text.find('.') == std::string::npos;
  if (!whole || unit == std::string::npos || text.substr(unit + 1) != "B") return "";
  return text.insert(unit + 1, "i");
}

// White papers of the generations: lanes of a multiprocessor, and the dense rate of products of halves with
// float32 sums beside float32's (the chip of a generation that has the most).
constexpr std::array kGenerations{
    Generation{"kepler", 192, 192, 1},     Generation{"maxwell", 128, 128, 1},
    Generation{"pascal", 64, 128, 2},      Generation{"volta", 64, 64, 8},
    Generation{"turing", 64, 64, 8},       Generation{"ampere", 64, 128, 16},
    Generation{"ada", 128, 128, 4},        Generation{"hopper", 128, 128, 16},
    Generation{"blackwell", 128, 128, 32},
};
constexpr double kSlowestClock = 0.5e9;  // the K20 of 2012 has 0.7
constexpr double kFastestClock = 3.0e9;

}  // namespace

std::optional<Slip> slip_in(const ProfileNumber& number) {
  const auto& [path, view] = number;
  const Range* range = range_of(path);
  const std::optional<double> value = range ? value_of(view, range->quantity) : std::nullopt;
  if (!value || *value == 0) return std::nullopt;
  if (*value < range->low || *value > range->high) {
    const bool prefix = *value * 1000 >= range->low && *value < range->low;
    return Slip{fmt::format("{}, as machines have", range->words),
                prefix ? with_next_prefix(view.node().text) : ""};
  }
  if (path != "near_memory.capacity") return std::nullopt;
  const std::string meant = meant_in_binary(view);
  if (meant.empty()) return std::nullopt;
  return Slip{"a size in GiB: device memory comes in powers of two", meant};
}

std::vector<std::string> implausible_numbers(const std::vector<ProfileNumber>& numbers) {
  std::vector<std::string> lines;
  for (const ProfileNumber& number : numbers) {
    if (const auto slip = slip_in(number)) lines.push_back(line_about(number.view, *slip));
  }
  return lines;
}

const Generation* generation_named(std::string_view name) { return find_named(kGenerations, name); }

std::pair<int, int> multiprocessors_for(const Generation& generation, FlopsPerSecond peak) {
  const auto count = [&](int lanes, double clock) { return peak.per_second / (2 * lanes * clock); };
  const double fewest = std::ceil(count(generation.most_lanes, kFastestClock));
  const double most = std::floor(count(generation.fewest_lanes, kSlowestClock));
  return {static_cast<int>(std::max(fewest, 1.0)), static_cast<int>(std::max(most, 1.0))};
}

}  // namespace ooc
