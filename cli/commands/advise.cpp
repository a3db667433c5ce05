// `advise`: what people switch on when training does not fit or is slow. Each of a table of remedies, and each two of
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
  std::vector<std::string> words;  ///< flags of predict
  std::string write;               ///< what to write in PyTorch, or the key of a trainer
  bool changes = false;            ///< what is learnt is another
  enum class Of { kAll, kTokens, kImages, kFloat32, kMaster, kAdam } of = Of::kAll;  ///< jobs it helps
  std::string_view instead_of = {};  ///< value of its first flag that it may replace
};

constexpr std::string_view kStage2 = "deepspeed-zero-2";

/// ZeRO's stage with optimiser offload is the framework's, where that has one.
std::vector<Remedy> remedies(std::string_view framework) {
  const int stage = framework.starts_with("deepspeed-zero-3") ? 3 : 2;
  std::vector<std::string> infinity{"--state", "zero-infinity"};
  if (framework == kStage2)
    infinity = {"--framework", "deepspeed-zero-3", infinity[0], infinity[1]};
  return {
      {.name = "checkpointing",
       .words = {"--schedule", "checkpoint", "--blocks", "layer"},
       .write = "model.gradient_checkpointing_enable()"},
      {.name = "checkpointing, offloaded",
       .words = {"--schedule", "checkpoint-offload", "--blocks", "layer"},
       .write = "TRL: SFTConfig(gradient_checkpointing=True, activation_offloading=True)"},
      {.name = "swapping by plan",
       .words = {"--schedule", "capacity"},
       .write = "ooc-paleo predict ... --export-policy FILE, then scripts/apply_policy.py"},
      {.name = "loss in chunks",
       .words = {"--loss", "chunked"},
       .write = "Liger: apply_liger_kernel_to_...(fused_linear_cross_entropy=True)",
       .of = Remedy::Of::kTokens},
      {.name = "fused kernels",
       .words = {"--kernels", "fused"},
       .write = "Liger: apply_liger_kernel_to_...()",
       .of = Remedy::Of::kTokens},
      {.name = "torch.compile",
       .words = {"--framework", "pytorch-2-compiled", "--kernels", "fused"},
       .write = "torch.compile(model)",
       .of = Remedy::Of::kTokens,
       .instead_of = "pytorch-2"},
      {.name = "torch.compile",
       .words = {"--framework", "pytorch-2-compiled"},
       .write = "torch.compile(model)",
       .of = Remedy::Of::kImages,
       .instead_of = "pytorch-2"},
      {.name = "channels last",
       .words = {"--framework", "pytorch-2-channels-last"},
       .write = "model.to(memory_format=torch.channels_last), and its input",
       .of = Remedy::Of::kImages,
       .instead_of = "pytorch-2"},
      {.name = "mixed precision",
       .words = {"--precision", "amp-bf16"},
       .write = "torch.autocast(\"cuda\", dtype=torch.bfloat16)",
       .changes = true,
       .of = Remedy::Of::kFloat32,
       .instead_of = "fp32"},
      {.name = "mixed precision, float16",
       .words = {"--precision", "amp-fp16"},
       .write = "torch.autocast(\"cuda\", dtype=torch.float16), torch.amp.GradScaler()",
       .changes = true,
       .of = Remedy::Of::kFloat32,
       .instead_of = "fp32"},
      {.name = "bfloat16 alone",
       .words = {"--precision", "bf16-pure"},
       .write = "from_pretrained(..., dtype=torch.bfloat16), no copy in float32",
       .changes = true,
       .of = Remedy::Of::kMaster,
       .instead_of = "bf16"},
      {.name = "8-bit optimiser",
       .words = {"--optimizer", "adam8"},
       .write = "bitsandbytes.optim.AdamW8bit",
       .changes = true,
       .of = Remedy::Of::kAdam,
       .instead_of = "adam"},
      {.name = "LoRA",
       .words = {"--lora", "16"},
       .write = "peft.LoraConfig(r=16, target_modules=\"all-linear\")",
       .changes = true},
      {.name = "QLoRA",
       .words = {"--lora", "16", "--base", "nf4-double"},
       .write = "BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_use_double_quant=True), then LoRA",
       .changes = true},
      {.name = "optimiser offload",
       .words = {"--state", "zero-offload"},
       .write = fmt::format("DeepSpeed, \"zero_optimization\": {{\"stage\": {}, "
                            "\"offload_optimizer\": {{\"device\": \"cpu\"}}}}",
                            stage)},
      {.name = "all states offloaded",
       .words = infinity,
       .write = "DeepSpeed, \"stage\": 3, \"offload_optimizer\" and \"offload_param\": "
                "{\"device\": \"cpu\"}",
       .instead_of = kStage2},
  };
}

