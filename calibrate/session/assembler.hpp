// The parts of assemble_profile, one file each: the connection, the memories. They fill one
// profile and give every number its provenance. For those files alone.
#pragma once

#include <optional>
#include <string>

#include "calibrate/session/assemble.hpp"

namespace ooc {

class Assembler {
 public:
  Assembler(const SampleSet& set, const Calibration& calibration, const ProfileHead& head)
      : set_(set), calibration_(calibration), head_(head) {}

  [[nodiscard]] Assembled run();

 private:
  void say(const char* fields, ProvenanceKind kind, std::string source);
  /// In place of all that the profile says of these fields and of those below them.
  void measured(const char* fields, std::string source);
  [[nodiscard]] std::optional<long long> machine_integer(const char* key) const;

  // assemble_connection.cpp
  void copies();
  void launch();
  void faults(TransferMode& mode);
  void link();
  /// What a mode's directions can carry alone: the reader's rule for the least duplex ratio.
  [[nodiscard]] double peak_rate(const TransferLine& line) const;
  void duplex();  ///< after the memories, which limit the rates

  // assemble_memories.cpp
  void memories();
  void near_capacity();
  void near_rate(double fastest_copy);

  const SampleSet& set_;
  const Calibration& calibration_;
  const ProfileHead& head_;
  Assembled result_;
};

/// Whole MB/s: no timing is better than that, and files stay readable.
[[nodiscard]] BytesPerSecond rate_from(double bytes_per_s);
/// What every copy of this mode is limited by at most: the rate at its largest size.
[[nodiscard]] double top_rate(const TransferFit& fit);

}  // namespace ooc
