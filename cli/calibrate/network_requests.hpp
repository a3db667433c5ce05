// What a network's layers ask of a calibration: one request for each distinct shape.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/session/protocol.hpp"
#include "model/base/dtype.hpp"
#include "model/base/spec_tree.hpp"

namespace ooc {

struct NetworkRequests {
  std::vector<KeyValues> requests;
  std::vector<std::string> left_out;  ///< "3 conv layers in 3-D": what is not measured, and why
};

/// Convolutions in every pass, fully connected layers as matrix products, and the element-wise, norm
/// and pool kernels by the bytes of their input. `dtype`: instead of the file's. Throws SpecError for a file
/// that is no network.
[[nodiscard]] NetworkRequests network_requests(const std::string& path, std::int64_t batch,
                                               std::optional<Dtype> dtype,
                                               const ReadLimits& limits);
/// The batch that a network's file states. SpecError (place --batch) if it states none.
[[nodiscard]] std::int64_t batch_in_file(const std::string& path, const ReadLimits& limits);

}  // namespace ooc
