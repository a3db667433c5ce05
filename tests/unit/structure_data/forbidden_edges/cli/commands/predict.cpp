#include "cli/parse.hpp"
