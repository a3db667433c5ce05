// The rows of a sweep as its page reads them, JSON, whatever format they were written in.
#pragma once

#include <string>
#include <string_view>

#include "cli/sweep/rows.hpp"
#include "reports/writers/writer.hpp"

namespace ooc {

/// `rows`, those of `range`: CSV with its header, lines of JSON, or, of sqlite, a list (database_rows). JSON itself stays
/// as it is; of the others the knees are found again, as rows may be of an earlier run.
[[nodiscard]] std::string rows_as_json(const SweepFormat& format, std::string rows,
                                       const ToolInfo& tool, SweepEnd end, RowRange range);

/// What the machines of these rows assume: "ooc-paleo/footnotes".
[[nodiscard]] std::string sweep_footnotes(const SweepGrid& grid, const SweepInputs& inputs);

}  // namespace ooc
