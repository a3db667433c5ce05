// Measured times of whole networks (validation/networks-*.json), against which compute times are validated. A
// file is one data set: rows of one kind with their software, and whether a number was fitted to them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/base/precision.hpp"
#include "model/base/spec_tree.hpp"
#include "model/base/units.hpp"
#include "reports/validation/figures.hpp"

namespace ooc {

/// Part of the iteration that was timed.
enum class MeasuredPass {
  kInference,
  kForward,          ///< forward pass of training
  kForwardBackward,  ///< iteration without the update
  kTraining,
};

/// Software that ran a row.
struct MeasuredStack {
  std::string name;
  std::string framework;              ///< shipped name or file
  std::optional<SpecView> with = {};  ///< kernel fields in place of the framework's
  bool input_gradient = false;        ///< backward computes the gradient of the network's input
  bool far_parameters =
      false;  ///< parameters are copied in and their gradients out, in each iteration
};

/// Job of one row.
struct MeasuredNetwork {
  std::string network;
  std::string hardware;
  std::int64_t batch = 1;
  Dtype dtype = Dtype::kFloat32;
  MeasuredPass pass = MeasuredPass::kTraining;
  std::size_t stack = 0;  ///< index into MeasuredSet::stacks
};

struct MeasuredSet {
  FigureFile file;                  ///< rows: seconds of a batch; never kOrder
  std::optional<double> goal = {};  ///< mean error aimed at; unset: none
  std::vector<MeasuredStack> stacks = {};
  std::vector<MeasuredNetwork> networks = {};  ///< networks by row
};

/// True if the file declares itself a set of measured networks.
[[nodiscard]] bool is_measured_set(const SpecDocument& document);
/// Throws SpecError with place, found and expected.
[[nodiscard]] MeasuredSet read_measured_set(SpecDocument document);

}  // namespace ooc
