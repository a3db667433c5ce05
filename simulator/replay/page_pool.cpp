// The area of rests first, then the whole pages behind it. See page_pool.hpp.
#include "simulator/replay/page_pool.hpp"

#include <cstddef>
#include <utility>

namespace ooc {
namespace {

std::int64_t pages_for(Bytes bytes, Bytes page) {
  return (bytes.count() + page.count() - 1) / page.count();
}

/// Whole pages of each block, in the order in which the program takes and frees them.
class PageWalk {
 public:
  PageWalk(const Plan& plan, const MemoryOrder& order, Bytes page, std::int64_t first)
      : plan_(plan),
        order_(order),
        page_(page),
        free_(first, order.peak_pages),
        runs_(plan.blocks.size()) {}

  std::vector<std::vector<PageRun>> run() && {
    for (const BlockId block : plan_.initial_blocks) take(block);
    std::size_t freed = 0;
    for (const StepId step : order_.starts) {
      for (; freed < order_.needed_frees[step.at()]; ++freed) {
        for (const PageRun& run : runs_[order_.frees[freed].at()]) free_.give_back(run);
      }
      for (const BlockId block : plan_.acquires[step]) take(block);
    }
    return std::move(runs_);
  }

 private:
  void take(BlockId block) {
    const PagedSize size = paged_size(plan_.blocks[block.at()].bytes, page_);
    runs_[block.at()] = free_.take(size.pages);
  }

  const Plan& plan_;
  const MemoryOrder& order_;
  Bytes page_;
  FreePages free_;
  std::vector<std::vector<PageRun>> runs_;
};

Placement place_rests(const std::vector<PlacedBlock>& blocks, Bytes at_least, Bytes page) {
  std::vector<PlacedBlock> rests = blocks;
  for (PlacedBlock& rest : rests) {
    const PagedSize size = paged_size(rest.bytes, page);
    rest.bytes = size.rest;
    rest.at_boundary = size.pages > 0;
  }
  return place_blocks(rests, pages_for(at_least, page) * page, page);
}

void append(std::vector<PageRun>& runs, const PageRun& run) {
  if (!runs.empty() && runs.back().first + runs.back().count == run.first) {
    runs.back().count += run.count;
  } else {
    runs.push_back(run);
  }
}

/// `whole` pages and a rest at `offset` of the area.
BlockPages joined(const std::vector<PageRun>& whole, Bytes offset, Bytes rest, Bytes page) {
  BlockPages made;
  const std::int64_t first = offset.count() / page.count();
  const std::int64_t end = pages_for(offset + rest, page);
  made.start = Bytes(offset.count() % page.count());
  const bool follows = made.start == Bytes(0) && !whole.empty();  // it begins a page
  if (rest > Bytes(0) && !follows) append(made.runs, {first, 1});
  for (const PageRun& run : whole) append(made.runs, run);
  const std::int64_t from = follows ? first : first + 1;
  if (rest > Bytes(0) && from < end) append(made.runs, {from, end - from});
  if (rest == Bytes(0)) made.start = Bytes(0);
  return made;
}

}  // namespace

PagePool make_page_pool(const Plan& plan, const MemoryOrder& order,
                        const std::vector<PlacedBlock>& blocks, Bytes page) {
  const Placement rests = place_rests(blocks, order.peak_rests, page);
  const std::int64_t area = pages_for(rests.extent, page);
  const std::vector<std::vector<PageRun>> whole = PageWalk(plan, order, page, area).run();
  PagePool pool;
  pool.page = page;
  pool.pages = area + order.peak_pages;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    pool.blocks.push_back(
        joined(whole[i], rests.offsets[i], paged_size(blocks[i].bytes, page).rest, page));
  }
  return pool;
}

}  // namespace ooc
