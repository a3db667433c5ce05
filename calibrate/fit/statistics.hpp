// Robust statistics of repeated timings. Errors are one-sided: an interrupt, a clock change or
// another process makes some timings several times slower, none much faster. So the centre is the
// median and the spread the median absolute deviation (MAD), both without outliers.
#pragma once

#include <cstddef>
#include <vector>

namespace ooc {

/// Returns the median; the mean of the two middle values if the count is even. Precondition:
/// `values` is not empty.
[[nodiscard]] double median_of(std::vector<double> values);

/// Statistics of the repetitions of one measurement, in ns or another unit.
struct Summary {
  std::size_t count = 0;         ///< number of values, outliers included
  double median = 0;             ///< median without outliers
  double mad = 0;                ///< MAD without outliers
  std::vector<double> outliers;  ///< outliers, ascending
};

/// Outliers lie more than 5 MAD and more than 5 % from the median of all values. MAD alone would
/// flag timer steps among equal values; 5 % alone would flag ordinary noise.
inline constexpr double kOutlierMads = 5;
inline constexpr double kOutlierShare = 0.05;

/// Returns the statistics. Precondition: `values` is not empty.
[[nodiscard]] Summary summarize_times(const std::vector<double>& values);

/// Returns the standard error of the median as a share of the median: 1.2533 * 1.4826 * MAD /
/// sqrt(n) / median; 0 for a median of 0. Holds for normal noise (standard deviation 1.4826 MAD).
[[nodiscard]] double relative_median_error(const Summary& summary);

}  // namespace ooc
