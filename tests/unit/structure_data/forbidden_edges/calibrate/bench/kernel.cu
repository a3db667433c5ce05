#include "model/base/units.hpp"
