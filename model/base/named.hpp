// Functions for tables of named entries: list the names, find the entry with a name. An entry has a member `name`, is a
// pointer to an object with one, or is a pair of name and value; for others a function gives the name.
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ooc {

template <class Entry>
constexpr Entry* pointer_to(Entry& entry) {
  return &entry;
}
template <class Entry>
constexpr Entry* pointer_to(Entry* entry) {
  return entry;
}

struct NameOf {
  constexpr std::string_view operator()(const auto& entry) const {
    if constexpr (requires { entry.first; }) {
      return entry.first;
    } else {
      return pointer_to(entry)->name;
    }
  }
};

/// Returns the names in `first`, followed by the names of the entries of `table` in its order.
template <class Table, class Name = NameOf>
[[nodiscard]] std::vector<std::string> names_of(const Table& table, Name name = {},
                                                std::vector<std::string> first = {}) {
  for (const auto& entry : table) first.emplace_back(std::invoke(name, entry));
  return first;
}

/// Returns a pointer to the first entry called `wanted`; null if there is none.
template <class Table, class Name = NameOf>
[[nodiscard]] constexpr auto find_named(Table&& table, std::string_view wanted, Name name = {})
    -> decltype(pointer_to(*std::begin(table))) {
  for (auto& entry : table) {
    if (std::invoke(name, entry) == wanted) return pointer_to(entry);
  }
  return nullptr;
}

/// Returns a value that stands in the list more than once; unset: none does.
template <class Value>
[[nodiscard]] std::optional<Value> repeated_in(std::vector<Value> list) {
  std::ranges::sort(list);
  const auto found = std::ranges::adjacent_find(list);
  return found == list.end() ? std::nullopt : std::optional(*found);
}

/// Does what std::ranges::contains of C++23 does.
template <class Range, class Value>
[[nodiscard]] constexpr bool contains(const Range& range, const Value& value) {
  return std::ranges::find(range, value) != std::ranges::end(range);
}
[[nodiscard]] constexpr bool is_one_of(std::string_view word,
                                       std::initializer_list<std::string_view> words) {
  return contains(words, word);
}

}  // namespace ooc
