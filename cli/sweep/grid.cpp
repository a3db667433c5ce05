// The product of the lists is checked before anything is read.
#include "cli/sweep/grid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/schedule_flags.hpp"
#include "cli/sweep/ranges.hpp"
#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"

namespace ooc {
namespace {

template <class Value>
std::vector<std::optional<Value>> optionals(const std::vector<Value>& values) {
  return {values.begin(), values.end()};
}

void check_names(const std::vector<std::string>& names, std::string_view place,
                 std::string_view expected) {
  if (names.empty()) bad_value(place, "none", std::string(expected));
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) bad_value(place, in_quotes(*twice) + " twice", "each once");
}

void check_size(const SweepGrid& grid) {
  Int128 rows = 1;
  for (const std::size_t count :
       {grid.networks.size(), grid.hardware.size(), grid.batches.size(), grid.memories.size(),
        grid.far_memories.size(), grid.schedules.size(), grid.links.size()}) {
    rows = std::min<Int128>(rows * static_cast<Int128>(count), Int128{1} << 62);
  }
  if (rows <= static_cast<Int128>(kMaxSweepPoints)) return;
  bad_value("sweep", fmt::format("{} configurations", static_cast<std::int64_t>(rows)),
            fmt::format("at most {}", kMaxSweepPoints), "make a list shorter or its steps wider");
}

}  // namespace

SweepGrid sweep_grid(const Arguments& arguments) {
  SweepGrid grid;
  grid.networks = arguments.positionals();
  const auto hardware = arguments.values("--hardware");
  for (const std::string& each : hardware) {
    for (const std::string& name : split_list(each, "--hardware")) grid.hardware.push_back(name);
  }
  check_names(grid.networks, "NETWORK",
              "at least one network, before the flags: `sweep NETWORK... --hardware ...`");
  check_names(grid.hardware, "--hardware", "at least one profile");

  grid.batches = {std::nullopt};
  grid.memories = {std::nullopt};
  grid.links = {std::nullopt};
  if (const auto text = arguments.value("--batch")) {
    grid.batches = optionals(batch_range(*text, "--batch"));
  }
  if (const auto text = arguments.value("--memory")) {
    grid.memories = optionals(bytes_range(*text, "--memory"));
  }
  if (const auto text = arguments.value("--far-memory")) {
    grid.far_memories = optionals(bytes_range(*text, "--far-memory"));
  }
  if (const auto text = arguments.value("--link")) {
    grid.links = optionals(rate_range(*text, "--link"));
  }
  grid.schedules = chosen_schedules(arguments, "capacity").schedules;
  check_size(grid);
  return grid;
}

}  // namespace ooc
