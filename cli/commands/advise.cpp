// `advise`: what people switch on when training does not fit or is slow. Each of tables/remedies.json, and each two of
// them, is tried on the job as `predict` would; those that fit come first, by their rate.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/locate.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/parse.hpp"
#include "cli/validate/row_runner.hpp"
#include "model/base/named.hpp"
#include "model/base/quantity_io.hpp"
#include "reports/writers/rows.hpp"

namespace ooc {
namespace {

struct Remedy {
  std::string name;
  std::vector<std::string> words;
  std::string write;
  bool changes = false;
  std::string helps = {}, instead_of = {}, one_of = {};
  std::vector<std::string> without = {};
};

std::vector<Remedy> remedies() {
  const SpecDocument document = read_data_table("remedies");
  std::vector<Remedy> all;
  for (const SpecView& each : SpecView(document).get("remedies").items()) {
    const auto text = [&](std::string_view key) {
      const auto said = each.find(key);
      return said ? said->as_text() : "";
    };
    all.push_back({.name = text("name"),
                   .words = each.get("words").as_texts(),
                   .write = text("write"),
                   .changes = each.flag("changes"),
                   .helps = text("for"),
                   .instead_of = text("instead_of"),
                   .one_of = text("one_of"),
                   .without = each.find("without") ? each.get("without").as_texts()
                                                   : std::vector<std::string>{}});
  }
  return all;
}

constexpr std::int64_t kMostTimes = 1024;  // the job's batch
constexpr std::size_t kShown = 4;          // combinations, of either kind
constexpr std::string_view kBatch = "--batch";
constexpr std::string_view kAsItIs = "as it is";

Remedy accumulation(std::int64_t parts, std::int64_t instead_of) {
  return {.name = fmt::format("accumulation, {} parts", parts),
          .words = {"--accumulate", std::to_string(parts)},
          .write = fmt::format("gradient_accumulation_steps={}, batch of each divided by {}", parts,
                               parts / instead_of),
          .instead_of = std::to_string(instead_of)};
}

Remedy larger_batch(std::int64_t batch) {
  return {.name = fmt::format("batch {}", batch),
          .words = {std::string(kBatch), std::to_string(batch)},
          .write = fmt::format("per_device_train_batch_size={}", batch),
          .changes = true};
}

struct Try {
  std::string name;
  std::vector<const Remedy*> of;
  RunReport report;

  /// Batch norms of micro-batches normalise by other samples.
  [[nodiscard]] bool changes() const {
    return report.norms_by_round || std::ranges::any_of(of, &Remedy::changes);
  }
};

constexpr std::array kOfResult{flags::kFormat, flags::kOutput, flags::kMaxInput, flags::kQuiet,
                               flags::kNoColor};

/// The job, and what of it is under its own name.
class Trials {
 public:
  explicit Trials(const Arguments& arguments) : runner_(arguments.options.limits) {
    words_ = {"ooc-paleo", "predict", network_of(arguments)};
    for (const auto& [flag, values] : arguments.flags) {
      if (find_named(kOfResult, flag->name) != nullptr) continue;  // about results
      for (const std::string& value : values) {
        words_.emplace_back(flag->name);
        if (!value.empty()) words_.push_back(value);
      }
    }
    if (!arguments.has("--framework")) words_.insert(words_.end(), {"--framework", "pytorch-2"});
  }

  /// Unset: what the remedies say cannot be asked of this network, or together, or was given.
  std::optional<RunReport> run(const std::vector<const Remedy*>& remedies) {
    std::vector<std::string> words = words_;
    for (const Remedy* each : remedies) {
      for (const std::string& word : each->words) {
        const auto given = std::ranges::find(words, word);
        const auto value = given == words.end() ? given : given + 1;
        if (value != words.end() &&
            (word == kBatch || value->substr(0, value->find(':')) == each->instead_of)) {
          words.erase(given, given + 2);
        } else if (word.starts_with("--") && given != words.end()) {
          return std::nullopt;
        }
        words.push_back(word);
      }
    }
    for (const Remedy* each : remedies) {
      const auto is_there = [&](const std::string& word) { return contains(words, word); };
      if (std::ranges::any_of(each->without, is_there)) return std::nullopt;
    }
    if (!contains(words, "--schedule")) {
      words.insert(words.end(), {"--schedule", "in-core"});
    }
    auto parsed = parse_arguments(*find_command("predict"), words);
    Arguments& arguments = std::get<Arguments>(parsed);
    read_options(arguments);
    std::optional<RunReport> result;
    runner_.predict(arguments,
                    [&](const RunReport& report, const Case&, const CaseRun&) { result = report; });
    return result;
  }

