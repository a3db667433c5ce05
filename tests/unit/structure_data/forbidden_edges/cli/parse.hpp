#pragma once
#include "cli/command.hpp"
