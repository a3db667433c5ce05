// The table format: what a person reads. Its parts are in table_*.cpp.
#include "reports/writers/text_table.hpp"
#include "reports/writers/validation_text.hpp"
#include "reports/writers/writer.hpp"

namespace ooc {

extern const Writer table_writer;
const Writer table_writer{.name = "table",
                          .summary = "for people",
                          .prediction = &table_prediction,
                          .comparison = &table_comparison,
                          .inspection = &table_inspection,
                          .replay = &table_replay,
                          .max_batch = &table_max_batch,
                          .validation = &table_validation};

}  // namespace ooc
