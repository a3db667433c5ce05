// Further facts about a link: the share of its rate that each direction keeps while both run,
// mutual slowdown of copies and kernels, and the expected rate of a PCIe link.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/base/units.hpp"

namespace ooc {

/// Times of copies of one size: to GPU memory (near) and to host memory (far), alone and together.
struct DuplexTimes {
  double near_alone_ns = 0;
  double far_alone_ns = 0;
  double near_together_ns = 0;
  double far_together_ns = 0;
};

/// Share of its rate that each direction keeps while the other runs.
struct DuplexShares {
  double to_near = 1;
  double to_far = 1;
  [[nodiscard]] bool alike() const { return to_near == to_far; }
};

/// Returns rate together / rate alone by direction, median over sizes, at most 1. Shares within 5 %
/// of each other both become the ratio of the summed rates. Unset: no size has usable times.
[[nodiscard]] std::optional<DuplexShares> duplex_shares(const std::vector<DuplexTimes>& measured);

struct LinkExpectation {
  std::string name;            ///< such as "PCIe 5.0 x16"
  BytesPerSecond theoretical;  ///< rate of one direction
  BytesPerSecond usual;        ///< rate of large pinned copies: 0.87 x theoretical
};

/// Returns the expected rates; unset: no such generation or width of PCIe.
[[nodiscard]] std::optional<LinkExpectation> expected_pcie(int generation, int width);

/// Returns "x16 Gen5 expects ~55 GB/s, measured 14.0: check width, NUMA, IOMMU"; the advice only if
/// the rate is low. Other texts if the rate is impossibly high or expected_pcie() lacks the link.
[[nodiscard]] std::string compare_with_expectation(int generation, int width,
                                                   BytesPerSecond measured);

}  // namespace ooc
