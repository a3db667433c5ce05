// SQLite belongs into one file of cli; model/base is two edges away and allowed.
#pragma once
#include <sqlite3.h>
#include "model/base/units.hpp"
