// The product of the lists is checked before anything is read.
#include "cli/sweep/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "cli/job.hpp"
#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/option_text.hpp"
#include "simulator/predict/ranges.hpp"

namespace ooc {
namespace {

/// Each is a network of its own, read and kept.
constexpr std::size_t kMaxSweepGraphs = 10'000;

[[noreturn]] void too_many_graphs(std::size_t graphs) {
  bad_value("sweep", fmt::format("{} graphs: networks x precisions x sizes", graphs),
            fmt::format("at most {}", kMaxSweepGraphs), "make a list shorter or its steps wider");
}

/// Places in the list of what is asked for, and that list, each once. Zipped, a name may stand in several rows.
template <class Value>
AxisValues take_names(std::vector<Value>& names) {
  std::vector<Value> each;
  AxisValues places;
  for (const Value& name : names) {
    const auto found = std::ranges::find(each, name);
    places.push_back(found - each.begin());
    if (found == each.end()) each.push_back(name);
  }
  names = std::move(each);
  return places;
}

/// Of "rank=8,16,depth=2:8:x2" every combination, the first symbol slowest.
std::vector<std::vector<SymbolValue>> symbol_lists(const std::string& text) {
  constexpr std::string_view kFlag = "--symbol";
  std::vector<std::pair<std::string, std::string>> lists;  // by symbol, as it is written
  for (const std::string& each : split_list(text, kFlag)) {
    const std::size_t equals = each.find('=');
    if (equals == std::string::npos && !lists.empty()) {
      lists.back().second += "," + each;
      continue;
    }
    std::string name(trimmed(each.substr(0, equals)));
    if (equals == std::string::npos || !is_symbol_name(name)) {
      bad_value(kFlag, in_quotes(each), "NAME=LIST, such as rank=8:64:x2");
    }
    for (const auto& list : lists) {
      if (list.first == name)
        bad_value(kFlag, "symbol " + name + " for the second time", "each one once");
    }
    lists.emplace_back(std::move(name), each.substr(equals + 1));
  }
  Option sizes = axis_kinds()[axis_place("--seq")];
  sizes.flag = kFlag;
  std::vector<std::vector<SymbolValue>> all(1);
  for (const auto& [name, list] : lists) {
    const AxisValues values = axis_values(sizes, list);
    if (values.size() * all.size() > kMaxSweepGraphs) too_many_graphs(values.size() * all.size());
    std::vector<std::vector<SymbolValue>> longer;
    for (const auto& before : all) {
      for (const std::int64_t value : values) {
        longer.push_back(before);
        longer.back().push_back({name, value});
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// --seq is --symbol seq=.
void check_symbols(const SweepLists& lists) {
  if (lists.symbols.empty()) return;
  for (const SymbolValue& each : lists.symbols.front()) {
    const bool twice = (each.name == kSequence && lists.has("--seq")) ||
                       (each.name == kTargetSequence && lists.has("--target-seq"));
    if (twice)
      bad_value("--symbol", "symbol " + each.name + " for the second time", "each one once");
  }
}

void check_names(const std::vector<std::string>& names, std::string_view place, bool zip) {
  const auto twice = repeated_in(names);
  if (twice && !zip) bad_value(place, in_quotes(*twice) + " twice", "each once");
}

void check_some(const std::vector<std::string>& names, std::string_view place,
                std::string_view expected) {
  if (names.empty()) bad_value(place, "none", std::string(expected));
}

/// The elements of a flag that may be repeated.
std::vector<std::string> elements(const Arguments& arguments, std::string_view flag) {
  std::vector<std::string> names;
  for (const std::string& each : arguments.values(flag)) {
    for (const std::string& name : split_list(each, flag)) names.push_back(name);
  }
  return names;
}

void check_size(const SweepLists& lists) {
  Int128 rows = 1;
  for (const auto& values : lists.values) {
    const auto count = static_cast<Int128>(std::max<std::size_t>(1, values.size()));
    rows = lists.zip ? std::max(rows, count) : std::min<Int128>(rows * count, Int128{1} << 62);
  }
  if (rows <= static_cast<Int128>(kMaxSweepPoints)) return;
  bad_value("sweep", fmt::format("{} configurations", static_cast<std::int64_t>(rows)),
            fmt::format("at most {}", kMaxSweepPoints), "make a list shorter or its steps wider");
}

}  // namespace

SweepLists sweep_lists(const Arguments& arguments) {
  SweepLists lists;
  lists.zip = arguments.has("--zip");
  lists.values = arguments.lists;
  lists.networks = arguments.positionals;
  lists.hardware = elements(arguments, "--hardware");
  lists.frameworks = elements(arguments, "--framework");
  check_some(lists.networks, "NETWORK",
             "at least one network, before the flags: `sweep NETWORK... --hardware ...`");
  check_some(lists.hardware, "--hardware", "at least one profile");
  check_names(lists.networks, "NETWORK", lists.zip);
  check_names(lists.hardware, "--hardware", lists.zip);
  check_names(lists.frameworks, "--framework", lists.zip);
  lists.schedules = arguments.schedules;
  lists.of("NETWORK") = take_names(lists.networks);
  lists.of("--hardware") = take_names(lists.hardware);
  lists.of("--framework") = take_names(lists.frameworks);
  lists.of("--schedule") = take_names(lists.schedules);
  if (const auto text = arguments.value("--symbol")) {
    lists.symbols = symbol_lists(*text);
    AxisValues& places = lists.of("--symbol");
    places.resize(lists.symbols.size());
    std::iota(places.begin(), places.end(), 0);
  }
  check_symbols(lists);
  check_size(lists);
  const std::size_t graphs = lists.zip ? 0 : graphs_of(lists);
  if (graphs > kMaxSweepGraphs) too_many_graphs(graphs);
  return lists;
}

// Every file a sweep needs is read once, and what no row could be worked out with is refused before any runs.

namespace {

void load_frameworks(SweepInputs& inputs, const SweepLists& lists) {
  if (lists.frameworks.empty()) {
    load_framework_of(inputs.options, std::nullopt, inputs.machines);
    inputs.frameworks.push_back(inputs.options.framework);
    return;
  }
  std::vector<std::string> names;
  for (const std::string& name : lists.frameworks) {
    load_framework(inputs.options, name, "--framework");
    inputs.frameworks.push_back(inputs.options.framework);
    names.push_back(inputs.options.framework->name);
  }
  inputs.framework_names = told_apart(std::move(names), lists.frameworks);
  inputs.options.framework = inputs.frameworks.front();
}

/// The graphs that rows need: all, or, zipped, those that stand side by side.
std::vector<bool> graphs_in_use(const SweepGrid& grid) {
  const SweepLists& lists = grid.lists();
  std::vector<bool> used(graphs_of(lists), !lists.zip);
  for (std::size_t row = 0; row < grid.rows() && lists.zip; ++row) {
    used[graph_at(grid, grid.place_at(row))] = true;
  }
  return used;
}

/// What a graph is made by.
CaseOptions options_of_graph(const SweepInputs& inputs, const SweepLists& lists,
                             const SweepPlace& place) {
  CaseOptions options = inputs.options;
  options.framework = inputs.frameworks[place[axis_place("--framework")]];
  if (!lists.symbols.empty()) options.symbols = lists.symbols[place[axis_place("--symbol")]];
  for (std::size_t axis = 0; axis < lists.values.size(); ++axis) {
    const Option& kind = axis_kinds()[axis];
    if (kind.level != AxisLevel::kGraph || kind.apply == nullptr) continue;
    if (lists.values[axis].empty()) continue;
    kind.apply(lists.values[axis][place[axis]], options);
  }
  return options;
}

/// A size or a precision may be one that some networks cannot have: then it is rows that say so, unless all of a
/// network's do.
void load_workload_of(SweepInputs& inputs, std::size_t graph, const std::string& name,
                      const CaseOptions& options) {
  try {
    inputs.workloads.push_back(load_workload(name, "NETWORK", options));
    inputs.workload_of[graph] = inputs.workloads.size() - 1;
  } catch (const SpecError& error) {
    inputs.no_workload.emplace(graph, error);
  }
}

void note_columns(const SweepLists& lists, const Network& network,
                  std::vector<std::string_view>& columns) {
  if (network.precision) columns.push_back("precision");
  for (const Option& axis : axis_kinds()) {
    // What a symbol's column is called depends on the symbol.
    if (lists.has(axis.flag) && axis.flag != "--symbol") columns.push_back(axis.column);
  }
  for (const SymbolValue& symbol : network.symbols) {
    columns.push_back(symbol.name == kSequence         ? kSequence
                      : symbol.name == kTargetSequence ? kTargetSequence
                                                       : "symbols");
  }
}

void load_workloads(SweepInputs& inputs, const SweepGrid& grid) {
  const SweepLists& lists = grid.lists();
  std::vector<std::string> paths;
  std::vector<std::string> names;
  const std::vector<bool> used = graphs_in_use(grid);
  inputs.workload_of.assign(used.size(), kNoWorkload);
  const std::size_t graphs = used.size() / lists.networks.size();
  for (std::size_t i = 0; i < lists.networks.size(); ++i) {
    const std::size_t first = inputs.workloads.size();
    for (std::size_t graph = i * graphs; graph < (i + 1) * graphs; ++graph) {
      if (!used[graph]) continue;
      load_workload_of(inputs, graph, lists.networks[i],
                       options_of_graph(inputs, lists, place_of_graph(lists, graph)));
    }
    if (inputs.workloads.size() == first) {
      throw SpecError(inputs.no_workload.lower_bound(i * graphs)->second);
    }
    const Workload& workload = inputs.workloads[first];
    inputs.first_workload.push_back(first);
    paths.push_back(workload.path);
    names.push_back(workload.network->name);
    note_columns(lists, *workload.network, inputs.columns);
  }
  check_files(lists.networks, paths, "NETWORK");
  inputs.network_names = told_apart(std::move(names), lists.networks);
}

}  // namespace

SweepInputs load_sweep(const SweepGrid& grid, CaseOptions options) {
  const SweepLists& lists = grid.lists();
  SweepInputs inputs;
  inputs.options = std::move(options);
  for (const std::int64_t devices : lists.of("--devices")) {
    inputs.devices = std::max(inputs.devices, static_cast<int>(devices));
  }
  inputs.machines = load_machines(lists.hardware, inputs.options);
  load_frameworks(inputs, lists);
  StateOptions state = inputs.options.state;
  state.devices = inputs.devices;
  if (state.any()) inputs.columns.push_back("offload");
  load_workloads(inputs, grid);
  for (const std::size_t workload : inputs.first_workload) {
    if (lists.has("--batch")) break;
    static_cast<void>(batch_of(inputs.options, *inputs.workloads[workload].network));
  }
  return inputs;
}

}  // namespace ooc
