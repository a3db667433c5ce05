#include "cli/command.hpp"

#include "cli/parse.hpp"
