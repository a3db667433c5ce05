// A read-only table of lists (compressed sparse rows): row i holds items[begin[i] .. begin[i+1]).
// One allocation for all rows, so that walking a plan or a graph touches memory in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ooc {

template <class Row, class Item>
class Csr {
 public:
  Csr() : begin_(1, 0) {}

  /// Builds `rows` lists from (row, item) pairs; within a row the order of the pairs is kept.
  Csr(std::size_t rows, std::span<const std::pair<Row, Item>> pairs)
      : begin_(rows + 1, 0), items_(pairs.size()) {
    for (const auto& pair : pairs) ++begin_[pair.first.at() + 1];
    for (std::size_t row = 0; row < rows; ++row) begin_[row + 1] += begin_[row];
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (const auto& pair : pairs) items_[next[pair.first.at()]++] = pair.second;
  }

  [[nodiscard]] std::size_t rows() const { return begin_.size() - 1; }
  [[nodiscard]] std::size_t item_count() const { return items_.size(); }
  [[nodiscard]] std::span<const Item> operator[](Row row) const {
    return {items_.data() + begin_[row.at()], items_.data() + begin_[row.at() + 1]};
  }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<Item> items_;
};

}  // namespace ooc
