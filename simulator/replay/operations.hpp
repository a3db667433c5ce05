// What each computing step does with compute=real, as the keys of docs/replay-operations.md. No kind of
// layer is known here: the kind has stated its operation (LayerModel::operation), and which buffers
// a pass has follows from what it saves and how its gradients are made.
#pragma once

#include <string>
#include <vector>

#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/replay/contents.hpp"
#include "simulator/replay/gradient_places.hpp"
#include "simulator/replay/static_places.hpp"

namespace ooc {

class Operations {
 public:
  /// The arguments must outlive this.
  Operations(const Plan& plan, const TrainingGraph& graph, const CostTable& costs,
             const Contents& contents);

  /// "op=relu pass=forward batch=32 elements=100 x=0 y=0"; empty: the step spins.
  [[nodiscard]] std::string text_of(StepId step) const;

 private:
  class Writer;

  const Plan& plan_;
  const TrainingGraph& graph_;
  const CostTable& costs_;
  const Contents& contents_;
  std::vector<LayerGradients> gradients_;
  StaticLayout statics_;
  bool usable_ = false;  ///< float32, and the static memory is what it is taken for
};

}  // namespace ooc
