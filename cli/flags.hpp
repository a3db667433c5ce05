// Flags that several subcommands share, as data (docs/formats.md, 4). Flags of a run are made from
// the table of options (simulator/predict/options.hpp).
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace ooc::flags {

inline constexpr Flag kFormat{.name = "--format",
                              .value = "FORMAT",
                              .help = "default: what -o ends with, else table",
                              .completes = Completes::kChoices,
                              .choices = "table|json|csv"};
inline constexpr Flag kOutput{.name = "--output",
                              .brief = "-o",
                              .value = "FILE",
                              .help = "where the result goes; - is standard output (default)",
                              .completes = Completes::kFiles};
inline constexpr Flag kTrace{.name = "--trace",
                             .value = "FILE",
                             .help = "also write a trace for https://ui.perfetto.dev",
                             .completes = Completes::kFiles};
inline constexpr Flag kMemorySnapshot{
    .name = "--memory-snapshot",
    .value = "FILE",
    .help = "also write near memory over time for https://pytorch.org/memory_viz",
    .completes = Completes::kFiles};
inline constexpr Flag kReport{.name = "--report",
                              .value = "FILE",
                              .help = "also write charts: one HTML page, for any browser",
                              .completes = Completes::kFiles};
inline constexpr Flag kPlot{.name = "--plot",
                            .value = "FILE",
                            .help = "also write the main chart as SVG (needs Node.js)",
                            .completes = Completes::kFiles};
inline constexpr Flag kSteps{
    .name = "--steps", .value = "", .help = "also report every step of the plan with its times"};
inline constexpr Flag kEquations{
    .name = "--equations",
    .value = "",
    .help = "also report OOC-Paleo's equations (3) to (12), each beside what the run came to"};
inline constexpr Flag kExportPlan{.name = "--export-plan",
                                  .value = "FILE",
                                  .help = "also write the plan, one line a step",
                                  .completes = Completes::kFiles};
inline constexpr Flag kExportPolicy{
    .name = "--export-policy",
    .value = "FILE",
    .help = "also write what becomes of each tensor, as JSON for scripts/apply_policy.py",
    .completes = Completes::kFiles};
inline constexpr Flag kDevice{
    .name = "--device", .brief = "", .value = "N", .help = "number of the device; default 0"};
inline constexpr Flag kTimeLimit{
    .name = "--time-limit",
    .value = "TIME",
    .help = "give the measuring program up after such a silence; default 60s"};
inline constexpr Flag kJob{.name = "--job",
                           .value = "FILE",
                           .help =
                               "a trainer's own file, for what no flag says: DeepSpeed's "
                               "JSON, the YAML of accelerate, axolotl or a Hugging Face trainer",
                           .completes = Completes::kInputs};
inline constexpr Flag kMaxInput{.name = "--max-input",
                                .value = "SIZE",
                                .help = "largest input file that is read; default 64MiB"};
inline constexpr Flag kQuiet{
    .name = "--quiet",
    .value = "",
    .help = "no progress and no remarks on standard error; of compare no chart"};
inline constexpr Flag kNoColor{
    .name = "--no-color", .brief = "", .value = "", .help = "no colours (as with NO_COLOR set)"};

/// Returns the flags of a run. `lists`: with several values; `but`: left out.
[[nodiscard]] std::vector<Flag> of_runs(std::initializer_list<std::string_view> lists = {},
                                        std::initializer_list<std::string_view> but = {});
/// Returns the flags of a sweep, in which every axis is a list.
[[nodiscard]] std::vector<Flag> of_sweeps();
/// Returns the flags named, and the options of schedules if `names` has "--schedule".
[[nodiscard]] std::vector<Flag> of_options(std::initializer_list<std::string_view> names);
/// Returns `flags`, then a command's own. A flag of the same name is replaced.
[[nodiscard]] std::vector<Flag> joined(std::vector<Flag> flags, std::initializer_list<Flag> own);

/// Argument of commands about one network.
inline constexpr Positionals kNetwork{
    .name = "NETWORK",
    .help =
        "a network file, - (standard input) or a name of `ooc-paleo list networks`; or a job file",
    .completes = Completes::kNetworks};

}  // namespace ooc::flags
