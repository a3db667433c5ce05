// Holds a type whose name another header takes too.
#pragma once

namespace ooc {

struct Twice {
  int value = 0;
};

}  // namespace ooc
