// Measured times of whole networks (validation/networks-*.json): how near predictions of compute come. One
// file is a data set: rows of one kind, with what their software does, and whether a number was fitted to them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/base/dtype.hpp"
#include "model/base/spec_tree.hpp"
#include "model/base/units.hpp"
#include "model/kernels/platform.hpp"
#include "reports/validation/figures.hpp"

namespace ooc {

/// What was timed.
enum class MeasuredPass {
  kInference,
  kForward,          ///< as in training
  kForwardBackward,  ///< without the update
  kTraining,
};

/// What ran the rows that name it.
struct MeasuredStack {
  std::string name;
  Software software;
  bool input_gradient = false;  ///< backward goes down to the gradient of the network's input
  bool far_parameters =
      false;  ///< parameters are brought each iteration, and their gradients taken
};

/// The job of one row.
struct MeasuredNetwork {
  std::string network;
  std::string hardware;
  std::int64_t batch = 1;
  Dtype dtype = Dtype::kFloat32;
  MeasuredPass pass = MeasuredPass::kTraining;
  std::size_t stack = 0;  ///< index into MeasuredSet::stacks
};

struct MeasuredSet {
  FigureFile file;                  ///< its rows: the seconds of a batch; never of order
  std::optional<double> goal = {};  ///< mean error that is aimed at
  std::vector<MeasuredStack> stacks = {};
  std::vector<MeasuredNetwork> networks = {};  ///< as many as rows
};

/// Whether a file says that it is one.
[[nodiscard]] bool is_measured_set(const SpecDocument& document);
/// Throws SpecError with place, found and expected.
[[nodiscard]] MeasuredSet read_measured_set(SpecDocument document);

}  // namespace ooc
