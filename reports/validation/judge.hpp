// Verdicts: the rules of a check applied to the figures of its runs.
#pragma once

#include <vector>

#include "reports/validation/evaluation.hpp"
#include "reports/validation/validation_report.hpp"
#include "reports/validation/validation_row.hpp"

namespace ooc {

/// Makes the runs of all checks that are not pending and judges each figure.
[[nodiscard]] RowReport judge_row(const ValidationRow& row, const MakeRun& make_run);

[[nodiscard]] ValidationReport judge_rows(const std::vector<ValidationRow>& rows,
                                          const MakeRun& make_run);

/// Whether a tight or band figure fails and is not known to: exit status 4.
[[nodiscard]] bool fails(const ValidationReport& report);

}  // namespace ooc
