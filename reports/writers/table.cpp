// The table format: what a person reads. Its parts are in table_*.cpp.
#include "reports/writers/text_table.hpp"
#include "reports/writers/writer.hpp"

namespace ooc {

namespace {

/// What the tables leave too wide: sentences, names.
template <auto kWrite, class Report>
std::string for_terminal(const Report& report, const WriteOptions& options) {
  return folded(kWrite(report, options), options.look.width);
}

}  // namespace

extern const Writer table_writer{.name = "table",
                                 .prediction = &for_terminal<&table_prediction, RunReport>,
                                 .rows = &for_terminal<&table_rows, ResultRows>,
                                 .inspection = &for_terminal<&table_inspection, NetworkReport>,
                                 .replay = &for_terminal<&table_replay, ReplayReport>,
                                 .validation = &for_terminal<&table_validation, ValidationReport>};

}  // namespace ooc
