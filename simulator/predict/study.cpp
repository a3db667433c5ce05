#include "simulator/predict/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/base/named.hpp"

namespace ooc {
namespace {

std::size_t length_of(const AxisValues& values) { return std::max<std::size_t>(1, values.size()); }

/// The axes of which there is more than one value.
std::vector<std::size_t> lists_among(const SweepLists& lists) {
  std::vector<std::size_t> found;
  for (std::size_t axis = 0; axis < lists.values.size(); ++axis) {
    if (lists.values[axis].size() > 1) found.push_back(axis);
  }
  return found;
}

void check_zip(const SweepLists& lists, const std::vector<std::size_t>& axes) {
  for (const std::size_t axis : axes) {
    const std::size_t first = lists.values[axes.front()].size();
    const std::size_t length = lists.values[axis].size();
    if (length == first) continue;
    bad_value("--zip",
              fmt::format("{} values of {} and {} of {}", first, axis_kinds()[axes.front()].flag,
                          length, axis_kinds()[axis].flag),
              "lists of one length, or of one value", "without --zip every combination is a row");
  }
}

/// What the network would say, were it made.
void repeat_asked(const CaseOptions& options, RunInputs& inputs) {
  if (options.precision) {
    inputs.precision = precision_info(*options.precision).name;
    inputs.dtype = dtype_info(precision_info(*options.precision).dtype).name;
  }
  for (const SymbolValue& asked : options.symbols) {
    if (SymbolValue* found = find_named(inputs.symbols, asked.name)) found->value = asked.value;
  }
}

void apply_axis(const SweepGrid& grid, std::size_t axis, const SweepPlace& place,
                CaseOptions& options) {
  const auto& values = grid.lists().values[axis];
  const Option& kind = axis_kinds()[axis];
  if (!values.empty() && kind.apply != nullptr) kind.apply(values[place[axis]], options);
}

std::vector<std::size_t> axes_of_graphs() {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < axis_kinds().size(); ++axis) {
    if (axis_kinds()[axis].level == AxisLevel::kGraph) axes.push_back(axis);
  }
  return axes;
}

/// So many of an axis: of names, each once.
std::size_t graphs_along(const SweepLists& lists, std::size_t axis) {
  const std::string_view flag = axis_kinds()[axis].flag;
  const std::size_t count = flag == "NETWORK"       ? lists.networks.size()
                            : flag == "--framework" ? lists.frameworks.size()
                            : flag == "--symbol"    ? lists.symbols.size()
                                                    : lists.values[axis].size();
  return std::max<std::size_t>(1, count);
}

/// The name that a row has of a list of them.
std::size_t named(const SweepGrid& grid, std::string_view flag, const SweepPlace& place) {
  const std::size_t axis = axis_place(flag);
  const auto& values = grid.lists().values[axis];
  return values.empty() ? 0 : static_cast<std::size_t>(values[place[axis]]);
}

}  // namespace

SweepGrid::SweepGrid(SweepLists lists) : lists_(std::move(lists)) {
  const auto kinds = axis_kinds();
  OOC_CHECK(lists_.values.size() == kinds.size(), "places suffice");
  const std::vector<std::size_t> axes = lists_among(lists_);
  if (lists_.zip && !axes.empty()) {
    check_zip(lists_, axes);
    // What the first of them changes, it changes in every row.
    dimensions_.push_back(
        {kinds[axes.front()].level, length_of(lists_.values[axes.front()]), axes});
  } else {
    for (const std::size_t axis : axes) {
      dimensions_.push_back({kinds[axis].level, length_of(lists_.values[axis]), {axis}});
    }
  }
  for (const Dimension& dimension : dimensions_) {
    for (std::size_t level = 0; level <= static_cast<std::size_t>(dimension.level); ++level) {
      rows_of_[level] *= dimension.size;
    }
  }
  const bool ends_in_links =
      !dimensions_.empty() && dimensions_.back().axes == std::vector{axis_place("--link")};
  if (ends_in_links) rows_of_line_ = dimensions_.back().size;
}

SweepPlace SweepGrid::place_at(std::size_t row) const {
  SweepPlace place{};
  for (std::size_t i = dimensions_.size(); i-- > 0;) {
    const Dimension& dimension = dimensions_[i];
    for (const std::size_t axis : dimension.axes) {
      place[axis] = static_cast<std::uint32_t>(row % dimension.size);
    }
    row /= dimension.size;
  }
  return place;
}

