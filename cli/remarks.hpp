// Remarks for people on standard error; results never go there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ooc {

struct CaseOptions;
struct Machine;
struct Workload;

/// Whether they are wanted (--quiet).
enum class Remarks { kShown, kQuiet };
/// "ooc-paleo: <text>" as one line.
void remark(Remarks remarks, std::string_view text);
/// "ooc-paleo: remark: <file>: <text>"; nothing where there is no text.
void remark_on(Remarks remarks, std::string_view file, std::string_view text);
/// "/devices: 2 devices, of which one is simulated; --devices N splits the batch"
[[nodiscard]] std::string devices_remark(int devices);
/// Of networks with batch norms that run in rounds.
[[nodiscard]] std::string norms_remark(std::int64_t sub_batch);
/// What a profile says that a prediction may be wrong for: implausible numbers; and that only one device is
/// simulated of several (`devices`: of --devices).
void remark_on_machine(Remarks remarks, const Machine& machine, int devices);
/// That nobody said how many samples an iteration has, and that it is 1.
void remark_on_batch(Remarks remarks, const Workload& workload, const CaseOptions& options);

}  // namespace ooc
