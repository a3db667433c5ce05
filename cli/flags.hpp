// Flags that several subcommands share, as data (docs/formats.md, 4). Flags of a run are made from
// the table of options (simulator/predict/options.hpp).
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace ooc::flags {

inline constexpr Flag kFormat{"--format", "FORMAT", "default: what -o ends with, else table",
                              Completes::kChoices, "table|json|csv"};
inline constexpr Flag kOutput{.name = "--output",
                              .value = "FILE",
                              .help = "where the result goes; - is standard output (default)",
                              .completes = Completes::kFiles,
                              .brief = "-o"};
inline constexpr Flag kTrace{.name = "--trace",
                             .value = "FILE",
                             .help = "also write a trace for https://ui.perfetto.dev",
                             .completes = Completes::kFiles};
inline constexpr Flag kMemorySnapshot{
    .name = "--memory-snapshot",
    .value = "FILE",
    .help = "also write near memory over time for https://pytorch.org/memory_viz",
    .completes = Completes::kFiles};
inline constexpr Flag kReport{
    "--report", "FILE", "also write charts: one HTML page, for any browser", Completes::kFiles};
inline constexpr Flag kEquations{
    "--equations", "",
    "also report OOC-Paleo's equations (3) to (12), each beside what the run came to"};
inline constexpr Flag kExportPlan{"--export-plan", "FILE", "also write the plan, one line a step",
                                  Completes::kFiles};
inline constexpr Flag kExportPolicy{
    "--export-policy", "FILE",
    "also write what becomes of each tensor, as JSON for scripts/apply_policy.py",
    Completes::kFiles};
inline constexpr Flag kDevice{"--device", "N", "number of the device; default 0"};
inline constexpr Flag kTimeLimit{"--time-limit", "TIME",
                                 "give the measuring program up after such a silence; "
                                 "default 120s; of a measurement 20s beside 4 times its estimate"};
inline constexpr Flag kJob{"--job", "FILE",
                           "a trainer's own file, for what no flag says: DeepSpeed's "
                           "JSON, the YAML of accelerate, axolotl or a Hugging Face trainer",
                           Completes::kInputs};
inline constexpr Flag kMaxInput{"--max-input", "SIZE",
                                "largest input file that is read; default 64MiB"};
inline constexpr Flag kQuiet{"--quiet", "", "no progress and no remarks on standard error"};
inline constexpr Flag kNoColor{"--no-color", "", "no colours (as with NO_COLOR set)"};

/// Returns the flags of a run. `lists`: flags that take several values; `but`: flags left out.
[[nodiscard]] std::vector<Flag> of_runs(std::initializer_list<std::string_view> lists = {},
                                        std::initializer_list<std::string_view> but = {});
/// Returns the flags of `sweep`: each axis is a list, and --layer-times is left out.
[[nodiscard]] std::vector<Flag> of_sweeps();
/// Returns the flags called `names`; with "--schedule" also the flags of all options of schedules.
[[nodiscard]] std::vector<Flag> of_options(std::initializer_list<std::string_view> names);
/// Returns `flags`, then `own`. A flag in `own` replaces one of the same name.
[[nodiscard]] std::vector<Flag> joined(std::vector<Flag> flags, std::initializer_list<Flag> own);

/// Arguments of commands about one network.
inline constexpr Positionals kNetwork{
    .name = "NETWORK",
    .help =
        "a network file, - (standard input) or a name of `ooc-paleo list networks`; or a job file",
    .completes = Completes::kNetworks};

}  // namespace ooc::flags
