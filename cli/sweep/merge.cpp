// Parts are put one behind the other in the order of their rows. What they were made from stands in them, so no
// input is read again.
#include "cli/sweep/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "cli/remarks.hpp"
#include "cli/sweep/closing.hpp"
#include "cli/sweep/sweep_file.hpp"
#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"

namespace ooc {
namespace {

constexpr std::string_view kMerge = "merge";

struct Part {
  std::string path;
  SweepIdentity identity;
  RunState state;
};

[[noreturn]] void bad_part(const std::string& path, std::string_view found, std::string expected,
                           std::string hint = {}) {
  bad_value("PARTS", fmt::format("{}{}", in_quotes(path), found), std::move(expected),
            std::move(hint));
}

Part read_part(const std::string& path) {
  const std::optional<KeptRun> run =
      ending_of(path) == "sqlite" ? kept_database(path) : kept_text(path);
  if (!run) bad_part(path, ", which is not there", "the files of all shards");
  if (run->header.empty()) {
    bad_part(path, ", which no sweep wrote", "the files of shards",
             "a text is known by the .run file beside it");
  }
  Part part{.path = path,
            .identity = read_identity(run->header, path),
            .state = read_states(run->states, run->bytes, path)};
  const bool counted = run->bytes != std::numeric_limits<std::int64_t>::max();
  if (!part.state.complete || (counted && part.state.bytes != run->bytes)) {
    bad_part(path, ", which is not as a sweep left it", "complete files of shards");
  }
  return part;
}

/// What makes all of them parts of one sweep.
SweepIdentity of_whole(SweepIdentity identity) {
  std::erase_if(identity.settings, [](const auto& each) { return each.first == "--shard"; });
  identity.range = {.begin = 0, .end = identity.rows};
  std::vector<std::string> command;
  for (std::size_t i = 0; i < identity.tool.command.size(); ++i) {
    const std::string& word = identity.tool.command[i];
    if (word == "--shard") {
      ++i;
    } else if (!word.starts_with("--shard=")) {
      command.push_back(word);
    }
  }
  identity.tool.command = std::move(command);
  return identity;
}

std::string rows_text(std::size_t begin, std::size_t end) {
  return end - begin == 1 ? fmt::format("row {}", begin)
                          : fmt::format("rows {} to {}", begin, end - 1);
}

void check_tiles(const std::vector<Part>& parts) {
  const SweepIdentity first = of_whole(parts.front().identity);
  std::size_t there = 0;
  const Part* last = nullptr;
  for (const Part& part : parts) {
    const std::vector<std::string> found = differences(first, of_whole(part.identity));
    if (!found.empty()) {
      bad_part(part.path,
               fmt::format(", not of the sweep of {}: {}", in_quotes(parts.front().path),
                           fmt::join(found, "; ")),
               "shards of one sweep");
    }
    const RowRange& range = part.identity.range;
    if (range.size() == 0) continue;
    if (range.begin > there) {
      bad_part(part.path, fmt::format(" behind {} that no file has", rows_text(there, range.begin)),
               "the files of all shards");
    }
    if (range.begin < there) {
      bad_part(part.path,
               fmt::format(" and {}, which both have {}", in_quotes(last->path),
                           rows_text(range.begin, std::min(there, range.end))),
               "each row once");
    }
    there = range.end;
    last = &part;
  }
  if (there != first.rows) {
    bad_part(parts.back().path,
             fmt::format(" as the last, and none with {}", rows_text(there, first.rows)),
             "the files of all shards");
  }
}

std::vector<Part> read_parts(const std::vector<std::string>& paths) {
  std::vector<Part> parts;
  for (const std::string& path : paths) parts.push_back(read_part(path));
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    const RowRange& first = a.identity.range;
    const RowRange& second = b.identity.range;
    return std::pair(first.begin, first.end) < std::pair(second.begin, second.end);
  });
  check_tiles(parts);
  return parts;
}

/// The knee of a line of which `more` has the last rows, and others the first.
std::optional<Knee> knee_between(const SweepSummary& sum, const SweepSummary& more) {
  if (!more.first_line || !sum.line) return std::nullopt;
  KneeFinder line(*sum.line);
  line.add(*more.first_line);
  return line.knee();
}

