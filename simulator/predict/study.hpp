// Rows of a sweep: every combination of the values of its axes; or, zipped, the first of each, the second of each and
// so on. A row is its index in that order. Rows share results up to the first stage (options.hpp, AxisLevel) in which
// their values differ. Rows of a unit differ only in copy costs, rows of a line only in the link.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/base/errors.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/predict/options.hpp"
#include "simulator/predict/ranges.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

struct SweepLists {
  // Named values, each once; axes hold their indices.
  std::vector<std::string> networks = {};
  std::vector<std::string> frameworks = {};
  std::vector<std::string> hardware = {};
  std::vector<const Schedule*> schedules = {};
  std::vector<std::vector<SymbolValue>> symbols = {};  ///< by value of --symbol: its symbols
  /// Values of an axis, by its index in axis_kinds(). Empty: no list, so files or flags decide.
  std::vector<AxisValues> values = std::vector<AxisValues>(axis_kinds().size());
  bool zip = false;  ///< true: lists advance together; a list of one value holds for all rows

  [[nodiscard]] AxisValues& of(std::string_view flag) { return values[axis_place(flag)]; }
  [[nodiscard]] const AxisValues& of(std::string_view flag) const {
    return values[axis_place(flag)];
  }
  [[nodiscard]] bool has(std::string_view flag) const { return !of(flag).empty(); }
};

/// For one row, the position in each axis's list, by index in axis_kinds().
using SweepPlace = std::array<std::uint32_t, kMaxAxes>;

class SweepGrid {
 public:
  /// Throws SpecError for zipped lists of different lengths.
  explicit SweepGrid(SweepLists lists);

  [[nodiscard]] const SweepLists& lists() const { return lists_; }
  [[nodiscard]] std::size_t rows() const { return rows_of_[0]; }
  /// Returns the number of consecutive rows that share all stages up to `level`: graph, costs, plan.
  [[nodiscard]] std::size_t rows_sharing(AxisLevel level) const {
    return rows_of_[static_cast<std::size_t>(level) + 1];
  }
  [[nodiscard]] std::size_t rows_of_unit() const { return rows_sharing(AxisLevel::kPlan); }
  [[nodiscard]] std::size_t units() const { return rows() / rows_of_unit(); }
  /// Returns the number of consecutive rows that differ only in the link; 1 if another axis varies faster.
  [[nodiscard]] std::size_t rows_of_line() const { return rows_of_line_; }
  [[nodiscard]] SweepPlace place_at(std::size_t row) const;

 private:
  /// Axes that advance together: one axis, or with `zip` all axes of several values.
  struct Dimension {
    AxisLevel level;
    std::size_t size;
    std::vector<std::size_t> axes;
  };

  SweepLists lists_;
  std::vector<Dimension> dimensions_;                  ///< axes of several values, slowest first
  std::array<std::size_t, 5> rows_of_{1, 1, 1, 1, 1};  ///< [0]: all; [l + 1]: rows sharing level l
  std::size_t rows_of_line_ = 1;
};

/// Inputs read from files, in the order of the grid's lists, and options of all rows.
struct SweepInputs {
  std::vector<Workload> workloads;       ///< sorted by network; one for each graph that rows need
  std::vector<std::size_t> workload_of;  ///< by graph_at(): index into workloads, or kNoWorkload
  /// By graph_at(): error of each graph that cannot be made.
  std::map<std::size_t, SpecError> no_workload = {};
  std::vector<std::size_t> first_workload;  ///< by network: index of its first workload
  std::vector<Machine> machines;
  std::vector<std::shared_ptr<const Framework>> frameworks;  ///< without a list: one for all rows
  /// Names of networks in results, from the files. If two files have equal names, these are the texts typed, so that
  /// rows differ.
  std::vector<std::string> network_names;
  std::vector<std::string> framework_names;  ///< frameworks in results; empty: their own names
  CaseOptions options;                       ///< options of all rows, without values from lists
  int devices = 1;                           ///< largest number of devices in a row
  std::vector<std::string_view> columns;     ///< RunInputs::columns of every row
};

inline constexpr std::size_t kNoWorkload = std::numeric_limits<std::size_t>::max();

/// Returns the first workload of a network, given by its index in SweepLists::networks.
[[nodiscard]] const Workload& network_of(const SweepInputs& inputs, std::size_t network);
/// Returns the index of a row's graph among all combinations of values of AxisLevel::kGraph, networks slowest.
[[nodiscard]] std::size_t graph_at(const SweepGrid& grid, const SweepPlace& place);
/// Returns the number of combinations that graph_at() counts, used by rows or not.
[[nodiscard]] std::size_t graphs_of(const SweepLists& lists);
/// Returns the position on each axis of AxisLevel::kGraph (of names: the index) for an index of graph_at(); others: 0.
[[nodiscard]] SweepPlace place_of_graph(const SweepLists& lists, std::size_t graph);
/// Returns the workload of a row. Throws the SpecError of a graph that cannot be made.
[[nodiscard]] const Workload& workload_at(const SweepGrid& grid, const SweepInputs& inputs,
                                          const SweepPlace& place);
[[nodiscard]] const Machine& machine_at(const SweepGrid& grid, const SweepInputs& inputs,
                                        const SweepPlace& place);
/// Returns the options of a row, with the row's values of the axes up to level `up_to`.
[[nodiscard]] CaseOptions options_at(const SweepGrid& grid, const SweepInputs& inputs,
                                     const SweepPlace& place, AxisLevel up_to = AxisLevel::kPrices);
[[nodiscard]] const Schedule& schedule_at(const SweepGrid& grid, const SweepPlace& place);
/// Returns the inputs that the row's result repeats.
[[nodiscard]] RunInputs inputs_at(const SweepGrid& grid, const SweepInputs& inputs,
                                  std::size_t row);
/// Sets network, hardware, schedule and framework to their names in results, and `columns`.
void name_row(const SweepGrid& grid, const SweepInputs& inputs, const SweepPlace& place,
              RunInputs& row);
/// Sets the row's values of the axes of AxisLevel::kPrices, such as the link rate. Other options stay as they are.
void apply_prices(const SweepGrid& grid, const SweepPlace& place, CaseOptions& options);

}  // namespace ooc
