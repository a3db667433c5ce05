// Job options in a trainer's own file (--job): DeepSpeed's JSON; YAML of accelerate, axolotl or a Hugging Face trainer.
// Keys are those of DeepSpeed 0.17, accelerate 1.10, axolotl 0.12, transformers 4.56.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_tree.hpp"

namespace ooc {

/// Flag that follows from a key of the trainer's file.
struct TrainerFlag {
  std::string flag;     ///< such as "--batch", or "NETWORK"
  std::string text;     ///< value of the flag; empty: a switch
  std::string file;     ///< file with the key: the trainer's, or one that it names
  std::string pointer;  ///< the key, such as "/zero_optimization/stage"
};

struct TrainerFile {
  std::vector<TrainerFlag> flags;  ///< flags that the file sets, each once
  /// Settings that change the iteration but are left out: "/tensor_parallel_size is not understood: ...".
  std::vector<std::string> remarks;
};

/// Reads the file and those that it names. `devices`: value of --devices; empty: not given. Throws SpecError
/// if the file is none of a trainer, and for values that contradict each other.
[[nodiscard]] TrainerFile read_trainer_file(const std::string& path, std::string_view devices,
                                            const ReadLimits& limits = {});
/// Does the same for `text`. `file`: path for messages, and for files that `text` names.
[[nodiscard]] TrainerFile read_trainer_text(std::string_view text, const std::string& file,
                                            std::string_view devices,
                                            const ReadLimits& limits = {});

}  // namespace ooc
