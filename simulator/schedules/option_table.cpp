// One row per option: what --help says of it, how its text becomes a value, and the value a text again. What a
// result repeats is what differs from the defaults, so that a run without such options reads as it always did.
#include "simulator/schedules/option_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/option_text.hpp"
#include "model/base/quantity_io.hpp"
#include "simulator/schedules/own_options.hpp"
#include "simulator/schedules/schedule_options.hpp"

namespace ooc {
namespace {

using Option = ScheduleOption;

/// More than there are tasks or tensors.
constexpr std::int64_t kMaxCount = std::int64_t{1} << 31;

/// "2.5": a factor, however large a schedule will have it.
void read_value(const Option& flag, std::string_view text, Ratio& value) {
  constexpr double kLargest = 9e9;  // what a Ratio holds
  const std::optional<double> factor = real_in(text);
  if (!factor || !(*factor >= 0) || *factor > kLargest) {
    bad_value(flag.name, in_quotes(text), "a number such as 2 or 1.5");
  }
  value = Ratio(std::llround(*factor * static_cast<double>(kOne.count())));
}
std::string text_of(const Option&, Ratio value) {
  return fmt::format("{}", static_cast<double>(value.count()) / 1e9);
}

void read_value(const Option& flag, std::string_view text, SubBatch& value) {
  const std::optional<std::int64_t> samples = integer_in(text);
  if (text == "auto" || text == "off") {
    value = {.kind = text == "auto" ? SubBatch::Kind::kAuto : SubBatch::Kind::kOff};
  } else if (text.starts_with("1/")) {
    value = {.kind = SubBatch::Kind::kCount,
             .count = whole_number_of(text.substr(2), flag.name, 1, kMaxBatch)};
  } else if (samples && *samples >= 1) {
    value = {.kind = SubBatch::Kind::kSize, .samples = *samples};
  } else {
    bad_value(flag.name, in_quotes(text),
              "auto, off, a number of samples from 1 to the batch, or a share such as 1/4");
  }
}

std::string text_of(const Option&, const SubBatch& sub_batch) {
  switch (sub_batch.kind) {
    case SubBatch::Kind::kUsual:
      return "";
    case SubBatch::Kind::kOff:
      return "off";
    case SubBatch::Kind::kAuto:
      return "auto";
    case SubBatch::Kind::kSize:
      return std::to_string(sub_batch.samples);
    case SubBatch::Kind::kCount:
      return "1/" + std::to_string(sub_batch.count);
  }
  return "";
}

void read_value(const Option& flag, std::string_view text, Blocks& blocks) {
  blocks = {};
  if (text == "auto") return;
  const auto number = [&](std::string_view digits) {
    const std::optional<std::int64_t> value = integer_in(digits);
    if (!value || *value < 1) {
      bad_value(
          flag.name, in_quotes(text),
          "auto, layer, layer:N, layer:N/M, layer:FIRST..LAST, or a number of blocks from 1 on");
    }
    return *value;
  };
  blocks.kind = Blocks::Kind::kLayer;
  if (text == "layer") return;
  if (!text.starts_with("layer:")) {
    blocks = {.kind = Blocks::Kind::kNumber, .number = number(text)};
    return;
  }
  const std::string_view which = text.substr(6);
  if (const std::size_t dots = which.find(".."); dots != std::string_view::npos) {
    blocks.first = which.substr(0, dots);
    blocks.last = which.substr(dots + 2);
    return;
  }
  const std::size_t slash = which.find('/');
  blocks.together = number(which.substr(0, slash));
  blocks.of = slash == std::string_view::npos ? blocks.together : number(which.substr(slash + 1));
}

std::string text_of(const Option&, const Blocks& blocks) {
  switch (blocks.kind) {
    case Blocks::Kind::kAuto:
      return "auto";
    case Blocks::Kind::kLayer:
      if (!blocks.first.empty()) return "layer:" + blocks.first + ".." + blocks.last;
      if (blocks.of == 1) return "layer";
      return "layer:" + std::to_string(blocks.together) +
             (blocks.of == blocks.together ? "" : "/" + std::to_string(blocks.of));
    case Blocks::Kind::kNumber:
      return std::to_string(blocks.number);
  }
  return "";
}

template <class Value>
void read_value(const Option& flag, std::string_view text, Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    value = true;
  } else if constexpr (std::is_same_v<Value, std::string>) {
    value = text;
  } else if constexpr (std::is_same_v<Value, std::int64_t>) {
    value = whole_number_of(text, flag.name, 0, kMaxCount);
  } else if constexpr (std::is_same_v<Value, Bytes>) {
    value = bytes_of(text, flag.name);
  } else if constexpr (std::is_enum_v<Value>) {
    value = static_cast<Value>(choice_index(flag.name, flag.choices, text));
  } else {
    read_value(flag, text, value.emplace());
  }
}

template <class Value>
std::string text_of(const Option& flag, const Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    return value ? "yes" : "no";
  } else if constexpr (std::is_same_v<Value, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<Value, std::int64_t>) {
    return std::to_string(value);
  } else if constexpr (std::is_same_v<Value, Bytes>) {
    return exact_bytes(value);
  } else if constexpr (std::is_enum_v<Value>) {
    return words_of(flag.choices)[static_cast<std::size_t>(value)];
  } else {
    return value ? text_of(flag, *value) : std::string();
  }
}

