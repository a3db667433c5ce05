// The operations of compute=real by name. See operations.hpp.
#include "calibrate/gpu/operations.hpp"

namespace ooc::gpu {

MadeOperation make_operation(const Line& step, const ReplayMemory& /*memory*/) {
  const std::string* op = step.find("op");
  return {nullptr, "unknown op '" + (op == nullptr ? std::string() : *op) + "'"};
}

}  // namespace ooc::gpu
