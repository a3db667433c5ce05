#pragma once
  #  include "simulator/schedules/schedule.hpp"
