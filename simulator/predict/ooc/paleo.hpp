// All that the library answers, for programs of one's own (examples/):
//     find_package(ooc-paleo) and target_link_libraries(... ooc-paleo::ooc-paleo)
// It neither prints nor exits. Bad input is a SpecError that names file, place, what was found and what was expected; a
// job that does not fit is a report that says so. Any number of threads may ask at once.
#pragma once

#include "ooc/compare.hpp"
#include "ooc/solve.hpp"
#include "ooc/predict.hpp"
#include "ooc/read.hpp"
#include "ooc/schedule.hpp"
#include "ooc/sweep.hpp"
