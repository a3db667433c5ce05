// The JSON Schema of job files, made from the table of options and the commands' own flags.
#pragma once

#include <string>

namespace ooc {

/// What studies/study.schema.json has; a test compares the two.
[[nodiscard]] std::string job_schema();

}  // namespace ooc
