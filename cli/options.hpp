// Converts texts of flags to values. A bad value throws SpecError with flag, found and expected.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/remarks.hpp"
#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"
#include "model/base/quantity_io.hpp"
#include "model/base/spec_tree.hpp"
#include "reports/writers/writer.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Converts the flags that are options of a run (simulator/predict/options.hpp) to values in `arguments`, and sets
/// defaults. A flag of the command's own that has the name of an option stays text.
void read_options(Arguments& arguments);

/// Returns the extension of a file name in lower case, "json"; empty: none.
[[nodiscard]] std::string ending_of(const std::string& path);
/// Returns "json" or "csv" by the extension of an output's name in any case; else empty. Throws
/// SpecError for .sqlite, which only `sweep` writes.
[[nodiscard]] std::string format_of_name(const std::string& path);

/// Returns the first positional argument. Throws SpecError if there is none: at `name`, with `expected`.
[[nodiscard]] std::string required_positional(const Arguments& arguments, std::string_view name,
                                              std::string_view expected);
/// network_of() returns NETWORK, hardware_of() --hardware. Both throw SpecError if it is missing.
[[nodiscard]] std::string network_of(const Arguments& arguments);
[[nodiscard]] std::string hardware_of(const Arguments& arguments);

/// Returns an integer from 1 to 2^31. Throws SpecError at `flag`, such as --batch, for other texts.
[[nodiscard]] std::int64_t parse_batch(std::string_view text, std::string_view flag);

/// Returns by kind of job how far predictions were off (validation/errors/by_kind.json of a data
/// folder); null if there is no such file. Throws SpecError for a bad file.
[[nodiscard]] std::shared_ptr<const std::vector<MeasuredErrors>> measured_errors_table();

// Schedules of a command line. Their options stand in simulator/schedules/option_table.hpp.

/// Reads --schedule. Default: all where the command takes several (but capacity for `fit`), else capacity. Throws
/// SpecError for unknown and repeated names, and for several where one is wanted.
void read_schedules(Arguments& arguments);

/// Throws SpecError for a flag of schedules that no schedule of `chosen` reads.
void check_chosen(const Arguments& arguments, std::span<const Schedule* const> chosen);

/// Returns the schedules of `chosen` that every machine can run. `all`: the others are left out, with
/// one remark unless all machines declare the missing modes impossible. Not `all`: throws SpecError for
/// a schedule that some machine, or a pass of the job, cannot run.
[[nodiscard]] std::vector<const Schedule*> runnable(std::vector<const Schedule*> chosen, bool all,
                                                    std::span<const Machine> machines,
                                                    const CaseOptions& options, Remarks remarks);

}  // namespace ooc