std::optional<KneeSoFar> open_line(const SweepSummary& sum, const SweepSummary& more) {
  if (!sum.line || more.first_line) return more.line;
  if (!more.line) return sum.line;  // it has no rows
  KneeFinder line(*sum.line);
  line.add(*more.line);
  return line.so_far();
}

void add_summary(SweepSummary& sum, const SweepSummary& more) {
  const std::optional<Knee> between = knee_between(sum, more);
  sum.line = open_line(sum, more);
  sum.new_knees.clear();
  if (between) sum.new_knees.push_back(*between);
  sum.new_knees.insert(sum.new_knees.end(), more.knees.begin(), more.knees.end());
  sum.rows += more.rows;
  sum.fitting += more.fitting;
  sum.failed += more.failed;
  for (const auto& [lacks, rows] : more.lacking) sum.lacking[lacks] += rows;
  if (!sum.first_failure) sum.first_failure = more.first_failure;
  // The first of all, as one run keeps them: none behind one that is left out.
  for (const Knee& knee : sum.new_knees) {
    if (sum.knees.size() < kKneesKept) sum.knees.push_back(knee);
  }
  sum.knees_in_all += more.knees_in_all + (between ? 1 : 0);
}

/// What a text begins with before its rows.
std::string head_of(const Part& part) {
  if (part.identity.format != "csv") return "";
  std::string line;
  std::ifstream file(part.path, std::ios::binary);
  std::getline(file, line);
  return line + "\n";
}

void check_command(const Arguments& arguments) {
  for (const auto& [flag, values] : arguments.flags()) {
    constexpr std::array<std::string_view, 2> kTaken{"--quiet", "--overwrite"};
    if (std::find(kTaken.begin(), kTaken.end(), flag) == kTaken.end()) {
      bad_value(flag, "it beside merge", "only --overwrite and --quiet");
    }
  }
  const std::vector<std::string>& words = arguments.positionals();
  if (words.size() < 3) {
    bad_value("PARTS", "none", "`sweep merge OUT PARTS...`: a new file and those of all shards");
  }
  const std::string out = output_target(words[1]);
  if (out.empty()) bad_value("OUT", in_quotes(words[1]), "a file");
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (output_target(words[i]) == out)
      bad_value("OUT", in_quotes(words[1]) + ", which is one of PARTS", "a new file");
    if (ending_of(words[i]) != ending_of(words[1])) {
      bad_part(words[i], fmt::format(" for {}", in_quotes(words[1])), "files of one format");
    }
  }
}

}  // namespace

bool asks_to_merge(const Arguments& arguments) {
  return !arguments.positionals().empty() && arguments.positionals().front() == kMerge;
}

int merge_shards(const Arguments& arguments) {
  check_command(arguments);
  const std::vector<std::string>& words = arguments.positionals();
  const Remarks remarks = arguments.has("--quiet") ? Remarks::kQuiet : Remarks::kShown;
  const std::vector<Part> parts = read_parts({words.begin() + 2, words.end()});
  const SweepIdentity whole = of_whole(parts.front().identity);
  SweepFile out(words[1], *find_sweep_format(whole.format),
                arguments.has("--overwrite") ? Existing::kOverwrite : Existing::kContinue);
  const InterruptGuard guard;
  const Standing standing = out.begin(whole, head_of(parts.front()));
  if (standing == Standing::kComplete) {
    remark(remarks, closing_line(out.summary(), 0));
    remark(remarks, "nothing to do: they are all there; --overwrite begins anew");
    return kExitOk;
  }
  for (const Part& part : parts) {
    if (part.identity.range.end <= out.summary().rows) continue;
    if (InterruptGuard::interrupted()) throw Interrupted();
    SweepSummary sum = out.summary();
    const std::optional<Knee> between = knee_between(sum, part.state.summary);
    add_summary(sum, part.state.summary);
    out.take(part.path, between, sum);
  }
  const SweepSummary sum = out.summary();
  if (sum.failed == sum.rows && sum.first_failure) {
    out.discard();
    throw SpecError(*sum.first_failure);
  }
  out.finish();
  remark(remarks, closing_line(sum, 0));
  return sum.fitting > 0 ? kExitOk : kExitDoesNotFit;
}

}  // namespace ooc
