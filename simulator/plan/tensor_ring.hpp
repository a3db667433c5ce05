// Doubly linked list over tensors, each in it at most once. Nothing is allocated after the beginning.
#pragma once

#include <vector>

#include "model/base/ids.hpp"

namespace ooc {

class TensorRing {
 public:
  /// Empties the ring. Its memory is used again.
  void clear(std::size_t tensors) {
    links_.assign(tensors + 1, {kOutside, kOutside});
    end_ = make_id<TensorId>(tensors);
    links_.back() = {end_, end_};
  }
  [[nodiscard]] bool contains(TensorId tensor) const { return next(tensor) != kOutside; }
  [[nodiscard]] TensorId first() const { return next(end_); }
  [[nodiscard]] TensorId last() const { return links_.back().previous; }
  [[nodiscard]] TensorId next(TensorId tensor) const { return links_[tensor.at()].next; }
  [[nodiscard]] TensorId end() const { return end_; }

  void append(TensorId tensor) { insert(tensor, last(), end_); }
  void prepend(TensorId tensor) { insert(tensor, end_, first()); }
  void remove(TensorId tensor) {
    const Link link = links_[tensor.at()];
    links_[link.previous.at()].next = link.next;
    links_[link.next.at()].previous = link.previous;
    links_[tensor.at()].next = kOutside;
  }

 private:
  struct Link {
    TensorId previous;
    TensorId next;
  };
  static constexpr TensorId kOutside{-1};

  void insert(TensorId tensor, TensorId left, TensorId right) {
    links_[tensor.at()] = {left, right};
    links_[left.at()].next = tensor;
    links_[right.at()].previous = tensor;
  }

  std::vector<Link> links_;  ///< by tensor; at the end the ring's own
  TensorId end_;
};

}  // namespace ooc