  std::optional<RunReport> run_if_possible(const std::vector<const Remedy*>& remedies) {
    try {
      return run(remedies);
    } catch (const SpecError&) {
      return std::nullopt;  // the job itself was run before
    }
  }

 private:
  RowRunner runner_;
  std::vector<std::string> words_;
};

bool helps(const std::string& of, const RunInputs& job) {
  if (of == "tokens" || of == "images") {
    return (find_named(job.symbols, "seq") != nullptr) == (of == "tokens");
  }
  if (of == "devices") return job.devices > 1;
  if (of == "float32") {
    return job.precision == "fp32" || (job.precision.empty() && job.dtype == "float32");
  }
  return job.precision == of || job.optimizer == of || job.framework.starts_with(of);
}

bool is_better(const Try& a, const Try& b) {
  if (a.report.feasible != b.report.feasible) return a.report.feasible;
  if (a.report.feasible) return a.report.samples_per_s > b.report.samples_per_s;
  return lacking_bytes(a.report) < lacking_bytes(b.report);
}

/// Combinations of `size` remedies.
std::vector<Try> combinations(Trials& trials, const std::vector<const Remedy*>& usable,
                              std::size_t size) {
  std::vector<Try> found;
  std::vector<bool> chosen(usable.size(), false);
  std::fill_n(chosen.begin(), std::min(size, usable.size()), true);
  do {
    std::vector<const Remedy*> of;
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < usable.size(); ++i) {
      if (!chosen[i]) continue;
      of.push_back(usable[i]);
      names.push_back(usable[i]->name);
    }
    if (auto report = trials.run_if_possible(of)) {
      found.push_back({fmt::format("{}", fmt::join(names, " + ")), of, std::move(*report)});
    }
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  std::ranges::stable_sort(found, &is_better);
  return found;
}

/// Appends the best of those that fit and are faster than all `tries` that learn the same, or than any.
void append_best(std::vector<Try> found, std::vector<Try>& tries) {
  for (const bool changes : {false, true}) {
    double best = 0;
    for (const Try& each : tries) {
      const bool counts = each.report.feasible && (changes || !each.changes());
      if (counts) best = std::max(best, each.report.samples_per_s);
    }
    std::size_t left = kShown;
    for (Try& each : found) {
      const bool shown = left > 0 && each.report.feasible && each.changes() == changes &&
                         each.report.samples_per_s > best;
      if (!shown) continue;
      tries.push_back(each);
      --left;
    }
  }
  std::ranges::stable_sort(tries, &is_better);
}

std::string text_of_share(const MetricValue& value) {
  const double* share = std::get_if<double>(&value);
  return share == nullptr ? "" : format_percent(*share);
}

std::string text_of_change(const MetricValue& value) {
  const bool* changes = std::get_if<bool>(&value);
  return changes != nullptr && *changes ? "no" : "yes";
}

ResultRows advice_rows(const RunInputs& inputs, const std::vector<Try>& tries) {
  ResultRows rows{
      .format = "ooc-paleo/advice",
      .list = "advice",
      .title = job_text(inputs) + ": what to switch on",
      .extra = {"what", "write", "flags", "changes_result", "median_error"},
      .columns = {{"what", "what"},
                  {"time", "iteration_time_ns"},
                  {"samples/s", "samples_per_s", 3},
                  {"tokens/s", "tokens_per_s", 2},
                  {"peak", "peak_near_bytes", 4},
                  {"learns the same", "changes_result", 3, "", "yes", &text_of_change},
                  {"error", "median_error", 1,
                   "median of measured jobs of its kind; empty: none measured", "",
                   &text_of_share}},
      .failing_columns = {{"what", "what"}, {"memory", "oom_tier"}, {"lacks", "lacking_bytes"}}};
  std::vector<const Remedy*> told;
  for (const Try& each : tries) {
    std::vector<std::string_view> write, words;
    for (const Remedy* remedy : each.of) {
      write.push_back(remedy->write);
      words.insert(words.end(), remedy->words.begin(), remedy->words.end());
      if (each.report.feasible && !contains(told, remedy)) told.push_back(remedy);
    }
    const RunReport& report = each.report;
    const bool measured = report.errors && report.errors->figures > 0;
    rows.rows.push_back({.extra = {each.name, fmt::format("{}", fmt::join(write, "; ")),
                                   fmt::format("{}", fmt::join(words, " ")), each.changes(),
                                   measured ? MetricValue(report.errors->median) : MetricValue()},
                         .runs = {report},
                         .fails = !report.feasible});
  }
  if (!told.empty()) rows.more = "\nWhat to write\n";
  for (const Remedy* each : told) {
    rows.more += fmt::format("  {}: {}\n    here: {}\n", each->name, each->write,
                             fmt::join(each->words, " "));
  }
  return rows;
}

const auto kAdviseFlags =
    flags::joined(flags::of_runs({}, {"--schedule", "--layer-times"}),
                  {kOfResult[0], kOfResult[1], kOfResult[2], kOfResult[3], kOfResult[4]});

int run_advise(const Arguments& arguments) {
  const std::string network = network_of(arguments);
  const std::string hardware = hardware_of(arguments);
  const ResultOptions& result = arguments.result;
  Outputs outputs =
      open_outputs(arguments, {.networks = {&network, 1}, .profiles = {&hardware, 1}});
  Trials trials(arguments);
  std::vector<Try> tries{{std::string(kAsItIs), {}, *trials.run({})}};
  const RunReport job = tries.front().report;
  std::vector<Remedy> all = remedies();
  std::erase_if(all, [&](const Remedy& each) { return !helps(each.helps, job.inputs); });
  // Micro-batches until they fit, or larger batches while they do.
  const std::int64_t batch = job.inputs.batch;
  for (std::int64_t parts = 2 * job.rounds; !job.feasible && parts <= batch; parts *= 2) {
    Remedy each = accumulation(parts, job.rounds);
    const auto report = trials.run_if_possible({&each});
    if (!report || !report->feasible) continue;
    all.push_back(std::move(each));
    break;
  }
  std::optional<Remedy> larger;
  for (std::int64_t times = 2; job.feasible && times <= kMostTimes; times *= 2) {
    Remedy each = larger_batch(batch * times);
    const auto report = trials.run_if_possible({&each});
    if (!report || !report->feasible) break;
    larger = std::move(each);
  }
  if (larger) all.push_back(std::move(*larger));
  std::vector<const Remedy*> usable;
  for (const Remedy& each : all) {
    if (!each.one_of.empty() && find_named(usable, each.one_of, &Remedy::one_of)) continue;
    if (auto report = trials.run_if_possible({&each})) {
      usable.push_back(&each);
      const bool same = job.feasible && report->iteration_time == job.iteration_time &&
                        report->peak_near == job.peak_near;
      if (!same) tries.push_back({each.name, {&each}, std::move(*report)});
    }
  }
  const auto any = [&] {
    return std::ranges::any_of(
        tries, [](const Try& each) { return each.report.feasible && !each.changes(); });
  };
  for (const std::size_t size : {2U, 3U}) {
    if (size > 2 && any()) break;
    const std::vector<Try> found = combinations(trials, usable, size);
    append_best(found, tries);
    // What lacks host memory alone, which can be bought.
    const auto lacks_far = std::ranges::find_if(found, [](const Try& each) {
      return !each.changes() && each.report.out_of_memory &&
             each.report.out_of_memory->tier == OutOfMemory::Tier::kFar;
    });
    if (!any() && lacks_far != found.end()) tries.push_back(*lacks_far);
  }
  const ResultRows rows = advice_rows(job.inputs, tries);
  finish_result(outputs, *result.writer, network + ": advice",
                [&](const Writer& writer) { return writer.rows(rows, result.write); });
  return tries.front().report.feasible ? kExitOk : kExitDoesNotFit;
}

}  // namespace

extern const Command advise_command{
    .name = "advise",
    .summary = "what to switch on so that a job fits, and runs faster",
    .examples =
        "  ooc-paleo advise llama-2-7b --hardware rtx-4090\n"
        "  ooc-paleo advise vgg16 --hardware v100-16gb-pcie3 --batch 256\n",
    .positionals = flags::kNetwork,
    .flags = kAdviseFlags,
    .run = &run_advise,
};

}  // namespace ooc
