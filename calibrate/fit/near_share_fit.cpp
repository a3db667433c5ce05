#include "calibrate/fit/near_share_fit.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/fit/statistics.hpp"
#include "model/kernels/parameter_fields.hpp"

namespace ooc {
namespace {

using Rows = std::vector<const MeasuredOperation*>;

// Below, streaming kernels show the measuring, not the memory.
constexpr double kLongStream = 150e-6;
constexpr double kNeighbours = 3e7;      // bytes: slopes between nearer sizes are noise
constexpr std::size_t kMostRows = 2000;  // of a GPU: every pair of them is a slope
constexpr double kShareDigits = 1e4;

/// At most so many, spread over all.
Rows thinned(const Rows& rows) {
  if (rows.size() <= kMostRows) return rows;
  Rows some;
  for (std::size_t i = 0; i < kMostRows; ++i) some.push_back(rows[i * rows.size() / kMostRows]);
  return some;
}

/// Bytes/s between every two.
std::vector<double> rates_between(const Rows& rows) {
  std::vector<double> rates;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = i + 1; j < rows.size(); ++j) {
      const double bytes = rows[j]->bytes - rows[i]->bytes;
      const double seconds = rows[j]->seconds - rows[i]->seconds;
      if (std::abs(bytes) > kNeighbours && bytes * seconds > 0) rates.push_back(bytes / seconds);
    }
  }
  return rates;
}

}  // namespace

std::map<std::string, NearShare> near_shares(const FitRows& rows, const FitMachines& machines) {
  const Rows& fitting = rows.of(FitSide::kFit);
  std::map<std::string, Rows> by_gpu;
  std::map<std::string, NearShare> shares;
  std::map<std::string, std::vector<double>> found;
  for (const MeasuredOperation* row : fitting) {
    if (row->seconds > kLongStream) by_gpu[row->gpu].push_back(row);
  }
  for (const auto& [gpu, long_rows] : by_gpu) {
    const std::vector<double> rates = rates_between(thinned(long_rows));
    if (rates.empty()) continue;
    const FitMachine& machine = machines.at(gpu);
    found[machine.architecture].push_back(median_of(rates) /
                                          static_cast<double>(machine.machine.near_rate.count()));
  }
  const ParameterField& field = *find_parameter_field("near_share");
  for (const auto& [architecture, of_gpus] : found) {
    const double share = std::round(median_of(of_gpus) * kShareDigits) / kShareDigits;
    shares[architecture].share = std::clamp(share, field.lowest, field.highest);
  }
  for (std::size_t i = 0; i < fitting.size(); ++i) {
    const auto share = shares.find(machines.at(fitting[i]->gpu).architecture);
    if (share != shares.end() && fitting[i]->seconds > kLongStream) share->second.rows.insert(i);
  }
  return shares;
}

std::map<std::string, double> measuring_of_streams(const FitRows& rows,
                                                   const FitParameters& parameters) {
  const FitCandidate candidate{parameters, {}};
  std::map<std::string, std::vector<double>> rests;
  for (const MeasuredOperation* row : rows.of(FitSide::kFit)) {
    rests[row->source].push_back(row->seconds - rows.predicted(*row, candidate));
  }
  std::map<std::string, double> measuring;
  for (const auto& [source, rest] : rests) {
    measuring["measuring." + source] = std::max(median_of(rest), 0.0);
  }
  return measuring;
}

}  // namespace ooc