template <auto kMember>
void read_field(const Option& flag, std::string_view text, ScheduleOptions& options) {
  if constexpr (std::is_invocable_v<decltype(kMember), ScheduleOptions&>) {
    read_value(flag, text, options.*kMember);
  } else {
    read_value(flag, text, options.own.change().*kMember);
  }
}
template <auto kMember>
std::string write(const Option& flag, const ScheduleOptions& options) {
  if constexpr (std::is_invocable_v<decltype(kMember), const ScheduleOptions&>) {
    return text_of(flag, options.*kMember);
  } else {
    return text_of(flag, (*options.own).*kMember);
  }
}

template <auto kMember>
constexpr Option::Field kField{&read_field<kMember>, &write<kMember>};

constexpr auto kTable = std::to_array<Option>({
    {.name = "--sub-batch",
     .value = "N",
     .help = "run the batch in rounds of N samples; `auto`: as many as memory asks for; `off`: all "
             "at once (default: auto for modnn, else off)",
     .tried = "off|auto|1",
     .field = kField<&ScheduleOptions::sub_batch>},
    {.name = "--algorithms",
     .value = "RULE",
     .help = "which algorithms convolutions use: for each the fastest whose workspace fits "
             "(default), without workspace, or the fastest",
     .choices = "fitting|memory|performance",
     .field = kField<&ScheduleOptions::algorithms>},
    {.name = "--trials",
     .value = "RULE",
     .help = "which candidate that fits vdnn-dyn takes: the first of its order (default), or "
             "the fastest",
     .choices = "order|time",
     .field = kField<&ScheduleOptions::trials>},
    {.name = "--far-compression",
     .value = "R",
     .help = "vdnn++: tensors take R times less in far memory, from 1 to 1000; default 1",
     .tried = "1|1.5|1000",
     .field = kField<&ScheduleOptions::far_compression>},
    {.name = "--restore-per-reader",
     .help = "lms: what moved comes back for each backward task that reads it, as in TFLMS, IBM's "
             "program; without it once for all",
     .field = kField<&OwnOptions::restore_per_reader>},
    {.name = "--keep-bytes",
     .value = "SIZE",
     .help = "swap-in-out: at most so much of the feature maps stays near (default: all that fits)",
     .tried = "0 B|100 B|100 kB",
     .says_how_much = true,
     .field = kField<&OwnOptions::keep_bytes>},
    {.name = "--max-swaps",
     .value = "N",
     .help = "lms: swap the first N of the candidates (default: the fewest that fit)",
     .tried = "0|1|3|99",
     .says_how_much = true,
     .field = kField<&OwnOptions::max_swaps>},
    {.name = "--lms-action",
     .value = "ACTION",
     .help = "lms: what becomes of a tensor: moved (default), compressed to float16, or both",
     .choices = "swap|compress|both",
     .field = kField<&ScheduleOptions::lms_action>},
    {.name = "--recompute",
     .value = "RULE",
     .help = "recompute, superneurons: a segment is computed again once (speed), for every use "
             "(memory), or once where that needs no more than the largest task (cost, default)",
     .choices = "cost|speed|memory",
     .field = kField<&OwnOptions::recomputation>},
    {.name = "--blocks",
     .value = "N",
     .help =
         "checkpoint*: at most N blocks; `layer`: the network's, by the names of its layers; "
         "`layer:N`: N of them at a time; `layer:N/M`: N of every M; `layer:FIRST..LAST`: of each "
         "these layers; `auto` (default): no blocks where everything fits, else the quickest of "
         "several cuts",
     .tried = "auto|layer|1|3|layer:2|layer:1/2",
     .says_how_much = true,
     .field = kField<&OwnOptions::blocks>},
    {.name = "--layers-moved",
     .value = "N",
     .help = "offload-layers: what the first N blocks save moves (default: the fewest that fit)",
     .tried = "0|1|3|99",
     .says_how_much = true,
     .field = kField<&OwnOptions::layers_moved>},
    {.name = "--only",
     .value = "LAYERS",
     .help =
         "capacity, offload-layers, checkpoint-offload: only what these layers save moves; names "
         "within a block or kinds of layer, `*` for any letters: `attention`, `attn*,to_out`",
     .tried = "*|l0",
     .field = kField<&OwnOptions::only>},
    {.name = "--search",
     .value = "N",
     .help = "best: try N plans (default: 20000 for small networks, down to 500 for large ones)",
     .tried = "0|30|150",
     .field = kField<&OwnOptions::search>},
    {.name = "--seed",
     .value = "N",
     .help = "best: another search of the same kind (default: 1)",
     .tried = "1|2|77",
     .field = kField<&OwnOptions::seed>},
});

}  // namespace

