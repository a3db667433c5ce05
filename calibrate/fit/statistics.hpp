// Robust statistics of repeated measurements. Timings are one-sided: a copy is never much faster than
// usual, but an interrupt, a clock change or another process makes some of them several times slower.
// So the centre is the median, the spread is the median absolute deviation (MAD), and values far out
// are named and left out of both.
#pragma once

#include <cstddef>
#include <vector>

namespace ooc {

/// The middle value; of an even number of values the mean of the two in the middle.
/// Precondition: at least one value.
[[nodiscard]] double median_of(std::vector<double> values);

/// Repetitions of one measurement, in ns (or any other unit).
struct Summary {
  std::size_t count = 0;         ///< all values, outliers included
  double median = 0;             ///< without the outliers
  double mad = 0;                ///< without the outliers
  double min = 0;                ///< of all
  double max = 0;                ///< of all
  std::vector<double> outliers;  ///< ascending
};

/// An outlier lies more than 5 MAD and more than 5 % from the median of all values: the first alone
/// would name harmless steps of a timer where most values are equal, the second alone would name the
/// ordinary spread of a noisy machine.
inline constexpr double kOutlierMads = 5;
inline constexpr double kOutlierShare = 0.05;

/// Precondition: at least one value.
[[nodiscard]] Summary summarize_times(const std::vector<double>& values);

/// Standard error of the median as a share of it: 1.2533 * 1.4826 * MAD / sqrt(n) / median, which
/// holds for normal noise (1.4826 MAD estimates its standard deviation).
[[nodiscard]] double relative_median_error(const Summary& summary);

}  // namespace ooc
