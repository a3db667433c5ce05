// "symbols" of a network file: sizes by name, so that one file serves all sequence lengths
// (docs/formats.md, 2).
#pragma once

#include <vector>

#include "model/base/spec_tree.hpp"

namespace ooc {

/// Sets the symbols of the document: values of `asked`, else of the file. Throws SpecError for a
/// name that the file does not have.
void set_symbols(SpecDocument& document, const std::vector<SymbolValue>& asked);

/// Throws SpecError for a symbol that no field uses.
void check_symbols_read(const SpecDocument& document);

}  // namespace ooc
