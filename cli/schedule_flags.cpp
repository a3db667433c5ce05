// One line per flag: how its text becomes a value, and the value a text again. What a result repeats
// is what differs from the defaults, so that a run without such flags reads as it always did.
#include "cli/schedule_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "model/base/quantity_io.hpp"

namespace ooc {
namespace {

/// More than there are tasks or tensors.
constexpr std::int64_t kMaxCount = std::int64_t{1} << 31;

std::vector<std::string> choices_of(std::string_view choices) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= choices.size();) {
    const std::size_t end = std::min(choices.find('|', begin), choices.size());
    words.emplace_back(choices.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// Place of `word` among the choices of the flag.
std::size_t choice_index(const Flag& flag, std::string_view word) {
  const std::vector<std::string> words = choices_of(flag.choices);
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) unknown_word(flag.name, word, words);
  return static_cast<std::size_t>(found - words.begin());
}

template <class Enum>
void read_choice(const Flag& flag, std::string_view word, Enum& value) {
  value = static_cast<Enum>(choice_index(flag, word));
}

template <class Enum>
std::string choice_text(const Flag& flag, Enum value) {
  return choices_of(flag.choices)[static_cast<std::size_t>(value)];
}

/// "N": a whole number from 0 on.
std::int64_t count_of(std::string_view text, const Flag& flag) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || count < 0 || count > kMaxCount) {
    bad_value(flag.name, quoted(text), fmt::format("a whole number from 0 to {}", kMaxCount));
  }
  return count;
}

/// "2.5": a factor, however large a schedule will have it.
Ratio factor_of(std::string_view text, const Flag& flag) {
  constexpr double kLargest = 9e9;  // what a Ratio holds
  double factor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || !(factor >= 0) || factor > kLargest) {
    bad_value(flag.name, quoted(text), "a number such as 2 or 1.5");
  }
  return Ratio(std::llround(factor * static_cast<double>(kOne.count())));
}

SubBatch read_sub_batch(const Flag& flag, std::string_view text) {
  if (text == "auto") return {.kind = SubBatch::Kind::kAuto};
  if (text == "off") return {.kind = SubBatch::Kind::kOff};
  std::int64_t samples = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), samples);
  if (error != std::errc() || end != text.data() + text.size() || samples < 1) {
    bad_value(flag.name, quoted(text), "auto, off, or a number of samples from 1 to the batch");
  }
  return {.kind = SubBatch::Kind::kSize, .samples = samples};
}

std::string sub_batch_text(const SubBatch& sub_batch) {
  switch (sub_batch.kind) {
    case SubBatch::Kind::kUsual:
      return "";
    case SubBatch::Kind::kOff:
      return "off";
    case SubBatch::Kind::kAuto:
      return "auto";
    case SubBatch::Kind::kSize:
      return std::to_string(sub_batch.samples);
  }
  return "";
}

/// How one flag's text becomes a value, and a value that is not the default a text.
struct Reader {
  void (*read)(const Flag& flag, std::string_view text, ScheduleOptions& options);
  std::string (*write)(const Flag& flag, const ScheduleOptions& options);
};

// In the order of kScheduleFlags.
constexpr std::array<Reader, flags::kScheduleFlags.size()> kReaders{{
    {[](const Flag& flag, std::string_view text, ScheduleOptions& options) {
       options.sub_batch = read_sub_batch(flag, text);
     },
     [](const Flag&, const ScheduleOptions& options) { return sub_batch_text(options.sub_batch); }},
    {[](const Flag& flag, std::string_view text, ScheduleOptions& options) {
       read_choice(flag, text, options.algorithms);
     },
     [](const Flag& flag, const ScheduleOptions& options) {
       return choice_text(flag, options.algorithms);
     }},
    {[](const Flag& flag, std::string_view text, ScheduleOptions& options) {
       read_choice(flag, text, options.trials);
     },
     [](const Flag& flag, const ScheduleOptions& options) {
       return choice_text(flag, options.trials);
     }},
    {[](const Flag& flag, std::string_view text, ScheduleOptions& options) {
       options.far_compression = factor_of(text, flag);
     },
     [](const Flag&, const ScheduleOptions& options) {
       return fmt::format("{}", static_cast<double>(options.far_compression.count()) / 1e9);
     }},
    {[](const Flag&, std::string_view, ScheduleOptions& options) { options.backdating = false; },
     [](const Flag&, const ScheduleOptions& options) {
       return std::string(options.backdating ? "no" : "yes");
     }},
    {[](const Flag& flag, std::string_view text, ScheduleOptions& options) {
       options.keep_bytes = bytes_of(text, flag.name);
     },
     [](const Flag&, const ScheduleOptions& options) {
       return options.keep_bytes ? exact_bytes(*options.keep_bytes) : std::string();
     }},
    {[](const Flag& flag, std::string_view text, ScheduleOptions& options) {
       options.slack_min = count_of(text, flag);
     },
     [](const Flag&, const ScheduleOptions& options) { return std::to_string(options.slack_min); }},
    {[](const Flag& flag, std::string_view text, ScheduleOptions& options) {
       options.bytes_min = bytes_of(text, flag.name);
     },
     [](const Flag&, const ScheduleOptions& options) { return exact_bytes(options.bytes_min); }},
    {[](const Flag& flag, std::string_view text, ScheduleOptions& options) {
       options.max_swaps = count_of(text, flag);
     },
     [](const Flag&, const ScheduleOptions& options) {
       return options.max_swaps ? std::to_string(*options.max_swaps) : std::string();
     }},
    {[](const Flag& flag, std::string_view text, ScheduleOptions& options) {
       read_choice(flag, text, options.lms_action);
     },
     [](const Flag& flag, const ScheduleOptions& options) {
       return choice_text(flag, options.lms_action);
     }},
    {[](const Flag& flag, std::string_view text, ScheduleOptions& options) {
       read_choice(flag, text, options.recomputation);
     },
     [](const Flag& flag, const ScheduleOptions& options) {
       return choice_text(flag, options.recomputation);
     }},
}};

