// Common code of kinds that only move data: forward reads the input and writes the output, backward
// reads and writes their gradients; nothing is saved. Kinds that change no byte are views.
#pragma once

#include "model/layers/layer_kind.hpp"
#include "model/layers/work.hpp"

namespace ooc {

/// Work of the tasks of such a kind, per sample.
struct Movement {
  Wide forward_elements;   ///< elements read and written
  Wide backward_elements;  ///< elements read and written
  Wide forward_flops = 0;
  Wide backward_flops = 0;
};

inline void set_movement(const SpecView& spec, const LayerInputs& inputs, const Movement& movement,
                         LayerModel& model) {
  const Wide element = inputs.element_bytes();
  model.work.forward =
      to_task_work(spec, {movement.forward_flops, element * movement.forward_elements, 0});
  model.work.backward_data =
      to_task_work(spec, {movement.backward_flops, element * movement.backward_elements, 0});
}

}  // namespace ooc
