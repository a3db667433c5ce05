// The clock decides only when the line is redrawn, never what a result says. A search whose number of plans went down
// is another one: its second begins anew.
#include "cli/search_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <functional>

#include "model/base/quantity_io.hpp"
#include "simulator/schedules/own_options.hpp"

namespace ooc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kBeforeFirst{1};
constexpr std::chrono::milliseconds kBetweenLines{200};

class SearchLine {
 public:
  SearchLine() : tell([this](const SearchProgress& progress) { show(progress); }) {}
  ~SearchLine() {
    if (drawn_) std::fputs("\r\033[K", stderr);
  }
  SearchLine(const SearchLine&) = delete;
  SearchLine& operator=(const SearchLine&) = delete;

  const std::function<void(const SearchProgress&)> tell;

 private:
  void show(const SearchProgress& progress) {
    const auto now = Clock::now();
    if (progress.tried < last_) next_ = now + kBeforeFirst;
    last_ = progress.tried;
    if (now < next_) return;
    next_ = now + kBetweenLines;
    drawn_ = true;
    const std::string line = fmt::format("\r\033[K{} of {} plans tried, {} so far", progress.tried,
                                         progress.of, format_duration(progress.best));
    std::fputs(line.c_str(), stderr);
  }

  bool drawn_ = false;
  std::int64_t last_ = 0;
  Clock::time_point next_ = Clock::now() + kBeforeFirst;
};

}  // namespace

std::shared_ptr<void> show_searches(ScheduleOptions& options, Remarks remarks) {
  if (remarks != Remarks::kShown || isatty(STDERR_FILENO) == 0) return nullptr;
  auto line = std::make_shared<SearchLine>();
  options.own.change().progress = &line->tell;
  return line;
}

}  // namespace ooc