bool reads(const Schedule& schedule, std::string_view flag) {
  if (flag == "--sub-batch") return true;  // the rounds are none of a schedule's business
  return std::find(schedule.options.begin(), schedule.options.end(), flag) !=
         schedule.options.end();
}

/// The one of --schedule and --schedules that is given; SpecError for both.
std::string_view schedule_flag(const Arguments& arguments) {
  if (!arguments.has("--schedules")) return "--schedule";
  if (arguments.has("--schedule")) {
    bad_value("--schedule", "it beside --schedules", "one of the two", "they mean the same");
  }
  return "--schedules";
}

std::string readers_of(std::string_view flag) {
  std::string names;
  for (const Schedule* schedule : schedules()) {
    if (!reads(*schedule, flag)) continue;
    names += (names.empty() ? "" : ", ") + std::string(schedule->name);
  }
  return names;
}

}  // namespace

ChosenSchedules chosen_schedules(const Arguments& arguments, const std::string& usual) {
  const std::string_view flag = schedule_flag(arguments);
  const std::string list = arguments.value(flag).value_or(usual);
  return {.schedules = schedules_named(list, flag), .all = list == "all"};
}

const Schedule& chosen_schedule(const Arguments& arguments) {
  const std::string_view flag = schedule_flag(arguments);
  const std::string name = arguments.value(flag).value_or("capacity");
  if (name == "all" || name.find(',') != std::string::npos) {
    bad_value(flag, quoted(name), "one schedule", "`ooc-paleo compare` takes several");
  }
  return schedule_named(name, flag);
}

ScheduleOptions schedule_options(const Arguments& arguments) {
  ScheduleOptions options;
  for (std::size_t i = 0; i < kReaders.size(); ++i) {
    const Flag& flag = flags::kScheduleFlags[i];
    if (const auto text = arguments.value(flag.name)) kReaders[i].read(flag, *text, options);
  }
  return options;
}

std::string options_text(const Schedule& schedule, const ScheduleOptions& options) {
  std::string text;
  const ScheduleOptions defaults;
  for (std::size_t i = 0; i < kReaders.size(); ++i) {
    const Flag& flag = flags::kScheduleFlags[i];
    if (!reads(schedule, flag.name)) continue;
    const std::string value = kReaders[i].write(flag, options);
    if (value == kReaders[i].write(flag, defaults)) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", flag.name.substr(2), value);
  }
  return text;
}

std::string_view algorithms_name(AlgorithmChoice algorithms) {
  return algorithms == AlgorithmChoice::kMemory ? "memory" : "performance";
}

void check_schedule_flags(const Arguments& arguments, std::span<const Schedule* const> chosen) {
  for (const Flag& flag : flags::kScheduleFlags) {
    if (!arguments.has(flag.name)) continue;
    const bool read = std::any_of(chosen.begin(), chosen.end(), [&](const Schedule* schedule) {
      return reads(*schedule, flag.name);
    });
    if (read) continue;
    std::string names;
    for (const Schedule* schedule : chosen) {
      names += (names.empty() ? "" : ", ") + std::string(schedule->name);
    }
    bad_value(flag.name, "it with the schedule " + names,
              "a schedule that reads it: " + readers_of(flag.name));
  }
}

}  // namespace ooc
