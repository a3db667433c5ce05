// Copying is cheap beside measuring: everything here works on copies.
#include "calibrate/fit/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

constexpr double kMedianEfficiency = 1.2533;  // sqrt(pi / 2)
constexpr double kNormalMad = 1.4826;         // 1 / (0.75 quantile of the normal distribution)

/// Median of the distances from `centre`.
double median_deviation(std::vector<double> values, double centre) {
  for (double& value : values) value = std::abs(value - centre);
  return median_of(std::move(values));
}

}  // namespace

double median_of(std::vector<double> values) {
  OOC_CHECK(!values.empty(), "a median is of at least one value");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const double below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

Summary summarize_times(const std::vector<double>& values) {
  const double centre = median_of(values);
  const double spread = median_deviation(values, centre);
  Summary summary;
  summary.count = values.size();
  std::vector<double> inliers;
  for (const double value : values) {
    const double distance = std::abs(value - centre);
    const bool out =
        distance > kOutlierMads * spread && distance > kOutlierShare * std::abs(centre);
    (out ? summary.outliers : inliers).push_back(value);
  }
  std::ranges::sort(summary.outliers);
  // At least half of the values lie within one MAD: there are always inliers.
  summary.median = median_of(inliers);
  summary.mad = median_deviation(inliers, summary.median);
  return summary;
}

double relative_median_error(const Summary& summary) {
  const std::size_t inliers = summary.count - summary.outliers.size();
  if (inliers == 0 || !(summary.median > 0)) return 0;
  return kMedianEfficiency * kNormalMad * summary.mad / std::sqrt(static_cast<double>(inliers)) /
         summary.median;
}

}  // namespace ooc
