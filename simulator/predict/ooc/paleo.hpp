// Entry header of the whole library, for programs of your own (examples/):
//  ``    find_package(ooc-paleo) and target_link_libraries(... ooc-paleo::ooc-paleo)
// The library neither prints nor exits. Bad input throws SpecError with file, place, found and expected. A job that
// does not fit is a report, not an error. Any number of threads may call the library at once.
#pragma once

#include "ooc/compare.hpp"
#include "ooc/predict.hpp"
#include "ooc/read.hpp"
#include "ooc/schedule.hpp"
#include "ooc/solve.hpp"
#include "ooc/sweep.hpp"
