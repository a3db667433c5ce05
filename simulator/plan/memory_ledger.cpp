// A segment tree in two arrays: node 1 is the root, the children of i are 2i and 2i+1. An addition
// to a whole subtree stays in its root's `add_` and is never pushed down: the maximum of a node
// counts its own addition and those below it, and a walk from the root sums up what stands above.
#include "simulator/plan/memory_ledger.hpp"

#include <algorithm>
#include <limits>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

/// Below every sum of sizes, and far enough from the limit that additions cannot wrap.
constexpr std::int64_t kNothing = std::numeric_limits<std::int64_t>::min() / 4;

}  // namespace

MemoryLedger::MemoryLedger(const std::vector<Bytes>& initial) { reset(initial); }

void MemoryLedger::reset(const std::vector<Bytes>& initial) {
  size_ = initial.size();
  leaves_ = 1;
  while (leaves_ < size_) leaves_ *= 2;
  max_.assign(2 * leaves_, kNothing);
  add_.assign(2 * leaves_, 0);
  for (std::size_t i = 0; i < size_; ++i) max_[leaves_ + i] = initial[i].count();
  for (std::size_t node = leaves_ - 1; node >= 1; --node) {
    max_[node] = std::max(max_[2 * node], max_[2 * node + 1]);
  }
}

void MemoryLedger::book(std::size_t first, std::size_t end, Bytes bytes) {
  OOC_CHECK(end <= size_, "a booking lies inside the ledger");
  if (first >= end) return;
  // From both ends upwards: the subtrees that lie wholly inside take the addition, then all nodes
  // above the two ends are summed up again.
  std::size_t left = first + leaves_;
  std::size_t right = end + leaves_;
  for (; left < right; left /= 2, right /= 2) {
    if (left % 2 == 1) {
      max_[left] += bytes.count();
      add_[left++] += bytes.count();
    }
    if (right % 2 == 1) {
      max_[--right] += bytes.count();
      add_[right] += bytes.count();
    }
  }
  const auto sum_up = [&](std::size_t node) {
    max_[node] = std::max(max_[2 * node], max_[2 * node + 1]) + add_[node];
  };
  std::size_t low = (first + leaves_) / 2;
  std::size_t high = (end - 1 + leaves_) / 2;
  for (; low != high; low /= 2, high /= 2) {
    sum_up(low);
    sum_up(high);
  }
  for (; low >= 1; low /= 2) sum_up(low);
}

Bytes MemoryLedger::max(std::size_t first, std::size_t end) const {
  OOC_CHECK(first < end && end <= size_, "the maximum of a range needs a position in it");
  std::size_t left = first + leaves_;
  std::size_t right = end - 1 + leaves_;
  std::int64_t best_left = max_[left];
  std::int64_t best_right = max_[right];
  // `left` and `right` are the outermost subtrees counted so far; on the way up their inner
  // neighbours join and the additions above them apply.
  while (left / 2 != right / 2) {
    if (left % 2 == 0) best_left = std::max(best_left, max_[left + 1]);
    if (right % 2 == 1) best_right = std::max(best_right, max_[right - 1]);
    left /= 2;
    right /= 2;
    best_left += add_[left];
    best_right += add_[right];
  }
  std::int64_t best = std::max(best_left, best_right);
  for (std::size_t node = left / 2; node >= 1; node /= 2) best += add_[node];
  return Bytes(best);
}

std::optional<std::size_t> MemoryLedger::last_above(std::size_t first, std::size_t end,
                                                    Bytes limit) const {
  OOC_CHECK(end <= size_, "a search lies inside the ledger");
  if (first >= end) return std::nullopt;
  // Climb from the last leaf to the left until a subtree holds more than the limit, then descend in
  // it to its last such leaf. A subtree may begin before `first`; then so may the answer, which
  // counts as none only if it does, because the last one above the limit is what was asked for.
  std::size_t node = end - 1 + leaves_;
  std::int64_t above = 0;
  for (std::size_t up = node / 2; up >= 1; up /= 2) above += add_[up];
  while (max_[node] + above <= limit.count()) {
    while (node % 2 == 0) {
      node /= 2;
      above -= add_[node];
    }
    if (node == 1) return std::nullopt;
    --node;
  }
  while (node < leaves_) {
    above += add_[node];
    node = 2 * node + 1;
    if (max_[node] + above <= limit.count()) --node;
  }
  const std::size_t position = node - leaves_;
  if (position < first) return std::nullopt;
  return position;
}

}  // namespace ooc
