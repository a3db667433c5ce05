#include "cli/sweep/shard.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <optional>

#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"

namespace ooc {
namespace {

constexpr std::size_t kMostShards = 1'000'000;

std::optional<std::size_t> count_in(std::string_view text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && count <= kMostShards ? std::optional(count) : std::nullopt;
}

std::size_t slurm_count(const char* name, std::optional<std::size_t> otherwise = {}) {
  const char* text = std::getenv(name);
  if (text == nullptr && otherwise) return *otherwise;
  const auto count = count_in(text == nullptr ? "" : text);
  if (count) return *count;
  bad_value(
      "--shard",
      text == nullptr ? fmt::format("no {}", name) : fmt::format("{} = {}", name, in_quotes(text)),
      "\"slurm\" in a task of a Slurm job array", "sbatch --array=1-16; else --shard K/N");
}

/// Arrays may begin anywhere and take steps.
Shard slurm_shard() {
  const std::size_t id = slurm_count("SLURM_ARRAY_TASK_ID");
  const std::size_t count = slurm_count("SLURM_ARRAY_TASK_COUNT");
  const std::size_t first = slurm_count("SLURM_ARRAY_TASK_MIN", 1);
  const std::size_t step = slurm_count("SLURM_ARRAY_TASK_STEP", 1);
  if (id >= first && step > 0 && (id - first) % step == 0 && (id - first) / step < count) {
    return {.number = (id - first) / step + 1, .count = count};
  }
  bad_value("--shard", fmt::format("task {} of {} from {} by {}", id, count, first, step),
            "an array of equal steps", "give --shard K/N");
}

}  // namespace

Shard read_shard(std::string_view given) {
  const std::string_view text = trimmed(given);
  if (text == "slurm") return slurm_shard();
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto number = count_in(text.substr(0, slash));
    const auto count = count_in(text.substr(slash + 1));
    if (number && count && *number >= 1 && *number <= *count) {
      return {.number = *number, .count = *count};
    }
  }
  bad_value("--shard", in_quotes(given),
            fmt::format("K/N with K from 1 to N, N at most {}, or \"slurm\"", kMostShards));
}

std::string shard_text(const Shard& shard) {
  return fmt::format("{}/{}", shard.number, shard.count);
}

RowRange rows_of_shard(const SweepGrid& grid, const Shard& shard) {
  const std::size_t lines = grid.rows() / grid.rows_of_line();
  const std::size_t step = lines >= shard.count ? grid.rows_of_line() : 1;
  const std::size_t steps = grid.rows() / step;
  return {.begin = steps * (shard.number - 1) / shard.count * step,
          .end = steps * shard.number / shard.count * step};
}

}  // namespace ooc