static_assert(std::ranges::all_of(kTable,
                                  [](const Option& option) {
                                    return option.value.empty() || !option.choices.empty() ||
                                           !option.tried.empty();
                                  }),
              "an option that takes any text says which ones the tests of laws try");

std::span<const ScheduleOption> schedule_option_table() { return kTable; }

std::vector<std::string> words_of(std::string_view choices) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= choices.size();) {
    const std::size_t end = std::min(choices.find('|', begin), choices.size());
    words.emplace_back(choices.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::size_t choice_index(std::string_view flag, std::string_view choices, std::string_view word) {
  const std::vector<std::string> words = words_of(choices);
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) unknown_word(flag, word, words);
  return static_cast<std::size_t>(found - words.begin());
}

bool reads(const Schedule& schedule, std::string_view option) {
  if (option == "--sub-batch") return true;  // the rounds are none of a schedule's business
  return contains(schedule.options, option);
}

std::string options_text(const Schedule& schedule, const ScheduleOptions& options) {
  std::string text;
  const ScheduleOptions defaults;
  for (const ScheduleOption& option : kTable) {
    if (!reads(schedule, option.name)) continue;
    const std::string value = option.field.write(option, options);
    if (value == option.field.write(option, defaults)) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", option.name.substr(2), value);
  }
  return text;
}

std::string_view algorithms_name(AlgorithmChoice algorithms) {
  return text_at(algorithms, {"fitting", "memory", "performance"});
}

// Where the options of single schedules are kept.

namespace {

const OwnOptions kDefaults;

}  // namespace

// Counted by nobody: making and copying options that were not changed takes no memory and no lock.
OwnPart::OwnPart() : options_(std::shared_ptr<const OwnOptions>(), &kDefaults) {}

// Always a new one: who shares the old one may be on another thread.
OwnOptions& OwnPart::change() {
  auto changed = std::make_shared<OwnOptions>(*options_);
  OwnOptions& fields = *changed;
  options_ = std::move(changed);
  return fields;
}

}  // namespace ooc
