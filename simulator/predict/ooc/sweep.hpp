// Every combination of networks, machines, batches, budgets, schedules and links, row by row:
//     run_sweep(job, sink)
#pragma once

#include "simulator/predict/sweep.hpp"
