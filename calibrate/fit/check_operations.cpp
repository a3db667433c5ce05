#include "calibrate/fit/check_operations.hpp"

#include <fmt/format.h>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

class RowCheck {
 public:
  RowCheck(const FitMachines& machines, const FitParameters& start, const std::string& file)
      : machines_(machines), start_(start), file_(file) {}

  void check(const MeasuredOperation& row) const {
    const auto machine = machines_.find(row.gpu);
    if (machine == machines_.end()) {
      std::vector<std::string> known;
      for (const auto& [name, value] : machines_) known.push_back(name);
      complain(row, "gpu", in_quotes(row.gpu),
               known.empty() ? "a machine that is known"
                             : fmt::format("one of {}", fmt::join(known, ", ")));
    }
    const std::string& name = machine->second.architecture;
    const auto architecture = start_.find(name);
    if (architecture == start_.end()) {
      complain(row, "gpu",
               fmt::format("{} of architecture {}", in_quotes(row.gpu), in_quotes(name)),
               "an architecture with a file to start from");
    }
    const KernelPlatform platform{machine->second.machine, architecture->second, {}};
    if (row.kind != OperationKind::kStreaming) check_dtype(row, platform);
  }

 private:
  void check_dtype(const MeasuredOperation& row, const KernelPlatform& platform) const {
    const std::string found(dtype_info(row.dtype).name);
    if (is_tensor_operation(row) && !on_tensor_cores(platform, row.dtype)) {
      complain(row, "dtype", found, "a GPU with tensor cores and a peak for that type");
    }
    if (row.dtype == Dtype::kFloat32 && !(sustained_rate(platform, row.dtype) > 0)) {
      complain(row, "dtype", found, "a GPU with a peak for that type");
    }
  }

  [[noreturn]] void complain(const MeasuredOperation& row, const char* column,
                             const std::string& found, const std::string& expected) const {
    throw SpecError({.file = file_,
                     .place = fmt::format("line {}, {}", row.line, column),
                     .found = found,
                     .expected = expected,
                     .hint = {}});
  }

  const FitMachines& machines_;
  const FitParameters& start_;
  const std::string& file_;
};

}  // namespace

void check_operations(const std::vector<MeasuredOperation>& operations, const FitMachines& machines,
                      const FitParameters& architectures, const std::string& file) {
  const RowCheck check(machines, architectures, file);
  for (const MeasuredOperation& row : operations) check.check(row);
}

}  // namespace ooc
