// `predict` for people: how long, where the time goes, what memory it takes, where it waits, and
// what would help most. A job that does not fit says who holds what, and how to proceed.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/base/errors.hpp"
#include "model/base/quantity_io.hpp"
#include "reports/writers/text_table.hpp"

namespace ooc {
namespace {

constexpr std::size_t kLayersShown = 8;
constexpr std::size_t kHoldersShown = 8;
constexpr std::size_t kMovedShown = 8;

TextTable facts() { return TextTable({left(""), "", left("")}); }

std::string head(const RunReport& report, const Look& look) {
  const RunInputs& in = report.inputs;
  std::string text =
      bold(printable(fmt::format("{} on {}, batch {}{}, schedule {}, {}", network_text(in),
                                 in.hardware, group_thousands(in.batch),
                                 in.symbols.empty() ? "" : ", " + symbols_text(in), in.schedule,
                                 framework_text(in.framework, in.framework_meaning))),
           look) +
      "\n";
  std::vector<std::string> changes = in.given;
  if (!in.options.empty()) changes.push_back(in.options);
  if (report.rounds > 1) {
    changes.push_back(fmt::format("{} rounds of {} samples", group_thousands(report.rounds),
                                  group_thousands(report.sub_batch)));
  }
  if (in.devices > 1) changes.push_back(devices_text(in));
  if (in.layer_times.has_value()) {
    changes.push_back(
        fmt::format("measured times for {} of {} layers", *in.layer_times, report.layers.size()));
  }
  if (in.allocator != "ideal") changes.push_back(in.allocator + " allocator");
  if (!changes.empty()) text += wrapped_list("with", changes, look);
  return text;
}

// What the schedule's paper estimates, beside the time.
void add_closed_form(TextTable& table, const RunReport& report) {
  if (!report.paper) return;
  const PaperEstimate& paper = *report.paper;
  if (!paper.time) {
    table.add_row({"closed form", "-", closed_form_name(paper) + ": " + paper.unfit});
    return;
  }
  table.add_row({"closed form", format_duration(*paper.time),
                 closed_form_name(paper) + ": " + closed_form_error(paper, report.iteration_time)});
  if (report.equations) return;  // which say why
  for (auto& [time, cause] : closed_form_reasons(paper, report.iteration_time)) {
    table.add_row({"", time, cause});
  }
}

/// How many tokens a second, and what share of the peak their products come to.
void add_tokens(TextTable& table, const RunReport& report) {
  if (!report.sequence) return;
  const SequenceRates& rates = *report.sequence;
  const std::string tokens = tokens_text(rates.tokens_per_s);
  table.add_row({"tokens/s", tokens, tokens_text(rates.tokens) + " tokens an iteration"});
  if (!rates.mfu) return;
  table.add_row(
      {"MFU", format_percent(*rates.mfu),
       fmt::format("6 x (matrix parameters{} + attention's products) a token, over {}",
                   report.trainable_parameters == report.parameters ? "" : ", of frozen ones 4 x,",
                   format_flop_rate(*rates.peak))});
}

std::string outcome(const RunReport& report, const Look& look) {
  TextTable table = facts();
  table.add_row({"iteration time", format_duration(report.iteration_time),
                 significant(report.samples_per_s) + " samples/s"});
  add_tokens(table, report);
  if (report.trainable_parameters != report.parameters) {
    table.add_row(
        {"learns", si_count(report.trainable_parameters),
         fmt::format("of {} parameters; the others are frozen", si_count(report.parameters))});
  }
  add_closed_form(table, report);
  table.add_row({"slowdown", fmt::format("{:.3f}x", report.slowdown),
                 fmt::format("against compute alone{}, {}",
                             report.inputs.algorithms.empty() ? "" : " with the fastest algorithms",
                             format_duration(report.reference_time))});
  if (report.lower_bound.has_value()) {
    const double over =
        1 / std::max(1e-9, share_of(*report.lower_bound, report.iteration_time)) - 1;
    table.add_row({"lower bound", format_duration(*report.lower_bound),
                   fmt::format("this run is {} above it; it holds for {}",
                               format_percent(report.lower_bound->count() == 0 ? 0 : over),
                               report.bound_class)});
  }
  return "\n" + table.text(look);
}

bool compresses(const RunReport& report) {
  return std::ranges::any_of(report.layers, [](const LayerReport& layer) {
    return layer.action == TensorAction::kCompress;
  });
}

std::string_view stall_phrase(const RunReport& report, StallCause cause) {
  const bool squeezes = cause == StallCause::kRecompute && compresses(report);
  return squeezes ? "compressing and restoring tensors" : wait_phrase(cause);
}

// "Compute runs 82.5 % of the time; the largest wait is for copies to near memory, 8.9 %". Not what
// limits the run: that needs runs with something better (what_would_help).
std::string busy_and_waiting(const RunReport& report, const Look& look) {
  std::string text = "\n" +
                     bold("Compute runs " + format_percent(report.compute_utilization), look) +
                     " of the time; ";
  const std::optional<LargestLoss> loss = largest_loss(report);
  if (!loss.has_value()) return text + "it never waits\n";
  constexpr std::string_view kWaiting = "waiting ";
  std::string_view phrase =
      loss->cause ? stall_phrase(report, *loss->cause) : limit_name(*loss, report);
  if (phrase.starts_with(kWaiting)) {
    phrase.remove_prefix(kWaiting.size());
    text += "the largest wait is ";
  } else {
    text += "the largest loss is ";
  }
  return text + fmt::format("{}, {}\n", phrase, format_percent(loss->share));
}

std::string where_time_goes(const RunReport& report, const Look& look) {
  TextTable table({left(""), "", ""});
  const auto row = [&](std::string_view what, Duration time) {
    table.add_row({std::string(what), format_duration(time),
                   format_percent(share_of(time, report.iteration_time))});
  };
  row("compute", report.compute_time);
  for (std::size_t i = 0; i < kStallCauses; ++i) {
    if (report.stalls[i].count() > 0) {
      row(stall_phrase(report, static_cast<StallCause>(i)), report.stalls[i]);
    }
  }
  return section("Where the time goes", table, look);
}

// What memory holds where it holds most: each category that there is.
std::string at_peaks(const RunReport& report, const Look& look) {
  if (!report.peak_near_by_category || !report.peak_far_by_category) return "";
  TextTable table({left("at its peak"), "near", "far"});
  for (std::size_t i = 0; i < kMemoryCategories; ++i) {
    const Bytes near = report.peak_near_by_category->bytes[i];
    const Bytes far = report.peak_far_by_category->bytes[i];
    if (near.count() == 0 && far.count() == 0) continue;
    table.add_row(
        {category_text(static_cast<MemoryCategory>(i)), bytes_or_dash(near), bytes_or_dash(far)});
  }
  const std::string& during = report.peak_near_during;
  const std::string title =
      during.empty() ? "" : "Near memory peaks in " + printable(during) + "\n";
  return "\n" + title + table.text(look);
}

// Weights, gradients and optimiser state that move: what the link carries, and the updates.
std::string moving_state(const RunReport& report, const Look& look) {
  if (!report.state) return "";
  const StateReport& state = *report.state;
  TextTable copies({left("copied"), "to far", "to near"});
  for (const StateReport::Copied& each : state.copied) {
    if (each.to_far.count() == 0 && each.to_near.count() == 0) continue;
    copies.add_row(
        {std::string(each.name), bytes_or_dash(each.to_far), bytes_or_dash(each.to_near)});
  }
  const Duration wait = report.stalls[static_cast<std::size_t>(StallCause::kUpdate)];
  std::string text = "\n" + bold("State that moves", look) + ": " +
                     printable(report.inputs.offload) + "\n" + copies.text(look);
  if (state.far_updates > 0) {
    const std::string threads =
        state.threads == 0 ? "" : fmt::format(", which --host-threads {} limits", state.threads);
    text +=
        fmt::format("far updates take {} at {} of far memory{}; compute waits {} for them, {}\n",
                    format_duration(state.far_busy), format_rate(state.far_rate), threads,
                    format_duration(wait), format_percent(share_of(wait, report.iteration_time)));
  }
  return text;
}

std::string memory(const RunReport& report, const Look& look) {
  TextTable table = facts();
  table.add_row({"budget", format_bytes(report.budget_near),
                 report.inputs.memory_given ? "near memory, as given by --memory"
                                            : "near memory, capacity less what is reserved"});
  if (report.planned_for) {
    table.add_row({"planned for", format_bytes(*report.planned_for),
                   "of it: the rest is what the allocator holds back"});
  }
  const bool reserves = report.inputs.allocator == "caching";
  table.add_row(
      {"peak", format_bytes(report.peak_near),
       fmt::format("{}{} when nothing moves", reserves ? "reserved; tensors alone take " : "",
                   format_bytes(report.in_core_peak))});
  table.add_row({"static", format_bytes(report.static_bytes),
                 report.state ? "of it: what of weights, gradients and optimizer state stays near"
                              : "of it: " + static_text(report)});
  table.add_row({"saved for backward", format_bytes(report.saved),
                 "what backward reads of the forward pass"});
  table.add_row({"copied to far", format_bytes(report.to_far),
                 fmt::format("far memory needs {}{}", format_bytes(report.peak_far),
                             report.inputs.far_memory_given && report.inputs.devices == 1
                                 ? " of " + format_bytes(report.inputs.far_memory)
                                 : "")});
  table.add_row({"copied to near", format_bytes(report.to_near),
                 fmt::format("{}{}; {} sets the rate", report.inputs.mode,
                             report.inputs.pageable_returns ? ", weights that return pageable" : "",
                             report.link_limited_by)});
  const std::string_view title =
      report.inputs.devices == 1 ? "Memory" : "Memory and copies of each device";
  return section(title, table, look) + at_peaks(report, look) + moving_state(report, look);
}

// The tensors that move, those first that compute waits for longest.
std::string moved_tensors(const RunReport& report, const Look& look) {
  if (!report.moved || report.moved->empty()) return "";
  std::vector<const MovedTensor*> moved;
  for (const MovedTensor& each : *report.moved) moved.push_back(&each);
  std::ranges::stable_sort(moved, [](const MovedTensor* a, const MovedTensor* b) {
    return std::pair(a->wait, a->bytes) > std::pair(b->wait, b->bytes);
  });
  TextTable table({left("tensor"), "bytes", right("leaves at", 1), right("back at", 2), "waits",
                   left("cause"), "hides at"});
  for (std::size_t i = 0; i < std::min(kMovedShown, moved.size()); ++i) {
    const MovedTensor& each = *moved[i];
    table.add_row({each.tensor, format_bytes(each.bytes),
                   each.out ? format_duration(*each.out) : "-",
                   each.back ? format_duration(*each.back) : "-",
                   each.wait.count() > 0 ? format_duration(each.wait) : "-",
                   each.cause ? std::string(stall_name(*each.cause)) : "-",
                   each.hides_at ? ">= " + format_rate(*each.hides_at) : "-"});
  }
  std::string title = fmt::format("Tensors that move ({})", moved.size());
  if (moved.size() > kMovedShown) title += fmt::format(", {} by wait, then by size", kMovedShown);
  return section(title, table, look) +
         "  hides at: no slower way back hides behind what is computed from its last use to its "
         "next\n";
}

// What the columns of the layers mean, and which copies stand in no row.
std::string layer_notes(const RunReport& report) {
  std::string text =
      "  mostly for: the copy, or what else, that ends the longest of these waits\n"
      "  saved: what backward reads of the tensor this layer writes; action: what the plan does "
      "with it\n";
  if (report.inputs_to_far.count() > 0 || report.inputs_to_near.count() > 0) {
    text += fmt::format("  network inputs, in no row: {} copied to far, {} to near memory\n",
                        format_bytes(report.inputs_to_far), format_bytes(report.inputs_to_near));
  }
  return text;
}

std::string waiting_layers(const RunReport& report, const Look& look) {
  std::vector<const LayerReport*> waiting;
  for (const LayerReport& layer : report.layers) {
    if (layer.stall.count() > 0) waiting.push_back(&layer);
  }
  if (waiting.empty()) return "";
  std::ranges::stable_sort(waiting, std::ranges::greater(), &LayerReport::stall);
  TextTable table({left("layer"), left("type", 1), "waits", left("mostly for"), right("forward", 2),
                   right("backward", 3), "saved", left("action")});
  for (std::size_t i = 0; i < std::min(kLayersShown, waiting.size()); ++i) {
    const LayerReport& layer = *waiting[i];
    table.add_row({layer.name, layer.type, format_duration(layer.stall), layer.waits_for,
                   format_duration(layer.forward), format_duration(layer.backward),
                   bytes_or_dash(layer.saved),
                   layer.action.has_value() ? std::string(action_name(*layer.action)) : "-"});
  }
  std::string title =
      fmt::format("Layers that wait ({} of {})", waiting.size(), report.layers.size());
  if (waiting.size() > kLayersShown) title += fmt::format(", the longest {}", kLayersShown);
  return section(title, table, look) + layer_notes(report);
}

std::string what_would_help(const RunReport& report, const Look& look) {
  if (report.what_if.empty()) return "";
  std::vector<WhatIf> changes = report.what_if;
  std::ranges::stable_sort(changes, {}, [](const WhatIf& each) {
    return std::pair(!each.iteration_time, each.iteration_time);
  });
  TextTable table({left("change"), "iteration", "time saved"});
  for (const WhatIf& change : changes) {
    const bool fits = change.iteration_time.has_value();
    table.add_row({change.change, fits ? format_duration(*change.iteration_time) : "does not fit",
                   fits && report.feasible ? format_percent(change.gain) : "-"});
  }
  return section("What would help most", table, look);
}

std::string holders(const OutOfMemory& oom, const Look& look) {
  if (oom.holders.empty()) return "";
  TextTable table({left("held by"), "bytes"});
  Bytes rest{0};
  for (std::size_t i = 0; i < oom.holders.size(); ++i) {
    if (i < kHoldersShown) {
      const OutOfMemory::Holder& holder = oom.holders[i];
      table.add_row({holder.name + (holder.powers_of_two ? ", in blocks of powers of two" : ""),
                     format_bytes(holder.bytes)});
    } else {
      rest += oom.holders[i].bytes;
    }
  }
  if (oom.holders.size() > kHoldersShown) {
    table.add_row({fmt::format("{} more", oom.holders.size() - kHoldersShown), format_bytes(rest)});
  }
  return "\n" + table.text(look);
}

/// What fills it, largest first.
std::string when_nothing_moves(const RunReport& report, const Look& look) {
  if (!report.in_core_by_category) return "";
  std::vector<std::pair<Bytes, MemoryCategory>> held;
  for (std::size_t i = 0; i < kMemoryCategories; ++i) {
    const Bytes bytes = report.in_core_by_category->bytes[i];
    if (bytes.count() > 0) held.emplace_back(bytes, static_cast<MemoryCategory>(i));
  }
  std::ranges::stable_sort(held, [](const auto& a, const auto& b) { return a.first > b.first; });
  TextTable table({left("when nothing moves"), "bytes", ""});
  const auto total = static_cast<double>(report.in_core_by_category->total().count());
  for (const auto& [bytes, category] : held) {
    table.add_row({category_text(category), format_bytes(bytes),
                   format_percent(static_cast<double>(bytes.count()) / total)});
  }
  return "\n" + table.text(look);
}

std::string advice(const RunReport& report, const OutOfMemory& oom) {
  const bool near = oom.tier == OutOfMemory::Tier::kNear;
  TextTable table({left(""), left("")});
  if (oom.smallest_budget.has_value()) {
    table.add_row(
        {fmt::format("--{} \"{} B\"", near ? "memory" : "far-memory", oom.smallest_budget->count()),
         fmt::format("the smallest {} that suffices for this schedule",
                     near ? "budget" : "far memory")});
  } else if (oom.far_taken) {
    const std::string far = fmt::format("--far-memory \"{} B\"", oom.far_taken->count());
    if (near) {
      table.add_row({fmt::format("--memory \"{} B\" {}", oom.least_budget->count(), far),
                     "what the plan tried there takes; another may take more"});
    } else {
      table.add_row({far, "what a plan takes that has enough; less may suffice"});
    }
  } else if (near) {
    table.add_row({"ooc-paleo need near-memory", "the smallest budget that suffices"});
  }
  if (report.rounds > 1 && report.sub_batch > 1) {
    table.add_row(
        {"--accumulate N", fmt::format("more than {}: fewer samples at once", report.rounds)});
  } else if (report.rounds == 1 && report.inputs.batch > 1) {
    table.add_row({"--batch N", fmt::format("less than {}", group_thousands(report.inputs.batch))});
  }
  if (near && report.static_bytes > report.budget_near && report.inputs.offload.empty()) {
    table.add_row(
        {"ooc-paleo compare --state all", "which ways to move state fit, and how fast they are"});
  } else if (near) {
    table.add_row({"ooc-paleo compare", "which schedules fit, and how fast they are"});
  }
  table.add_row({"ooc-paleo advise", "what to switch on so that it fits"});
  return table.text({});
}

/// Whose far memory is told, where there are several devices.
std::string_view of_the_host(const RunReport& report) {
  return report.inputs.devices > 1 ? " (all devices of a host together)" : "";
}

std::string smallest(const RunReport& report, const OutOfMemory& oom) {
  const bool near = oom.tier == OutOfMemory::Tier::kNear;
  const std::string_view kind = near ? "budget of near memory" : "far memory";
  const std::optional<Bytes> least = oom.smallest_budget ? oom.smallest_budget : oom.least_budget;
  if (!least) {
    return fmt::format(
        "\n  the smallest {} that suffices is not known{}\n", kind,
        near && report.inputs.allocator == "caching"
            ? ";\n  less may do where more does not: blocks lie elsewhere, as in PyTorch"
        : oom.far_taken ? "; a plan that has enough takes " + format_bytes(*oom.far_taken)
                        : "");
  }
  const std::string bytes = bytes_to_the_last(*least);
  if (oom.smallest_budget) {
    return fmt::format("\n  smallest {}: {}; it suffices, one byte less does not\n", kind, bytes);
  }
  const bool fragments = near && !oom.far_taken && report.inputs.allocator != "ideal";
  const std::string tried =
      oom.far_taken ? fmt::format(";\n  with it far memory takes {}; there are {}{}",
                                  format_bytes(*oom.far_taken),
                                  format_bytes(report.inputs.far_memory), of_the_host(report))
      : fragments   ? " (without fragmentation);\n  tried with " + report.inputs.allocator +
                        ", that does not suffice"
      : near ? ";\n  tried, that does not suffice"
             : "";
  return fmt::format("\n  smallest {}: at least {}{}\n", kind, bytes, tried);
}

/// What is there, what is wanted and what is lacking.
std::string shortage(const RunReport& report, const OutOfMemory& oom) {
  const bool looks_enough =
      oom.free < oom.wanted && format_bytes(oom.free) == format_bytes(oom.wanted);
  const std::string lack =
      looks_enough ? ", " + format_bytes(oom.wanted - oom.free) + " too little" : "";
  if (oom.tier == OutOfMemory::Tier::kFar) {
    return "\n  " + printable(oom.step) +
           fmt::format(" needs {} at once{}; {} are free there{}\n", format_bytes(oom.wanted),
                       of_the_host(report), format_bytes(oom.free), lack);
  }
  if (report.static_bytes > report.budget_near) {
    return fmt::format(
        "\n  near memory has {}; weights, gradients and optimiser state alone take {},\n"
        "  {} more than there is\n",
        format_bytes(report.budget_near), format_bytes(report.static_bytes),
        format_bytes(report.static_bytes - report.budget_near));
  }
  const std::string free = oom.free.count() == 0 ? "nothing" : format_bytes(oom.free);
  return "\n  " + printable(oom.step) +
         fmt::format(" needs {} at once; {} of {} {} free{}\n", format_bytes(oom.wanted), free,
                     format_bytes(report.budget_near), oom.free.count() == 0 ? "is" : "are", lack);
}

std::string does_not_fit(const RunReport& report, const Look& look) {
  const OutOfMemory& oom = *report.out_of_memory;
  const bool near = oom.tier == OutOfMemory::Tier::kNear;
  const bool begins = !near || report.static_bytes <= report.budget_near;
  std::string text = "\n" + bold_red(near ? "Does not fit" : "Does not fit in far memory", look);
  text += shortage(report, oom);
  if (oom.largest_hole < oom.wanted && oom.wanted <= oom.free) {
    text += fmt::format("  the largest hole is {}: the memory is fragmented\n",
                        format_bytes(oom.largest_hole));
  }
  if (begins) text += holders(oom, look);
  text += smallest(report, oom);
  if (near) {
    text += fmt::format("  when nothing moves it takes {}\n", format_bytes(report.in_core_peak)) +
            when_nothing_moves(report, look);
  }
  return text + "\n" + bold("How to proceed", look) + "\n" + advice(report, oom);
}

}  // namespace

std::string_view wait_phrase(StallCause cause) {
  return text_at(
      cause, {"waiting for another step", "waiting for copies to near memory",
              "waiting for copies to far memory", "waiting for memory to be freed", "page faults",
              "running tasks again", "launching", "waiting for updates in far memory",
              "framework's hooks on the host", "waiting for the exchange between devices"});
}

std::string table_prediction(const RunReport& report, const WriteOptions& options) {
  const Look& look = options.look;
  std::string text = head(report, look);
  if (report.feasible) {
    text += outcome(report, look) + busy_and_waiting(report, look) + where_time_goes(report, look) +
            memory(report, look) + plan_in_words(report, look) + waiting_layers(report, look) +
            moved_tensors(report, look) + table_equations(report, look);
  } else if (report.out_of_memory.has_value()) {
    text += does_not_fit(report, look);
  }
  return text + assumed_warning(report.inputs.hardware, report.assumed, look) +
         what_would_help(report, look) + measured_errors(report, look);
}

}  // namespace ooc
