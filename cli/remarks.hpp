// Remarks for people on standard error; results never go there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ooc {

/// Whether they are wanted (--quiet).
enum class Remarks { kShown, kQuiet };
/// "ooc-paleo: <text>" as one line.
void remark(Remarks remarks, std::string_view text);
/// "/devices: 2 devices, of which one is simulated; --devices N splits the batch"
[[nodiscard]] std::string devices_remark(int devices);
/// Of networks with batch norms that run in rounds.
[[nodiscard]] std::string norms_remark(std::int64_t sub_batch);
/// That only one device is simulated, where the profile has more.
void remark_on_devices(Remarks remarks, std::string_view profile, int devices);

}  // namespace ooc
