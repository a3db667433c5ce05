// `max-batch` for people: one line a schedule, largest batch first, and what keeps it from one more.
#include <fmt/format.h>

#include <algorithm>

#include "model/base/quantity_io.hpp"
#include "reports/writers/text_table.hpp"

namespace ooc {
namespace {

/// The column behind the batch and its marks.
constexpr std::ptrdiff_t kBesideBatch = 3;

std::string limit_text(const MaxBatchRow& row) {
  switch (row.limit) {
    case BatchLimit::kNearMemory:
      return "near memory at " + row.out_of_memory->step;
    case BatchLimit::kFarMemory:
      return "far memory at " + row.out_of_memory->step;
    case BatchLimit::kCounting:
      return "numbers too large to count exactly";
    case BatchLimit::kSearch:
      return "nothing up to there, the largest that was to be tried";
    case BatchLimit::kRounds:
      return "nothing: any batch runs in rounds of that size";
  }
  return {};
}

std::string head(const MaxBatchReport& report, const Look& look) {
  const RunInputs& in = report.inputs;
  return bold(
             printable(fmt::format("The largest batch of {} on {}{}", network_text(in), in.hardware,
                                   in.devices > 1 ? fmt::format(", {} devices", in.devices) : "")),
             look) +
         fmt::format("\nnear memory {}, links {}, framework {}, accounting {}, optimiser {}\n",
                     format_bytes(in.memory), printable(in.mode), printable(in.framework),
                     in.accounting, in.optimizer);
}

/// Something larger may fit.
bool is_unsure(const MaxBatchRow& row) {
  return !row.monotone && row.batch > 0 && row.out_of_memory.has_value();
}

bool any_row(const MaxBatchReport& report, bool (*holds)(const MaxBatchRow& row)) {
  return std::any_of(report.rows.begin(), report.rows.end(), holds);
}

bool runs_in_rounds(const MaxBatchRow& row) { return row.run && row.run->rounds > 1; }

std::string notes(const MaxBatchReport& report) {
  std::string text;
  if (any_row(report, [](const MaxBatchRow& row) { return row.failing > 0; })) {
    text +=
        "  lacks: bytes that one sample more lacks; each batch was run, and one more was tried\n";
  }
  if (any_row(report, [](const MaxBatchRow& row) {
        return row.any_in_rounds && row.limit != BatchLimit::kRounds;
      })) {
    text += "  +: at once; any larger batch runs too, in rounds of at most so many samples\n";
  }
  if (any_row(report, &runs_in_rounds)) {
    text +=
        "  rounds: in which that batch is run; time, samples/s and peak are then those of "
        "`predict`, "
        "in rounds\n";
  }
  if (any_row(report, [](const MaxBatchRow& row) { return is_unsure(row); })) {
    text +=
        "  *: larger batches may fit, as need does not grow with every sample here; the next few "
        "do not\n";
  }
  return text;
}

std::string marks(const MaxBatchRow& row) {
  std::string text;
  if (row.any_in_rounds && row.limit != BatchLimit::kRounds) text += "+";
  if (is_unsure(row)) text += "*";
  return text;
}

}  // namespace

std::string table_max_batch(const MaxBatchReport& report, const WriteOptions& options) {
  const bool rounds = any_row(report, &runs_in_rounds);
  std::vector<TextTable::Column> columns = {{"schedule", Align::kLeft},
                                            {"batch"},
                                            {"", Align::kLeft},
                                            {"time"},
                                            {"samples/s"},
                                            {"peak"},
                                            {"lacks"},
                                            {"limited by", Align::kLeft}};
  if (rounds) columns.insert(columns.begin() + kBesideBatch, {"rounds"});
  TextTable table(std::move(columns));
  for (const std::size_t i : best_first(report)) {
    const MaxBatchRow& row = report.rows[i];
    const auto cell = [&](auto read) { return row.run ? read(*row.run) : std::string("-"); };
    std::vector<std::string> cells = {
        row.schedule,
        row.batch > 0 ? group_thousands(row.batch) : "none",
        marks(row),
        cell([](const RunReport& run) { return format_duration(run.iteration_time); }),
        cell([](const RunReport& run) { return significant(run.samples_per_s); }),
        cell([](const RunReport& run) { return format_bytes(run.peak_near); }),
        row.lacks ? format_bytes(*row.lacks) : "-",
        printable(limit_text(row))};
    if (rounds) {
      cells.insert(cells.begin() + kBesideBatch,
                   cell([](const RunReport& run) { return group_thousands(run.rounds); }));
    }
    table.add_row(std::move(cells));
  }
  return head(report, options.look) + "\n" + table.text(options.look) + notes(report) +
         assumed_warning(report.inputs.hardware, report.assumed);
}

}  // namespace ooc
