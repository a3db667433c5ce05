// The values asked for come from the command line, the symbols from the file: the error about a name that is
// not there says what the file has in its place.
#include "model/network/symbols.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "model/base/suggest.hpp"
#include "model/layers/attributes.hpp"

namespace ooc {
namespace {

/// "[1024]", "[3, 224, 224] and [10]": as they stand in the file.
std::string input_shapes(const SpecNode& root) {
  std::string text;
  for (const auto& [key, inputs] : root.members) {
    if (key != "inputs") continue;
    for (const SpecNode& input : inputs.items) {
      for (const auto& [name, shape] : input.members) {
        if (name != "shape") continue;
        std::string dims;
        for (const SpecNode& dim : shape.items) dims += (dims.empty() ? "" : ", ") + dim.text;
        text += (text.empty() ? "[" : " and [") + dims + ']';
      }
    }
  }
  return text;
}

[[noreturn]] void fail_unknown(const SpecDocument& document, const SymbolValue& asked,
                               const std::vector<SymbolValue>& known) {
  std::vector<std::string> names;
  for (const SymbolValue& each : known) names.push_back(each.name);
  const std::string found = "no symbol " + asked.name;
  if (names.empty()) {
    const std::string shapes = input_shapes(document.root);
    throw SpecError({.file = document.file,
                     .place = "/symbols",
                     .found = found,
                     .expected = fmt::format("one that can be {}", asked.value),
                     .hint = shapes.empty() ? "" : "the network's inputs are fixed at " + shapes});
  }
  throw SpecError({.file = document.file,
                   .place = "/symbols",
                   .found = found,
                   .expected = fmt::format("one of its symbols: {}", fmt::join(names, ", ")),
                   .hint = did_you_mean(asked.name, names)});
}

std::vector<SymbolValue> stated_symbols(const SpecDocument& document) {
  std::vector<SymbolValue> symbols;
  if (document.root.type != SpecType::kObject) return symbols;
  const auto list = SpecView(document).find("symbols");
  if (!list) return symbols;
  for (const auto& [name, value] : list->members()) {
    if (!is_symbol_name(name)) {
      value.fail("a symbol named " + in_quotes(name),
                 "a letter, then letters, digits or \"_\", at most 40 in all");
    }
    symbols.push_back({name, value.as_integer(1, kMaxSize)});
  }
  return symbols;
}

}  // namespace

void set_symbols(SpecDocument& document, const std::vector<SymbolValue>& asked) {
  document.symbols = {};  // a symbol is no other symbol's value
  std::vector<SymbolValue> symbols = stated_symbols(document);
  for (const SymbolValue& each : asked) {
    const auto place = std::find_if(symbols.begin(), symbols.end(), [&](const SymbolValue& symbol) {
      return symbol.name == each.name;
    });
    if (place == symbols.end()) fail_unknown(document, each, symbols);
    place->value = each.value;
  }
  document.symbols = SpecSymbols(std::move(symbols));
}

void check_symbols_read(const SpecDocument& document) {
  const SymbolValue* unread = document.symbols.unread();
  if (unread == nullptr) return;
  SpecView(document)
      .get("symbols")
      .get(unread->name)
      .fail(fmt::format("a symbol {} that no size uses", unread->name),
            "shapes or integer fields with " + in_quotes(unread->name));
}

}  // namespace ooc
