// Job options in a trainer's own file (--job): DeepSpeed's JSON; YAML of accelerate, axolotl or a Hugging Face trainer.
// Keys are those of DeepSpeed 0.17, accelerate 1.10, axolotl 0.12, transformers 4.56.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_tree.hpp"

namespace ooc {

/// Flag with its value, and the key of the file from which it follows.
struct TrainerFlag {
  std::string flag;     ///< such as "--batch", or "NETWORK"
  std::string text;     ///< its value; empty: a switch
  std::string file;     ///< the trainer's file, or one that it names
  std::string pointer;  ///< such as "/zero_optimization/stage"
};

struct TrainerFile {
  std::vector<TrainerFlag> flags;  ///< flags, each once
  /// Settings that change the iteration but are left out: "/tensor_parallel_size is not understood: ...".
  std::vector<std::string> remarks;
};

/// Reads the file and those that it names. `devices`: --devices, if given beside it; empty: not
/// given. Throws SpecError if it is not such a file, and for values that contradict each other.
[[nodiscard]] TrainerFile read_trainer_file(const std::string& path, std::string_view devices,
                                            const ReadLimits& limits = {});
/// Reads from memory; `file`: name for messages.
[[nodiscard]] TrainerFile read_trainer_text(std::string_view text, const std::string& file,
                                            std::string_view devices,
                                            const ReadLimits& limits = {});

}  // namespace ooc
