// The flags that only some schedules read (simulator/schedules/schedule_options.hpp). The commands
// that run schedules take all of them; a flag that none of the chosen schedules reads is refused,
// because it would change nothing and say nothing.
//
// To add one: a Flag in kScheduleFlags, and how its text becomes a value in schedule_flags.cpp.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

namespace flags {

/// --schedule and --schedules are two names of one flag, of a name or of a list.
inline constexpr Flag kScheduleToo{.name = "--schedule",
                                   .brief = "",
                                   .value = "LIST",
                                   .help = "the same as --schedules",
                                   .completes = Completes::kSchedules};
inline constexpr Flag kSchedulesToo{.name = "--schedules",
                                    .brief = "",
                                    .value = "LIST",
                                    .help = "the same as --schedule",
                                    .completes = Completes::kSchedules};

inline constexpr std::array kScheduleFlags{
    Flag{.name = "--sub-batch",
         .brief = "",
         .value = "N",
         .help =
             "run the batch in rounds of N samples; `auto`: as many as memory asks for; `off`: all "
             "at once (default: auto for modnn, else off; compare shows modnn and in-core both "
             "ways)"},
    Flag{.name = "--algorithms",
         .brief = "",
         .value = "RULE",
         .help = "which algorithms convolutions use: without workspace (default), or the fastest; "
                 "default of compare: the quicker of both that fits",
         .completes = Completes::kChoices,
         .choices = "memory|performance"},
    Flag{.name = "--trials",
         .brief = "",
         .value = "RULE",
         .help = "which candidate that fits vdnn-dyn takes: the first of its order (default), or "
                 "the fastest",
         .completes = Completes::kChoices,
         .choices = "order|time"},
    Flag{.name = "--far-compression",
         .brief = "",
         .value = "R",
         .help = "vdnn++: tensors take R times less in far memory, from 1 to 1000; default 1"},
    Flag{.name = "--no-backdating",
         .brief = "",
         .value = "",
         .help = "modnn: a copy out begins no earlier than it is decided on"},
    Flag{.name = "--keep-bytes",
         .brief = "",
         .value = "SIZE",
         .help = "swap-in-out: at most so much of the feature maps stays near (default: all that "
                 "fits)"},
    Flag{.name = "--slack-min",
         .brief = "",
         .value = "N",
         .help = "lms: swap only what waits at least N tasks for its reader (default: 0)"},
    Flag{.name = "--bytes-min",
         .brief = "",
         .value = "SIZE",
         .help = "lms: swap only tensors of at least that size (default: 0 B)"},
    Flag{.name = "--max-swaps",
         .brief = "",
         .value = "N",
         .help = "lms: swap the first N of the candidates (default: the fewest that fit)"},
    Flag{.name = "--lms-action",
         .brief = "",
         .value = "ACTION",
         .help = "lms: what becomes of a tensor: moved (default), compressed to float16, or both",
         .completes = Completes::kChoices,
         .choices = "swap|compress|both"},
    Flag{.name = "--recompute",
         .brief = "",
         .value = "RULE",
         .help = "recompute, superneurons: a segment is computed again once (speed), for every use "
                 "(memory), or once where that needs no more than the largest task (cost, default)",
         .completes = Completes::kChoices,
         .choices = "cost|speed|memory"},
};

/// A command's own flags and, after them, those of the schedules.
template <std::size_t kCount>
constexpr auto with_schedule_flags(const std::array<Flag, kCount>& own) {
  std::array<Flag, kCount + kScheduleFlags.size()> all{};
  for (std::size_t i = 0; i < kCount; ++i) all[i] = own[i];
  for (std::size_t i = 0; i < kScheduleFlags.size(); ++i) all[kCount + i] = kScheduleFlags[i];
  return all;
}

}  // namespace flags

struct ChosenSchedules {
  std::vector<const Schedule*> schedules;
  bool all = false;  ///< "all", not their names
};
/// What --schedule or --schedules lists, `usual` where neither is given. SpecError for both.
[[nodiscard]] ChosenSchedules chosen_schedules(const Arguments& arguments,
                                               const std::string& usual);
/// The one that --schedule or --schedules names, capacity where neither is given. SpecError for several.
[[nodiscard]] const Schedule& chosen_schedule(const Arguments& arguments);

/// From the texts to values. SpecError for what is no value of its flag.
[[nodiscard]] ScheduleOptions schedule_options(const Arguments& arguments);

/// The schedule flags that were given, as a result repeats them: "algorithms=performance". Only
/// those that the schedule reads; empty when there are none.
[[nodiscard]] std::string options_text(const Schedule& schedule, const ScheduleOptions& options);

/// "memory" or "performance", as --algorithms has it.
[[nodiscard]] std::string_view algorithms_name(AlgorithmChoice algorithms);

/// SpecError for a given flag that none of the schedules reads.
void check_schedule_flags(const Arguments& arguments, std::span<const Schedule* const> chosen);

}  // namespace ooc
