// Whether the network has the symbols is for its reader to say.
#include "cli/symbol_flags.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "cli/flags.hpp"
#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"
#include "model/layers/attributes.hpp"

namespace ooc {
namespace {

void add_symbol(SymbolValue value, std::string_view flag, std::vector<SymbolValue>& values) {
  const bool is_there = std::any_of(values.begin(), values.end(), [&](const SymbolValue& each) {
    return each.name == value.name;
  });
  if (is_there) bad_value(flag, "symbol " + value.name + " for the second time", "each one once");
  values.push_back(std::move(value));
}

void add_sequences(const std::string& text, std::vector<SymbolValue>& values) {
  const std::string_view flag = flags::kSeq.name;
  const std::vector<std::string> lengths = split_list(text, flag);
  if (lengths.size() > 2) {
    bad_value(flag, in_quotes(text), "a length, or two: of the encoder's and of the decoder's");
  }
  add_symbol({std::string(kSequence), parse_size(lengths[0], flag)}, flag, values);
  if (lengths.size() == 1) return;
  add_symbol({std::string(kTargetSequence), parse_size(lengths[1], flag)}, flag, values);
}

}  // namespace

std::int64_t parse_size(std::string_view given, std::string_view flag) {
  const std::string_view text = trimmed(given);
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || size < 1 || size > kMaxSize) {
    bad_value(flag, in_quotes(given), "a whole number from 1 to " + std::to_string(kMaxSize));
  }
  return size;
}

KernelOptions kernel_options(const Arguments& arguments) {
  KernelOptions options;
  if (const auto text = arguments.value(flags::kKernels)) {
    std::vector<std::string> known;
    for (const ImportKernels each :
         {ImportKernels::kEager, ImportKernels::kSdpa, ImportKernels::kFused}) {
      if (kernels_name(each) == *text) options.kernels = each;
      known.emplace_back(kernels_name(each));
    }
    if (!options.kernels) unknown_word(flags::kKernels.name, *text, known);
  }
  if (const auto text = arguments.value(flags::kLoss)) {
    const std::vector<std::string> known{"probabilities", "eager", "upcast", "in_place", "chunked"};
    for (const std::string& each : known) {
      if (each == *text) options.loss = each;
    }
    if (options.loss.empty()) unknown_word(flags::kLoss.name, *text, known);
  }
  return options;
}

std::optional<AdapterOptions> adapter_options(const Arguments& arguments) {
  const auto text = arguments.value(flags::kLora);
  const auto base = arguments.value(flags::kBase);
  const auto dropout = arguments.value(flags::kLoraDropout);
  const auto type = arguments.value(flags::kLoraDtype);
  if (!text) {
    for (const auto& [given, flag] : {std::pair{base, flags::kBase},
                                      {dropout, flags::kLoraDropout},
                                      {type, flags::kLoraDtype}}) {
      if (!given) continue;
      bad_value(flag.name, "it without --lora", "--lora R beside it: what is frozen is not learnt");
    }
    return std::nullopt;
  }
  const std::string_view flag = flags::kLora.name;
  AdapterOptions options;
  const std::size_t colon = text->find(':');
  options.rank = parse_size(text->substr(0, colon), flag);
  if (colon != std::string::npos) options.targets = split_list(text->substr(colon + 1), flag);
  if (base) {
    std::vector<std::string> known;
    for (const WeightStorage each : kWeightStorages) {
      if (storage_name(each) == *base) options.base = each;
      known.emplace_back(storage_name(each));
    }
    if (!options.base) unknown_word(flags::kBase.name, *base, known);
  }
  if (type) {
    const std::vector<std::string> known(kAdapterTypes.begin(), kAdapterTypes.end());
    const bool is_known = std::find(known.begin(), known.end(), *type) != known.end();
    if (!is_known) unknown_word(flags::kLoraDtype.name, *type, known);
    options.dtype = find_dtype(*type);
  }
  if (dropout) {
    const char* end = dropout->data() + dropout->size();
    const auto [rest, error] = std::from_chars(dropout->data(), end, options.dropout);
    if (error != std::errc() || rest != end || !(options.dropout >= 0 && options.dropout < 1)) {
      bad_value(flags::kLoraDropout.name, in_quotes(*dropout), "a rate from 0 to below 1");
    }
  }
  return options;
}

std::vector<SymbolValue> symbol_values(const Arguments& arguments) {
  std::vector<SymbolValue> values;
  if (const auto text = arguments.value(flags::kSeq)) add_sequences(*text, values);
  const auto list = arguments.value(flags::kSymbol);
  if (!list) return values;
  const std::string_view flag = flags::kSymbol.name;
  for (const std::string& each : split_list(*list, flag)) {
    const std::size_t equals = each.find('=');
    const std::string name(trimmed(each.substr(0, equals)));
    if (equals == std::string::npos || !is_symbol_name(name)) {
      bad_value(flag, in_quotes(each), "NAME=N, such as seq=2048");
    }
    add_symbol({name, parse_size(each.substr(equals + 1), flag)}, flag, values);
  }
  return values;
}

}  // namespace ooc
