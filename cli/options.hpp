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

/// Converts the options of a run, those of a job file too, by the table (simulator/predict/options.hpp). A flag of the
/// command's own that has the name of an option is left to the command.
void read_options(Arguments& arguments);

/// Returns the extension of a file name in lower case, "json"; empty: none.
[[nodiscard]] std::string ending_of(const std::string& path);
/// Returns "json" or "csv" by the extension of an output's name in any case; else empty. Throws
/// SpecError for .sqlite, which only `sweep` writes.
[[nodiscard]] std::string format_of_name(const std::string& path);

/// Returns the only positional argument; throws SpecError if it is missing.
[[nodiscard]] std::string required_positional(const Arguments& arguments, std::string_view name,
                                              std::string_view expected);
/// Returns NETWORK or --hardware; throws SpecError if missing.
[[nodiscard]] std::string network_of(const Arguments& arguments);
[[nodiscard]] std::string hardware_of(const Arguments& arguments);

/// Parses an integer from 1 to 2^31, for --batch and similar flags.
[[nodiscard]] std::int64_t parse_batch(std::string_view text, std::string_view flag);

/// Returns the errors of shipped measurements by kind of job, from the data folders; null if there
/// is no such file. Throws SpecError for a bad file.
[[nodiscard]] std::shared_ptr<const std::vector<MeasuredErrors>> measured_errors_table();

// Schedules of a command line. Their options stand in simulator/schedules/option_table.hpp.

/// Reads --schedule; default: all where the command takes several, else capacity. Throws SpecError for unknown and
/// repeated names, and for several where one is wanted.
void read_schedules(Arguments& arguments);

/// Throws SpecError for a flag that no chosen schedule reads.
void check_chosen(const Arguments& arguments, std::span<const Schedule* const> chosen);

/// Returns the schedules that every machine can run. `all`: omits the others, with one remark,
/// unless all machines declare the missing modes impossible. Otherwise throws SpecError for a
/// schedule that some machine, or a pass of the job, cannot run.
[[nodiscard]] std::vector<const Schedule*> runnable(std::vector<const Schedule*> chosen, bool all,
                                                    std::span<const Machine> machines,
                                                    const CaseOptions& options, Remarks remarks);

}  // namespace ooc
