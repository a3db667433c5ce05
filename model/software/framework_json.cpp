// A field that is left out is that of the framework that this one is `like`, or `ideal`'s. Those that are there want
// provenance, words as well as numbers: each is a claim about somebody's software.
#include "model/software/framework_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "model/base/errors.hpp"
#include "model/hardware/architecture_json.hpp"
#include "model/hardware/profile_section.hpp"

namespace ooc {
namespace {

constexpr SpecChoices<std::optional<Dtype>, 2> kLossDtypes{
    {{"network", std::nullopt}, {"float32", Dtype::kFloat32}}};
constexpr SpecChoices<std::pair<ImageLayout, Fusion>, 3> kLayouts{
    {{"channels_first", {ImageLayout::kChannelsFirst, Fusion::kNone}},
     {"channels_last", {ImageLayout::kChannelsLast, Fusion::kNone}},
     {"channels_last_fused", {ImageLayout::kChannelsLast, Fusion::kAdd}}}};
constexpr SpecChoices<AttentionKernels, 6> kAttention{{{"flash-1", AttentionKernels::kFlash1},
                                                       {"flash-2", AttentionKernels::kFlash2},
                                                       {"cudnn", AttentionKernels::kCudnn},
                                                       {"flash-3", AttentionKernels::kFlash3},
                                                       {"masked", AttentionKernels::kMasked},
                                                       {"separate", AttentionKernels::kSeparate}}};

/// Takes a field, where it is there, as one of `choices`.
template <class Value, std::size_t kCount>
void take(const ProfileSection& section, std::string_view key,
          const SpecChoices<Value, kCount>& choices, Value& value) {
  if (const auto view = section.optional_number(key)) value = choice_of(*view, choices);
}
/// Takes a field, where it is there, by its word: `words` are in the order of the enumerators; of false and true.
template <class Value>
void take(const ProfileSection& section, std::string_view key,
          const std::vector<std::string>& words, Value& value) {
  const auto view = section.optional_number(key);
  if (!view) return;
  value = static_cast<Value>(std::ranges::find(words, view->as_choice(words)) - words.begin());
}

std::pair<int, int> version_of(const SpecView& view) {
  if (const auto version = parse_library_version(view.as_text())) return *version;
  view.fail(view.found(), "a version such as \"5.1\"");
}

void read_keeping(const ProfileSection& root, Keeping& keeping) {
  take(root, "activation_saves", {"output", "input", "both"}, keeping.activations);
  take(root, "clamp_saves", {"as_activations", "input"}, keeping.clamps);
  take(root, "slice_saves", {"slice", "whole"}, keeping.slices);
  take(root, "activation_in_place", {"always", "when_possible", "never"}, keeping.in_place);
  take(root, "pool_saves", {"input_and_output", "input_and_indices"}, keeping.pools);
  take(root, "norm_saves", {"input", "input_and_statistics"}, keeping.norms);
  take(root, "softmax_saves", {"output", "input_and_output"}, keeping.softmax);
  take(root, "loss_dtype", kLossDtypes, keeping.loss_dtype);
  take(root, "gradient_in_place", {"as_forward", "never"}, keeping.in_place_gradients);
  take(root, "gradient_sharing", {"copy", "until_written"}, keeping.gradients);
  if (const auto mask = root.optional_number("dropout_mask")) {
    keeping.mask_bytes = mask->as_integer(1, 8);
  }
}

/// A number of parameters, or "all".
std::int64_t parameters_of(const SpecView& view) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (view.type() != SpecType::kText) return view.as_integer(1, kMost);
  return choice_of(view, SpecChoices<std::int64_t, 1>{{{"all", GradientBuffers::kAll}}});
}

void read_gradient_buffers(const ProfileSection& root, GradientBuffers& buffers) {
  if (const auto some = root.optional_number("gradient_buckets")) {
    constexpr std::int64_t kExchanged = -1;
    constexpr SpecChoices<std::int64_t, 3> kWords{
        {{"none", 0}, {"exchanged", kExchanged}, {"all", GradientBuffers::kAll}}};
    const bool is_word = some->type() == SpecType::kText;
    buffers.buckets = is_word ? choice_of(*some, kWords) : parameters_of(*some);
    buffers.exchanged = buffers.buckets == kExchanged;
    if (buffers.exchanged) buffers.buckets = 0;
  }
  if (const auto bytes = root.optional_number("update_copies")) {
    buffers.copies = bytes->as_integer(0, 16);
  }
  if (const auto some = root.optional_number("update_group")) buffers.group = parameters_of(*some);
  if (const auto bytes = root.optional_number("norm_copies")) {
    buffers.norms = bytes->as_integer(0, 16);
  }
}

constexpr std::int64_t kMostCopies = 1'000'000;

/// "pool", or {"per_copy": "3 ms"}.
Duration pinned_cost(const SpecView& view) {
  if (view.type() == SpecType::kObject) {
    const Duration cost = view.get("per_copy").as_duration();
    view.reject_unknown_keys();
    return cost;
  }
  return choice_of(view, SpecChoices<Duration, 1>{{{"pool", Duration(0)}}});
}

void read_copies(const ProfileSection& root, CopyRules& copies) {
  take(root, "copy_streams", {"overlap", "framework", "serial_in", "serial"}, copies.streams);
  take(root, "copied", {"tensors", "saves"}, copies.each_save);
  take(root, "far_sizes", {"exact", "powers_of_two"}, copies.far_powers_of_two);
  if (const auto pinned = root.optional_number("pinned")) copies.pinned_cost = pinned_cost(*pinned);
  if (const auto some = root.optional_number("copies_out_in_flight")) {
    copies.outs_in_flight = some->as_integer(1, kMostCopies);
  }
}

void read_kernels(const ProfileSection& root, Software& software) {
  std::pair layout{software.layout, software.fusion};
  take(root, "layout", kLayouts, layout);
  std::tie(software.layout, software.fusion) = layout;
  take(root, "fusion", {"none", "add", "all"}, software.fusion);
  take(root, "attention", kAttention, software.attention);
  take(root, "pool_kernels", {"streaming", "pytorch"}, software.pools);
  if (const auto factor = root.optional_number("elementwise")) {
    software.elementwise_factor = factor->as_ratio(0.1, 10);
  }
  if (const auto issue = root.optional_number("host_issue")) software.issue = issue->as_duration();
  if (const auto hooks = root.optional_number("host_hooks")) software.hooks = hooks->as_duration();
  take(root, "hooks_on", {"moved_weights", "all_weights", "units"}, software.hooks_on);
  if (const auto each = root.optional_number("update_each")) {
    software.update_seconds = static_cast<double>(each->as_duration().count()) * 1e-9;
  }
  if (const auto count = root.optional_number("train_metrics")) {
    software.train_metrics = count->as_integer(0, 16);
  }
  take(root, "host_issue_per", {"layer", "launch"}, software.issued_by);
  if (const auto factor = root.optional_number("autocast_issue")) {
    software.autocast_issue = factor->as_ratio(1, 10);
  }
}

/// Frameworks that are being read, each `like` the next: a circle is an error.
constexpr std::size_t kMostAncestors = 8;

Framework read(const SpecDocument& document, const FrameworkSources& sources, std::size_t depth);

Framework base_of(const SpecView& like, const FrameworkSources& sources, std::size_t depth) {
  namespace fs = std::filesystem;
  if (depth == kMostAncestors) {
    like.fail(like.found(),
              fmt::format("at most {} frameworks, each like the next", kMostAncestors));
  }
  std::vector<std::string> folders{fs::path(like.file()).parent_path().string()};
  folders.insert(folders.end(), sources.folders.begin(), sources.folders.end());
  const std::vector<std::string> known = data_names_in(folders);
  if (std::ranges::binary_search(known, like.as_text())) {
    for (const std::string& folder : folders) {
      const fs::path file = fs::path(folder) / (like.as_text() + ".json");
      std::error_code ignored;
      if (fs::exists(file, ignored)) {
        return read(read_spec_file(file.string(), sources.limits), sources, depth + 1);
      }
    }
  }
  like.fail(like.found(), fmt::format("one of: {}", fmt::join(known, ", ")),
            did_you_mean(like.as_text(), known));
}

/// Puts the file's own claims in place of those of the framework that it is like.
void replace_provenance(Framework& framework, const std::vector<Provenance>& own,
                        const std::vector<ProfileNumber>& numbers) {
  const auto stated = [&](const std::string& field) {
    return std::ranges::any_of(numbers,
                               [&](const ProfileNumber& number) { return number.path == field; });
  };
  std::erase_if(framework.provenance,
                [&](const Provenance& entry) { return stated(entry.fields); });
  std::erase_if(framework.assumed, stated);
  framework.provenance.insert(framework.provenance.end(), own.begin(), own.end());
  const std::vector<std::string> assumed = assumed_fields(own, numbers);
  framework.assumed.insert(framework.assumed.end(), assumed.begin(), assumed.end());
}

Framework read(const SpecDocument& document, const FrameworkSources& sources, std::size_t depth) {
  const SpecView view(document);
  check_format(view, "ooc-paleo/framework",
               {{"ooc-paleo/hardware-profile", "this is a machine: --hardware"},
                {"ooc-paleo/network", "this is a network"}});
  ProfileReading reading;
  const ProfileSection root(view, "", reading);
  Framework framework;
  if (const auto like = view.find("like")) framework = base_of(*like, sources, depth);
  const SpecView name = view.get("name");
  framework.name = name.as_text();
  if (framework.name.empty()) name.fail(name.found(), "a name");
  const auto meaning = view.find("meaning");
  framework.meaning = meaning ? meaning->as_text() : "";
  const auto description = view.find("description");
  framework.description = description ? description->as_text() : "";
  read_keeping(root, framework.keeping);
  read_copies(root, framework.copies);
  read_kernels(root, framework.software);
  framework.keeping.fuses = framework.software.fusion == Fusion::kAll;
  take(root, "allocator", {"ideal", "caching"}, framework.allocator);
  take(root, "weight_gradients", {"static", "freed"}, framework.weight_gradients);
  take(root, "inputs", {"until_read", "throughout"}, framework.inputs);
  take(root, "sharding", {"by_use", "fsdp-1"}, framework.sharding);
  take(root, "weights_return", {"pinned", "pageable"}, framework.pageable_returns);
  if (const auto some = root.optional_number("weights_reused_within")) {
    framework.reuse = some->as_integer(1, std::int64_t{1} << 40);
  }
  read_gradient_buffers(root, framework.gradient_buffers);
  if (const auto cudnn = root.optional_number("cudnn")) framework.cudnn = version_of(*cudnn);
  if (const auto context = root.optional_number("context")) framework.context = context->as_bytes();
  if (const auto share = root.optional_number("memory_share")) {
    framework.memory_share = share->as_ratio(0.1, 1);
  }
  if (const auto most = root.optional_number("workspace")) framework.workspace = most->as_bytes();
  const std::optional<SpecView> provenance =
      reading.numbers.empty() ? view.find("provenance") : view.get("provenance");
  view.reject_unknown_keys();
  if (!reading.numbers.empty()) {
    replace_provenance(framework, read_provenance(*provenance, reading.numbers), reading.numbers);
  }
  return framework;
}

}  // namespace

Framework read_framework_file(const std::string& path, const FrameworkSources& sources) {
  return read(read_spec_file(path, sources.limits), sources, 0);
}

void read_software(const SpecView& view, Software& software) {
  ProfileReading reading;
  const ProfileSection root(view, "", reading);
  read_kernels(root, software);
  if (const auto cudnn = root.optional_number("cudnn")) software.cudnn = version_of(*cudnn);
  view.reject_unknown_keys();
}

Framework read_framework_text(std::string_view text, const std::string& file,
                              const FrameworkSources& sources) {
  return read(read_spec_text(text, file, sources.limits), sources, 0);
}

}  // namespace ooc
