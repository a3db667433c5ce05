// The largest batch that runs.
//     max_batches(request, schedules)
#pragma once

#include "simulator/predict/max_batch.hpp"