constexpr std::int64_t kMostTimes = 1024;  // the job's batch
constexpr std::size_t kShown = 4;          // combinations, of either kind
constexpr std::string_view kBatch = "--batch";
constexpr std::string_view kAsItIs = "as it is";

Remedy accumulation(std::int64_t parts) {
  return {.name = fmt::format("accumulation, {} parts", parts),
          .words = {"--accumulate", std::to_string(parts)},
          .write = fmt::format("gradient_accumulation_steps={}", parts)};
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
    return report.norms_by_round ||
           std::ranges::any_of(of, [](const Remedy* each) { return each->changes; });
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
        if (value != words.end() && (word == kBatch || *value == each->instead_of)) {
          words.erase(given, given + 2);
        } else if (word.starts_with("--") && given != words.end()) {
          return std::nullopt;
        }
        words.push_back(word);
      }
    }
    if (std::ranges::find(words, "--schedule") == words.end()) {
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

/// Whether the job is one of those that the remedy is for.
bool helps(const Remedy& remedy, const RunInputs& job) {
  const bool reads_tokens =
      std::ranges::any_of(job.symbols, [](const auto& each) { return each.name == "seq"; });
  switch (remedy.of) {
    case Remedy::Of::kAll:
      return true;
    case Remedy::Of::kTokens:
      return reads_tokens;
    case Remedy::Of::kImages:
      return !reads_tokens;
    case Remedy::Of::kFloat32:
      return job.precision == "fp32" || (job.precision.empty() && job.dtype == "float32");
    case Remedy::Of::kMaster:
      return job.precision == "bf16";
    case Remedy::Of::kAdam:
      return job.optimizer == "adam";
  }
  return true;
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
      .extra = {"what", "write", "changes_result", "median_error"},
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
    std::vector<std::string_view> write;
    for (const Remedy* remedy : each.of) {
      write.push_back(remedy->write);
      const bool is_new = std::ranges::find(told, remedy) == told.end();
      if (each.report.feasible && is_new) told.push_back(remedy);
    }
    const RunReport& report = each.report;
    const bool measured = report.errors && report.errors->figures > 0;
    rows.rows.push_back(
        {.extra = {each.name, fmt::format("{}", fmt::join(write, "; ")), each.changes(),
                   measured ? MetricValue(report.errors->median) : MetricValue()},
         .runs = {report},
         .fails = !report.feasible});
  }
  if (!told.empty()) rows.more = "\nWhat to write\n";
  for (const Remedy* each : told) rows.more += fmt::format("  {}: {}\n", each->name, each->write);
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
  std::vector<Remedy> all = remedies(job.inputs.framework);
  std::erase_if(all, [&](const Remedy& each) { return !helps(each, job.inputs); });
  // Micro-batches until they fit, or larger batches while they do.
  const std::int64_t batch = job.inputs.batch;
  for (std::int64_t parts = 2; !job.feasible && parts <= batch; parts *= 2) {
    Remedy each = accumulation(parts);
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
    const bool has_type = each.of == Remedy::Of::kFloat32 && !usable.empty() &&
                          usable.back()->of == Remedy::Of::kFloat32;
    if (has_type) continue;  // bfloat16 before float16
    if (auto report = trials.run_if_possible({&each})) {
      usable.push_back(&each);
      const bool same = job.feasible && report->iteration_time == job.iteration_time &&
                        report->peak_near == job.peak_near;
      if (!same) tries.push_back({each.name, {&each}, std::move(*report)});
    }
  }
  append_best(combinations(trials, usable, 2), tries);
  const bool any = std::ranges::any_of(
      tries, [](const Try& each) { return each.report.feasible && !each.changes(); });
  if (!any) append_best(combinations(trials, usable, 3), tries);
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
