// What makes two sweeps the same: the program's version, what was asked for, and the bytes of every file that was
// read. Results carry it, so that nobody goes on with the rows of other inputs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/sweep/shard.hpp"
#include "reports/writers/writer.hpp"
#include "simulator/predict/sweep.hpp"

namespace ooc {

/// A file that was read. `name` is what rows call it.
struct ReadFile {
  std::string role;    ///< "network", "hardware", "architecture", "framework", "study"
  std::string name;    ///< unique among those of its role
  std::string sha256;  ///< empty where it was a pipe
};

struct SweepIdentity {
  ToolInfo tool;  ///< its command is not compared: settings say what matters of it
  std::string format;
  std::vector<std::pair<std::string, std::string>> settings;  ///< a flag or NETWORK, and its text
  std::vector<ReadFile> files;
  std::size_t rows = 0;  ///< of the whole grid
  RowRange range;        ///< those of them that this file is for
};

/// Hashes the files, and notes the flags that decide what the rows say.
struct IdentityRequest {
  const Arguments& arguments;
  const SweepGrid& grid;
  const SweepInputs& inputs;
  std::span<const std::string> others;  ///< files that were read beside: studies
  std::optional<Shard> shard = {};
};
[[nodiscard]] SweepIdentity identity_of(const IdentityRequest& request);

/// One line of JSON, and back. Throws SpecError, about `file`, for a line that is none.
[[nodiscard]] std::string identity_line(const SweepIdentity& identity);
[[nodiscard]] SweepIdentity read_identity(const std::string& line, const std::string& file);

/// What is different, one a text: "--batch was 64,128, is 64,256". None: the same.
[[nodiscard]] std::vector<std::string> differences(const SweepIdentity& was,
                                                   const SweepIdentity& is);

}  // namespace ooc
