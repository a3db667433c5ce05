// Holds a type whose name another header takes too.
#pragma once

namespace ooc {

struct Twice {
  double other = 0;
};

}  // namespace ooc
