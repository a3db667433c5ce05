#include "cli/sweep/knee_spool.hpp"

#include <type_traits>

#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"

namespace ooc {
namespace {

constexpr std::size_t kInMemory = 4'096;
static_assert(std::is_trivially_copyable_v<Knee>);  // written and read by one process

}  // namespace

void KneeSpool::add(const Knee& knee) {
  if (first_.size() < kInMemory) {
    first_.push_back(knee);
    return;
  }
  if (!rest_) rest_.reset(std::tmpfile());
  if (rest_ && std::fwrite(&knee, sizeof knee, 1, rest_.get()) == 1) return;
  bad_value("--output", "no room for a temporary file in /tmp", "a place that can be written");
}

void KneeSpool::for_each(const std::function<void(const Knee&)>& visit) {
  for (const Knee& knee : first_) visit(knee);
  if (!rest_) return;
  bool is_read = std::fflush(rest_.get()) == 0;
  std::rewind(rest_.get());
  Knee knee;
  while (is_read && std::fread(&knee, sizeof knee, 1, rest_.get()) == 1) visit(knee);
  is_read = is_read && std::ferror(rest_.get()) == 0;
  std::fseek(rest_.get(), 0, SEEK_END);
  if (!is_read) bad_value("--output", "a temporary file that cannot be read", "one that can");
}

}  // namespace ooc
