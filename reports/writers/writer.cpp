// Finds writers by name.
#include "reports/writers/writer.hpp"

namespace ooc {

const Writer* find_writer(std::string_view name) {
  for (const Writer* writer : writers()) {
    if (writer->name == name) return writer;
  }
  return nullptr;
}

}  // namespace ooc
