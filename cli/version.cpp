// A file of its own, so that a new version number recompiles one small file.
#include "cli/version.hpp"

namespace ooc {

std::string_view version() { return OOC_PALEO_VERSION; }

}  // namespace ooc
