// Networks and hardware profiles from files.
//     read_workload(path, options), read_machine(path), make_case(workload, machine, options)
#pragma once

#include "simulator/predict/case.hpp"
