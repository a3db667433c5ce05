// What a trainer's own file says of a job (--job): DeepSpeed's JSON; accelerate's, axolotl's or a Hugging Face trainer's
// YAML. Keys are the programs' (DeepSpeed 0.17, accelerate 1.10, axolotl 0.12, transformers 4.56).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_tree.hpp"

namespace ooc {

/// A flag that follows, and the key that it follows from.
struct TrainerFlag {
  std::string flag;     ///< such as "--batch", or "NETWORK"
  std::string text;     ///< its value; empty: a switch
  std::string file;     ///< the file, or one that it names
  std::string pointer;  ///< such as "/zero_optimization/stage"
};

struct TrainerFile {
  std::vector<TrainerFlag> flags;  ///< each once
  /// "/tensor_parallel_size is not understood: ...": what changes the iteration and is left out.
  std::vector<std::string> remarks;
};

/// Reads the file and those that it names. `devices`: --devices, if given beside it; empty: not given. Throws SpecError
/// for what is no such file and for values that contradict each other.
[[nodiscard]] TrainerFile read_trainer_file(const std::string& path, std::string_view devices,
                                            const ReadLimits& limits = {});
/// The same of a text; `file` is its name.
[[nodiscard]] TrainerFile read_trainer_text(std::string_view text, const std::string& file,
                                            std::string_view devices,
                                            const ReadLimits& limits = {});

}  // namespace ooc
