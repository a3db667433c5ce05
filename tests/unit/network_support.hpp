// Networks written in a few lines for the tests of the reader.
#pragma once

#include "model/network/network_json.hpp"
#include "tests/support/test.hpp"

namespace ooc {

/// A file with one input "data" of 4x8x8, these layers, and `more` keys (", \"outputs\": [...]").
[[nodiscard]] std::string network_text(const std::string& layers, const std::string& more = "");
[[nodiscard]] Network read_layers(const std::string& layers, const std::string& more = "");
/// Returns the text of the SpecError; empty: read without error.
[[nodiscard]] std::string network_error(const std::string& layers, const std::string& more = "");
/// Returns the text of the SpecError for a whole file.
[[nodiscard]] std::string file_error(const std::string& text);

/// "name: producer, producer" of every layer, in file order.
[[nodiscard]] std::vector<std::string> wiring(const Network& network);
[[nodiscard]] std::string producer_name(const Network& network, Producer producer);

}  // namespace ooc
