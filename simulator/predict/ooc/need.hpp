// The smallest link, memory or rate that makes a job as fast as asked.
//     needs(request)
#pragma once

#include "simulator/predict/need.hpp"
