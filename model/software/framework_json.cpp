// A field that is left out is that of the framework that this one is `like`, or `ideal`'s. Those that are there want
// provenance, words as well as numbers: each is a claim about somebody's software.
#include "model/software/framework_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
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
void take(const ProfileSection& section, std::string_view key, Value& value,
          const SpecChoices<Value, kCount>& choices) {
  section.take(key, value, choice_of<Value, kCount>, choices);
}

/// The same of `words`, which stand in the order of the enumerators, or of false and true.
template <class Value>
void take(const ProfileSection& section, std::string_view key, Value& value,
          const std::vector<std::string>& words) {
  section.take(key, value, [&](const SpecView& view) {
    return std::ranges::find(words, view.as_choice(words)) - words.begin();
  });
}

std::pair<int, int> version_of(const SpecView& view) {
  if (const auto version = parse_library_version(view.as_text())) return *version;
  view.fail(view.found(), "a version such as \"5.1\"");
}

void read_keeping(const ProfileSection& root, Keeping& keeping) {
  take(root, "activation_saves", keeping.activations, {"output", "input", "both"});
  take(root, "clamp_saves", keeping.clamps, {"as_activations", "input"});
  take(root, "slice_saves", keeping.slices, {"slice", "whole"});
  take(root, "activation_in_place", keeping.in_place, {"always", "when_possible", "never"});
  take(root, "pool_saves", keeping.pools, {"input_and_output", "input_and_indices"});
  take(root, "norm_saves", keeping.norms, {"input", "input_and_statistics"});
  take(root, "softmax_saves", keeping.softmax, {"output", "input_and_output"});
  take(root, "four_bit_saves", keeping.four_bit_inputs, {"nothing", "input"});
  take(root, "loss_dtype", keeping.loss_dtype, kLossDtypes);
  take(root, "gradient_in_place", keeping.in_place_gradients, {"as_forward", "never"});
  take(root, "gradient_sharing", keeping.gradients, {"copy", "until_written"});
  root.take("dropout_mask", keeping.mask_bytes, &SpecView::as_integer, 1, 8);
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
  root.take("update_copies", buffers.copies, &SpecView::as_integer, 0, 16);
  root.take("update_group", buffers.group, parameters_of);
  root.take("norm_copies", buffers.norms, &SpecView::as_integer, 0, 16);
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
  take(root, "copy_streams", copies.streams, {"overlap", "framework", "serial_in", "serial"});
  take(root, "copied", copies.each_save, {"tensors", "saves"});
  take(root, "far_sizes", copies.far_powers_of_two, {"exact", "powers_of_two"});
  root.take("pinned", copies.pinned_cost, pinned_cost);
  root.take("copies_out_in_flight", copies.outs_in_flight, &SpecView::as_integer, 1, kMostCopies);
}

double seconds_of(const SpecView& view) {
  return static_cast<double>(view.as_duration().count()) * 1e-9;
}

void read_kernels(const ProfileSection& root, Software& software) {
  std::pair layout{software.layout, software.fusion};
  take(root, "layout", layout, kLayouts);
  std::tie(software.layout, software.fusion) = layout;
  take(root, "fusion", software.fusion, {"none", "add", "all"});
  take(root, "attention", software.attention, kAttention);
  take(root, "pool_kernels", software.pools, {"streaming", "pytorch"});
  root.take("elementwise", software.elementwise_factor, &SpecView::as_ratio, 0.1, 10);
  root.take("host_issue", software.issue, &SpecView::as_duration);
  root.take("host_hooks", software.hooks, &SpecView::as_duration);
  take(root, "hooks_on", software.hooks_on, {"moved_weights", "all_weights", "units"});
  root.take("update_each", software.update_seconds, seconds_of);
  root.take("train_metrics", software.train_metrics, &SpecView::as_integer, 0, 16);
  take(root, "host_issue_per", software.issued_by, {"layer", "launch"});
  root.take("autocast_issue", software.autocast_issue, &SpecView::as_ratio, 1, 10);
}

/// Frameworks that are being read, each `like` the next: a circle is an error.
constexpr std::size_t kMostAncestors = 8;

Framework read(const SpecDocument& document, const FrameworkSources& sources, std::size_t depth);

Framework base_of(const SpecView& like, const FrameworkSources& sources, std::size_t depth) {
  if (depth == kMostAncestors) {
    like.fail(like.found(),
              fmt::format("at most {} frameworks, each like the next", kMostAncestors));
  }
  std::vector<std::string> folders{std::filesystem::path(like.file()).parent_path().string()};
  folders.insert(folders.end(), sources.folders.begin(), sources.folders.end());
  const std::vector<std::string> known = data_names_in(folders);
  const auto file = std::ranges::binary_search(known, like.as_text())
                        ? data_file_in(folders, like.as_text())
                        : std::nullopt;
  if (file) return read(read_spec_file(*file, sources.limits), sources, depth + 1);
  like.fail(like.found(), fmt::format("one of: {}", fmt::join(known, ", ")),
            did_you_mean(like.as_text(), known));
}

/// Puts the file's own claims in place of those of the framework that it is like.
void replace_provenance(Framework& framework, const std::vector<Provenance>& own,
                        const std::vector<ProfileNumber>& numbers) {
  const auto stated = [&](const std::string& field) {
    return find_named(numbers, field, &ProfileNumber::path) != nullptr;
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
  take(root, "allocator", framework.allocator, {"ideal", "caching"});
  take(root, "weight_gradients", framework.weight_gradients, {"static", "freed"});
  take(root, "inputs", framework.inputs, {"until_read", "throughout"});
  take(root, "exchange", framework.exchange, {"end", "overlap"});
  take(root, "sharding", framework.sharding, {"by_use", "fsdp-1"});
  take(root, "weights_return", framework.pageable_returns, {"pinned", "pageable"});
  take(root, "gradients_leave", framework.pageable_gradients, {"pinned", "pageable"});
  take(root, "overflow_checks", framework.checks_far, {"near", "far"});
  constexpr std::int64_t kMostNumbers = std::int64_t{1} << 40;
  root.take("weights_reused_within", framework.reuse, &SpecView::as_integer, 1, kMostNumbers);
  root.take("weights_live", framework.live, &SpecView::as_integer, 1, kMostNumbers);
  read_gradient_buffers(root, framework.gradient_buffers);
  root.take("cudnn", framework.cudnn, version_of);
  root.take("context", framework.context, &SpecView::as_bytes);
  root.take("memory_share", framework.memory_share, &SpecView::as_ratio, 0.1, 1);
  root.take("workspace", framework.workspace, &SpecView::as_bytes);
  const std::optional<SpecView> provenance =
      reading.numbers.empty() ? view.find("provenance") : view.get("provenance");
  view.reject_unknown_keys();
  if (!reading.numbers.empty()) {
    replace_provenance(framework, read_provenance(*provenance, reading.numbers), reading.numbers);
  }
  return framework;
}

}  // namespace

Framework read_framework(const SpecDocument& document, const FrameworkSources& sources) {
  return read(document, sources, 0);
}

void read_software(const SpecView& view, Software& software) {
  ProfileReading reading;
  const ProfileSection root(view, "", reading);
  read_kernels(root, software);
  root.take("cudnn", software.cudnn, version_of);
  view.reject_unknown_keys();
}

}  // namespace ooc
