// What is known of a link beside its two directions: the share of its rate that a direction keeps
// while both run, what copies and kernels cost each other, and what a PCIe link of some generation and
// width is expected to reach.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/base/units.hpp"

namespace ooc {

/// Both directions of one size: time of a copy alone and with the other direction at work.
struct DuplexTimes {
  Bytes bytes;
  double near_alone_ns = 0;
  double far_alone_ns = 0;
  double near_together_ns = 0;
  double far_together_ns = 0;
};

/// What a direction keeps of its rate while the other one is at work.
struct DuplexShares {
  double to_near = 1;
  double to_far = 1;
  [[nodiscard]] bool alike() const { return to_near == to_far; }
};

/// The rate of each direction beside the other one / alone, median over the sizes, at most 1. Where they
/// are the same, both are (sum of the rates together) / (sum of the rates alone). None without sizes.
[[nodiscard]] std::optional<DuplexShares> duplex_shares(const std::vector<DuplexTimes>& measured);

struct LinkExpectation {
  std::string name;            ///< "PCIe 5.0 x16"
  BytesPerSecond theoretical;  ///< one direction
  BytesPerSecond usual;        ///< what pinned copies reach: 0.87 of it
};

/// None for a generation or width that PCIe does not have.
[[nodiscard]] std::optional<LinkExpectation> expected_pcie(int generation, int width);

/// "x16 Gen5 expects ~55 GB/s, measured 14.0: check width, NUMA, IOMMU"; without the advice where the
/// measured rate is as expected.
[[nodiscard]] std::string compare_with_expectation(int generation, int width,
                                                   BytesPerSecond measured);

}  // namespace ooc
