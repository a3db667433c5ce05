// Read-only table of lists (compressed sparse rows): row i holds items[begin[i] .. begin[i+1]). All
// rows share one allocation, so that walking a plan or a graph touches memory in order.
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
  Csr() = default;

  /// Builds `rows` lists from (row, item) pairs. Items of a row keep the order of their pairs.
  Csr(std::size_t rows, std::span<const std::pair<Row, Item>> pairs) { assign(rows, pairs); }

  /// Replaces all lists, as the constructor builds them, and reuses their memory.
  void assign(std::size_t rows, std::span<const std::pair<Row, Item>> pairs) {
    // Counts stand two places ahead, so that after summing begin_[row + 1] is where row's next item
    // goes, and after placing all items it is where row ends: no second array.
    begin_.assign(rows + 2, 0);
    items_.resize(pairs.size());
    for (const auto& pair : pairs) ++begin_[pair.first.at() + 2];
    for (std::size_t row = 2; row < begin_.size(); ++row) begin_[row] += begin_[row - 1];
    for (const auto& pair : pairs) items_[begin_[pair.first.at() + 1]++] = pair.second;
    begin_.pop_back();
  }

  /// Returns the transpose, of `items` rows: row i lists the rows of this table that hold item i.
  [[nodiscard]] Csr<Item, Row> transposed(std::size_t items) const {
    Csr<Item, Row> result;
    transpose_into(result, items);
    return result;
  }
  /// Writes transposed(items) into `result` and reuses the memory of `result`.
  void transpose_into(Csr<Item, Row>& result, std::size_t items) const {
    result.begin_.assign(items + 2, 0);
    result.items_.resize(items_.size());
    for (const Item item : items_) ++result.begin_[item.at() + 2];
    for (std::size_t item = 2; item < result.begin_.size(); ++item) {
      result.begin_[item] += result.begin_[item - 1];
    }
    for (std::size_t row = 0; row < rows(); ++row) {
      for (std::size_t place = begin_[row]; place < begin_[row + 1]; ++place) {
        const Row id{static_cast<decltype(Row::index)>(row)};
        result.items_[result.begin_[items_[place].at() + 1]++] = id;
      }
    }
    result.begin_.pop_back();
  }

  [[nodiscard]] std::size_t rows() const { return begin_.size() - 1; }
  [[nodiscard]] std::size_t item_count() const { return items_.size(); }
  [[nodiscard]] std::span<const Item> operator[](Row row) const {
    return {items_.data() + begin_[row.at()], items_.data() + begin_[row.at() + 1]};
  }

 private:
  template <class, class>
  friend class Csr;

  std::vector<std::uint32_t> begin_ = std::vector<std::uint32_t>(1, 0);
  std::vector<Item> items_;
};

}  // namespace ooc
