// The whole library, for programs of your own (examples/):
//     find_package(ooc-paleo) and target_link_libraries(... ooc-paleo::ooc-paleo)
// The library neither prints nor exits. Bad input throws SpecError with file, place, found and expected. A
// job that does not fit is a report that says so. Any number of threads may call it at once.
#pragma once

#include "ooc/compare.hpp"
#include "ooc/solve.hpp"
#include "ooc/predict.hpp"
#include "ooc/read.hpp"
#include "ooc/schedule.hpp"
#include "ooc/sweep.hpp"