const Workload& network_of(const SweepInputs& inputs, std::size_t network) {
  return inputs.workloads[inputs.first_workload[network]];
}

std::size_t graph_at(const SweepGrid& grid, const SweepPlace& place) {
  std::size_t graph = 0;
  for (const std::size_t axis : axes_of_graphs()) {
    const auto& values = grid.lists().values[axis];
    // Names may stand in several places of a zipped list, and are read once.
    const bool is_name = axis_kinds()[axis].values.parse == nullptr;
    const std::size_t at = values.empty() ? 0
                           : is_name      ? static_cast<std::size_t>(values[place[axis]])
                                          : place[axis];
    graph = graph * graphs_along(grid.lists(), axis) + at;
  }
  return graph;
}

std::size_t graphs_of(const SweepLists& lists) {
  std::size_t graphs = 1;
  for (const std::size_t axis : axes_of_graphs()) graphs *= graphs_along(lists, axis);
  return graphs;
}

SweepPlace place_of_graph(const SweepLists& lists, std::size_t graph) {
  SweepPlace place{};
  const std::vector<std::size_t> axes = axes_of_graphs();
  for (std::size_t i = axes.size(); i-- > 0;) {
    const std::size_t count = graphs_along(lists, axes[i]);
    place[axes[i]] = static_cast<std::uint32_t>(graph % count);
    graph /= count;
  }
  return place;
}

const Workload& workload_at(const SweepGrid& grid, const SweepInputs& inputs,
                            const SweepPlace& place) {
  const std::size_t graph = graph_at(grid, place);
  const std::size_t at = inputs.workload_of[graph];
  if (at == kNoWorkload) throw SpecError(inputs.no_workload.at(graph));
  return inputs.workloads[at];
}

const Machine& machine_at(const SweepGrid& grid, const SweepInputs& inputs,
                          const SweepPlace& place) {
  return inputs.machines[named(grid, "--hardware", place)];
}

const Schedule& schedule_at(const SweepGrid& grid, const SweepPlace& place) {
  return *grid.lists().schedules[named(grid, "--schedule", place)];
}

CaseOptions options_at(const SweepGrid& grid, const SweepInputs& inputs, const SweepPlace& place,
                       AxisLevel up_to) {
  CaseOptions options = inputs.options;
  options.framework = inputs.frameworks[named(grid, "--framework", place)];
  if (grid.lists().has("--symbol")) {
    options.symbols = grid.lists().symbols[named(grid, "--symbol", place)];
  }
  for (std::size_t axis = 0; axis < axis_kinds().size(); ++axis) {
    if (axis_kinds()[axis].level <= up_to) apply_axis(grid, axis, place, options);
  }
  return options;
}

void name_row(const SweepGrid& grid, const SweepInputs& inputs, const SweepPlace& place,
              RunInputs& row) {
  row.network = inputs.network_names[named(grid, "NETWORK", place)];
  row.hardware = machine_at(grid, inputs, place).profile.name;
  row.schedule = schedule_at(grid, place).name;
  row.columns = inputs.columns;
  if (inputs.framework_names.empty()) return;
  row.framework = inputs.framework_names[named(grid, "--framework", place)];
}

RunInputs inputs_at(const SweepGrid& grid, const SweepInputs& inputs, std::size_t row) {
  const SweepPlace place = grid.place_at(row);
  const CaseOptions options = options_at(grid, inputs, place);
  const std::size_t workload = inputs.workload_of[graph_at(grid, place)];
  const bool is_made = workload != kNoWorkload;
  RunInputs asked = inputs_of(
      is_made ? inputs.workloads[workload] : network_of(inputs, named(grid, "NETWORK", place)),
      &machine_at(grid, inputs, place).profile, options);
  if (!is_made) repeat_asked(options, asked);
  name_row(grid, inputs, place, asked);
  return asked;
}

void apply_prices(const SweepGrid& grid, const SweepPlace& place, CaseOptions& options) {
  for (std::size_t axis = axis_kinds().size(); axis-- > 0;) {
    if (axis_kinds()[axis].level != AxisLevel::kPrices) return;
    apply_axis(grid, axis, place, options);
  }
}

}  // namespace ooc
