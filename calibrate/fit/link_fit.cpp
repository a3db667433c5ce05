// PCI Express: transfers per second and lane are 2.5, 5, 8, 16, 32 and 64 GT/s for generations 1 to 6;
// 8b/10b coding up to 2, 128b/130b from 3 to 5, and 242 of 256 bytes of a flit in 6 (PCI Express Base
// Specification). Of what is left, packet headers and flow control leave about 0.87 for the data of
// large copies (12.9 of 15.75, 26 of 31.5 and 55.6 of 63 GB/s are published for generations 3 to 5).
#include "calibrate/fit/link_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "calibrate/fit/statistics.hpp"

namespace ooc {
namespace {

constexpr std::array<double, 6> kLaneBytesPerSecond{2.5e9 / 10,           5e9 / 10,
                                                    8e9 / 8 * 128 / 130,  16e9 / 8 * 128 / 130,
                                                    32e9 / 8 * 128 / 130, 64e9 / 8 * 242 / 256};
constexpr double kUsualShare = 0.87;
constexpr double kSuspiciousShare = 0.8;  // of the usual rate: below, a warning
constexpr double kSameShare =
    0.05;  // of the larger one: a handful of sizes cannot tell shares nearer than that apart

double gigabytes(BytesPerSecond rate) { return static_cast<double>(rate.count()) / 1e9; }

}  // namespace

std::optional<DuplexShares> duplex_shares(const std::vector<DuplexTimes>& measured) {
  std::vector<double> ratios;
  std::vector<double> near;
  std::vector<double> far;
  for (const DuplexTimes& each : measured) {
    const double alone = 1 / each.near_alone_ns + 1 / each.far_alone_ns;
    const double together = 1 / each.near_together_ns + 1 / each.far_together_ns;
    if (!(alone > 0 && together > 0 && std::isfinite(alone) && std::isfinite(together))) continue;
    ratios.push_back(together / alone);
    near.push_back(each.near_alone_ns / each.near_together_ns);
    far.push_back(each.far_alone_ns / each.far_together_ns);
  }
  if (ratios.empty()) return std::nullopt;
  const DuplexShares shares{std::min(1.0, median_of(std::move(near))),
                            std::min(1.0, median_of(std::move(far)))};
  const double larger = std::max(shares.to_near, shares.to_far);
  if (larger - std::min(shares.to_near, shares.to_far) >= kSameShare * larger) return shares;
  const double both = std::min(1.0, median_of(std::move(ratios)));
  return DuplexShares{both, both};
}

std::optional<LinkExpectation> expected_pcie(int generation, int width) {
  constexpr std::array kWidths{1, 2, 4, 8, 12, 16, 32};
  const bool known_width = std::ranges::find(kWidths, width) != kWidths.end();
  if (generation < 1 || generation > int{kLaneBytesPerSecond.size()} || !known_width) {
    return std::nullopt;
  }
  const double rate = kLaneBytesPerSecond[static_cast<std::size_t>(generation - 1)] * width;
  return LinkExpectation{.name = fmt::format("PCIe {}.0 x{}", generation, width),
                         .theoretical = BytesPerSecond(std::llround(rate)),
                         .usual = BytesPerSecond(std::llround(rate * kUsualShare))};
}

std::string compare_with_expectation(int generation, int width, BytesPerSecond measured) {
  const auto expected = expected_pcie(generation, width);
  if (!expected) {
    return fmt::format("no expectation for PCIe generation {} with {} lanes, measured {:.3g} GB/s",
                       generation, width, gigabytes(measured));
  }
  const bool slow = gigabytes(measured) < kSuspiciousShare * gigabytes(expected->usual);
  const bool fast = measured > expected->theoretical;
  std::string text = fmt::format("x{} Gen{} expects ~{:.2g} GB/s, measured {:.3g}", width,
                                 generation, gigabytes(expected->usual), gigabytes(measured));
  if (slow) text += ": check width, NUMA, IOMMU";
  if (fast) text += ": more than this link can carry; it is not the one that was read";
  return text;
}

}  // namespace ooc
