// The knees of a sweep whose end has them all: the first ones in memory, the rest in a file without a name, so that
// memory does not grow with them.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

#include "simulator/predict/knee.hpp"

namespace ooc {

class KneeSpool {
 public:
  void add(const Knee& knee);
  /// In the order in which they came. Throws SpecError where the file cannot be read.
  void for_each(const std::function<void(const Knee&)>& visit);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::vector<Knee> first_;
  std::unique_ptr<std::FILE, Close> rest_;
};

}  // namespace ooc
