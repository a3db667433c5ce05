// `max` and `max-batch` for people: one line a schedule, largest first, what it gains, at what price, and what
// keeps it from one more.
#include <fmt/format.h>

#include <algorithm>

#include "model/base/quantity_io.hpp"
#include "reports/writers/text_table.hpp"

namespace ooc {
namespace {

/// What is looked for, in words.
struct MaxWords {
  std::string_view one_more;
  std::string_view each;
  std::string_view alone;
  std::string_view larger;
};

MaxWords words_of(MaxOf of) {
  switch (of) {
    case MaxOf::kBatch:
      return {"one sample more", "each batch", "that batch",
              "larger batches may fit, as need does not grow with every sample"};
    case MaxOf::kLayers:
      return {"one copy more", "each number", "so many",
              "more may fit, as need does not grow with every copy"};
    case MaxOf::kSeq:
      return {"the next length", "each length", "that length",
              "longer ones may fit, as need does not grow with every step"};
  }
  return {};
}

std::string limit_text(const MaxBatchRow& row) {
  switch (row.limit) {
    case BatchLimit::kNearMemory:
      return "near memory at " + row.out_of_memory->step;
    case BatchLimit::kFarMemory:
      return "far memory at " + row.out_of_memory->step;
    case BatchLimit::kNetwork:
      return "the network: " + row.refused;
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
  const std::string devices = in.devices > 1 ? fmt::format(", {} devices", in.devices) : "";
  std::string_view largest = "largest batch";
  std::string more;
  if (report.of == MaxOf::kLayers) {
    largest = "most layers";
    more = fmt::format(": copies of {}, of which its file has {}; batch {}", report.repeat.name,
                       group_thousands(report.repeat.copies), group_thousands(in.batch));
  } else if (report.of == MaxOf::kSeq) {
    largest = "longest sequence";
    more = fmt::format(": batch {}", group_thousands(in.batch));
  }
  const std::string what =
      fmt::format("The {} of {} on {}{}{}, {}", largest, network_text(in), in.hardware, devices,
                  more, framework_text(in.framework, in.framework_meaning));
  return bold(printable(what), look) +
         fmt::format("\nnear memory {}, links {}, accounting {}, optimiser {}\n",
                     format_bytes(in.memory), printable(in.mode), in.accounting, in.optimizer);
}

/// Something larger may fit.
bool is_unsure(const MaxBatchRow& row) {
  return !row.monotone && row.largest > 0 && row.out_of_memory.has_value();
}

bool any_row(const MaxBatchReport& report, bool (*holds)(const MaxBatchRow& row)) {
  return std::any_of(report.rows.begin(), report.rows.end(), holds);
}

bool runs_in_rounds(const MaxBatchRow& row) { return row.run && row.run->rounds > 1; }

/// Anything but in-core itself to set against in-core.
bool any_gain(const MaxBatchReport& report) {
  return std::any_of(report.rows.begin(), report.rows.end(), [&](const MaxBatchRow& row) {
    return row.schedule != "in-core" && gain_over_in_core(report, row);
  });
}

std::string notes(const MaxBatchReport& report, const TextTable& table, const Look& look) {
  std::string text;
  const MaxWords words = words_of(report.of);
  const bool lacking = any_row(report, [](const MaxBatchRow& row) { return row.failing > 0; });
  if (lacking && table.shows("lacks", look)) {
    text +=
        fmt::format("  lacks: bytes that {} lacks; {} was run, and {} was tried\n", words.one_more,
                    words.each, report.of == MaxOf::kSeq ? "the next" : "one more");
  }
  const bool gains = any_gain(report);
  if (any_row(report, [](const MaxBatchRow& row) { return row.run.has_value(); })) {
    text += fmt::format("  {}slowdown: against computing {} alone, were memory no matter\n",
                        gains ? "gain: over in-core; " : "", words.alone);
  }
  if (any_row(report, [](const MaxBatchRow& row) {
        return row.any_in_rounds && row.limit != BatchLimit::kRounds;
      })) {
    text += "  +: at once; any larger batch runs too, in rounds of at most so many samples\n";
  }
  if (table.shows("rounds", look)) {
    text +=
        report.of == MaxOf::kBatch
            ? "  rounds: in which that batch is run; time, samples/s and peak are then those of "
              "`predict`, "
              "in rounds\n"
            : "  rounds: the batch in parts, gradients add up to one update\n";
  }
  if (any_row(report, [](const MaxBatchRow& row) { return is_unsure(row); })) {
    text += fmt::format("  *: {} here; the next few do not\n", words.larger);
  }
  return text;
}

std::string marks(const MaxBatchRow& row) {
  std::string text;
  if (row.any_in_rounds && row.limit != BatchLimit::kRounds) text += "+";
  if (is_unsure(row)) text += "*";
  return text;
}

/// A column of the table: some are there only where they say something.
struct MaxColumn {
  TextTable::Column column;
  std::string (*cell)(const MaxBatchReport& report, const MaxBatchRow& row);
  bool shown = true;
};

template <auto kText>
std::string of_run(const MaxBatchReport& /*report*/, const MaxBatchRow& row) {
  return row.run ? kText(*row.run) : std::string("-");
}

std::vector<MaxColumn> max_columns(const MaxBatchReport& report) {
  using Report = const MaxBatchReport&;
  using Row = const MaxBatchRow&;
  using Run = const RunReport&;
  return {
      {{"schedule", Align::kLeft}, [](Report, Row row) { return row.schedule; }},
      {{std::string(max_of_word(report.of))},
       [](Report, Row row) {
         return row.largest > 0 ? group_thousands(row.largest) : std::string("none");
       }},
      {{"", Align::kLeft}, [](Report, Row row) { return marks(row); }},
      {{"gain"},
       [](Report all, Row row) {
         const std::optional<double> gain = gain_over_in_core(all, row);
         return gain ? significant(*gain) + "x" : std::string("-");
       },
       any_gain(report)},
      {{"parameters"},
       &of_run<[](Run run) { return si_count(run.parameters); }>,
       report.of == MaxOf::kLayers},
      {{"rounds", Align::kRight, 1},
       &of_run<[](Run run) { return group_thousands(run.rounds); }>,
       any_row(report, &runs_in_rounds)},
      {{"time"}, &of_run<[](Run run) { return format_duration(run.iteration_time); }>},
      {{"slowdown", Align::kRight, 5},
       &of_run<[](Run run) { return significant(run.slowdown) + "x"; }>},
      {{"samples/s"}, &of_run<[](Run run) { return significant(run.samples_per_s); }>},
      {{"tokens/s"},
       &of_run<[](Run run) {
         return run.sequence ? tokens_text(run.sequence->tokens_per_s) : std::string("-");
       }>,
       report.of == MaxOf::kSeq},
      {{"peak", Align::kRight, 2}, &of_run<[](Run run) { return format_bytes(run.peak_near); }>},
      {{"lacks", Align::kRight, 3},
       [](Report, Row row) { return row.lacks ? format_bytes(*row.lacks) : std::string("-"); }},
      {{"limited by", Align::kLeft, 4}, [](Report, Row row) { return printable(limit_text(row)); }},
  };
}

}  // namespace

std::string table_max_batch(const MaxBatchReport& report, const WriteOptions& options) {
  std::vector<MaxColumn> columns = max_columns(report);
  std::erase_if(columns, [](const MaxColumn& each) { return !each.shown; });
  std::vector<TextTable::Column> titles;
  for (const MaxColumn& each : columns) titles.push_back(each.column);
  TextTable table(std::move(titles));
  for (const std::size_t i : best_first(report)) {
    std::vector<std::string> cells;
    for (const MaxColumn& each : columns) cells.push_back(each.cell(report, report.rows[i]));
    table.add_row(std::move(cells));
  }
  return head(report, options.look) + "\n" + table.text(options.look) +
         notes(report, table, options.look) +
         assumed_warning(report.inputs.hardware, report.assumed, options.look);
}

}  // namespace ooc
