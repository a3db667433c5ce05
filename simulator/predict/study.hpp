// What a sweep covers: every combination of the values of its axes, or, zipped, the first of each, the second of each
// and so on. A row is its index in that order. How much rows share follows from the levels of the axes in which
// they differ (options.hpp): rows of one line differ in the link alone, those of one unit in prices of copies.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/base/errors.hpp"
#include "simulator/predict/options.hpp"
#include "simulator/predict/axis_values.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// The lists that a sweep is made of.
struct SweepLists {
  // Each once; what the values of named axes are places in.
  std::vector<std::string> networks = {};
  std::vector<std::string> frameworks = {};
  std::vector<std::string> hardware = {};
  std::vector<const Schedule*> schedules = {};
  std::vector<std::vector<SymbolValue>> symbols = {};  ///< of --symbol: values of all its symbols
  /// By place in axis_kinds(); none: not given, and what the files or the flags of all rows say.
  std::vector<AxisValues> values = std::vector<AxisValues>(axis_kinds().size());
  bool zip = false;  ///< lists step together; those of one value stay

  [[nodiscard]] AxisValues& of(std::string_view flag) { return values[axis_place(flag)]; }
  [[nodiscard]] const AxisValues& of(std::string_view flag) const {
    return values[axis_place(flag)];
  }
  [[nodiscard]] bool has(std::string_view flag) const { return !of(flag).empty(); }
};

inline constexpr std::size_t kMaxAxes = 24;

/// Where a row stands in the lists, by place in axis_kinds().
using SweepPlace = std::array<std::uint32_t, kMaxAxes>;

class SweepGrid {
 public:
  /// SpecError for zipped lists that differ in length.
  explicit SweepGrid(SweepLists lists);

  [[nodiscard]] const SweepLists& lists() const { return lists_; }
  [[nodiscard]] std::size_t rows() const { return rows_of_[0]; }
  /// Rows, one behind the other, that share what is made up to a level: a graph, its costs, a plan.
  [[nodiscard]] std::size_t rows_sharing(AxisLevel level) const {
    return rows_of_[static_cast<std::size_t>(level) + 1];
  }
  [[nodiscard]] std::size_t rows_of_unit() const { return rows_sharing(AxisLevel::kPlan); }
  [[nodiscard]] std::size_t units() const { return rows() / rows_of_unit(); }
  /// Rows, one behind the other, that differ in the link alone: all links of the list, or 1.
  [[nodiscard]] std::size_t rows_of_line() const { return rows_of_line_; }
  [[nodiscard]] SweepPlace place_at(std::size_t row) const;

 private:
  /// Axes that step together.
  struct Dimension {
    AxisLevel level;
    std::size_t size;
    std::vector<std::size_t> axes;
  };

  SweepLists lists_;
  std::vector<Dimension> dimensions_;                  ///< the first changes slowest
  std::array<std::size_t, 5> rows_of_{1, 1, 1, 1, 1};  ///< by level from which on axes count
  std::size_t rows_of_line_ = 1;
};

/// Everything that is read from files, in the order of the grid's lists, and what is the same in all rows.
struct SweepInputs {
  std::vector<Workload> workloads;  ///< of each network, one for each way in which it meets a row
  std::vector<std::size_t> workload_of;  ///< by graph_at(): its place among them, or kNoWorkload
  /// Of graphs that cannot be made: why, by graph_at().
  std::map<std::size_t, SpecError> no_workload = {};
  std::vector<std::size_t> first_workload;  ///< by network: its first one
  std::vector<Machine> machines;
  std::vector<std::shared_ptr<const Framework>> frameworks;  ///< one for all where there is no list
  /// What results call them: the names in the files, or, where two of them meet, the texts of the
  /// command line for all, so that no two rows look alike.
  std::vector<std::string> network_names;
  std::vector<std::string> hardware_names;
  std::vector<std::string> framework_names;  ///< none where there is no list
  CaseOptions options;                       ///< of every row, but for the axes
  int devices = 1;                           ///< the most that a row has
  RareColumns columns;                       ///< that some row needs, and so all have
};

inline constexpr std::size_t kNoWorkload = std::numeric_limits<std::size_t>::max();

/// That network in the first of its graphs.
[[nodiscard]] const Workload& network_of(const SweepInputs& inputs, std::size_t network);
/// Which graph of all combinations of networks, frameworks, precisions and symbols a row has, the networks slowest.
[[nodiscard]] std::size_t graph_at(const SweepGrid& grid, const SweepPlace& place);
/// How many there are, rows or not.
[[nodiscard]] std::size_t graphs_of(const SweepLists& lists);
/// Where that graph stands in the lists of axes of graphs.
[[nodiscard]] SweepPlace place_of_graph(const SweepLists& lists, std::size_t graph);
/// Throws the SpecError of a graph that cannot be made.
[[nodiscard]] const Workload& workload_at(const SweepGrid& grid, const SweepInputs& inputs,
                                          const SweepPlace& place);
[[nodiscard]] const Machine& machine_at(const SweepGrid& grid, const SweepInputs& inputs,
                                        const SweepPlace& place);
/// What a row asks for, by its axes up to a level.
[[nodiscard]] CaseOptions options_at(const SweepGrid& grid, const SweepInputs& inputs,
                                     const SweepPlace& place, AxisLevel up_to = AxisLevel::kPrices);
[[nodiscard]] const Schedule& schedule_at(const SweepGrid& grid, const SweepPlace& place);
/// What the row repeats of it.
[[nodiscard]] RunInputs inputs_at(const SweepGrid& grid, const SweepInputs& inputs,
                                  std::size_t row);
/// Its network, machine, framework and schedule, as results call them.
void name_row(const SweepGrid& grid, const SweepInputs& inputs, const SweepPlace& place,
              RunInputs& row);
/// Only the prices of copies, into options that have all else.
void apply_prices(const SweepGrid& grid, const SweepPlace& place, CaseOptions& options);

}  // namespace ooc
