// "symbols" of a network file: sizes by name, so that a sequence can have another length without another
// file (docs/formats.md, 2).
#pragma once

#include <vector>

#include "model/base/spec_tree.hpp"

namespace ooc {

/// Gives the document the symbols that its file states, with the values of `asked` in place of the file's.
/// Throws SpecError for a name that the file does not have.
void set_symbols(SpecDocument& document, const std::vector<SymbolValue>& asked);

/// Throws SpecError where no field has used a symbol: changing it would change nothing.
void check_symbols_read(const SpecDocument& document);

}  // namespace ooc
