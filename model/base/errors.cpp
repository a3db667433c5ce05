// One-line texts of the error kinds.
#include "model/base/errors.hpp"

namespace ooc {
namespace {

std::string one_line(const SpecError::Parts& parts) {
  std::string text;
  if (!parts.file.empty()) text += parts.file + ": ";
  if (!parts.place.empty()) text += parts.place + ": ";
  text += "found " + parts.found + ", expected " + parts.expected;
  if (!parts.hint.empty()) text += " (" + parts.hint + ")";
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

}  // namespace

SpecError::SpecError(Parts parts) : std::runtime_error(one_line(parts)), parts_(std::move(parts)) {}

void check_failed(const char* condition, std::string_view belief, const char* file, int line) {
  throw InternalError(std::string(file) + ":" + std::to_string(line) +
                      ": this is a bug in OOC-Paleo: believed that " + std::string(belief) + " (" +
                      condition + ")");
}

}  // namespace ooc
