// Names that reports give to the values of run_report.hpp.
#include "reports/summary/run_report.hpp"

namespace ooc {

std::string_view action_name(TensorAction action) {
  switch (action) {
    case TensorAction::kKeep:
      return "keep";
    case TensorAction::kSwap:
      return "swap";
    case TensorAction::kRecompute:
      return "recompute";
    case TensorAction::kCompress:
      return "compress";
  }
  return "keep";
}

}  // namespace ooc
