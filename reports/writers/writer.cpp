// Finds writers by name.
#include "reports/writers/writer.hpp"

#include "model/base/named.hpp"

namespace ooc {

const Writer* find_writer(std::string_view name) { return find_named(writers(), name); }

}  // namespace ooc
