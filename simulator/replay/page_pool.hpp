// Gives every block its pages in a pool of fixed-size pages, before anything runs. A device with virtual
// memory management maps each block's own range of addresses to these pages once, so blocks need no
// neighbouring bytes and come and go without leaving holes.
//
// A block is so many whole pages and a rest below a page (paged_size).
//
// Whole pages. memory_order numbers takers and frees so that a taker starts after the first k frees, where k
// makes room in whole pages as well as in bytes. Walk the takers in that order, giving back the pages of
// the first k frees before each takes its own from a list of free ones:
// * Blocks that may be resident together never share a page: a page passes from a block to a later one only
//   after a free among the first k, for which the later one's taker waits.
// * The list never runs dry if the pool has peak_pages, the largest sum over blocks resident in the
//   simulated run: k is the number with which what was taken, less what was freed, fits that many. Fewer
//   cannot do: in the simulated run they are resident at one instant.
// * The simulated times hold (replay_program.hpp): in the simulated run the frees that have happened before
//   a taker starts leave at most peak_pages resident, so k is not above their number.
//
// Rests. They share pages in a small area of neighbouring ones, packed byte by byte by place_blocks. A rest that
// begins a page follows its block's whole pages; one that ends a page comes before them; one that reaches
// across from a page into the next has the whole pages between, for in the block's range of addresses they may
// lie anywhere. So all that is asked of a rest's place is that it touches a boundary between pages. A
// block below a page lies in the area as it is.
#pragma once

#include <cstdint>
#include <vector>

#include "model/base/units.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/replay/free_pages.hpp"
#include "simulator/replay/memory_order.hpp"
#include "simulator/replay/place_blocks.hpp"

namespace ooc {

/// A block is `bytes` long and begins at `start` in the first of its pages.
struct BlockPages {
  Bytes start;  ///< a multiple of kReplayAlignment
  std::vector<PageRun> runs;
};

struct PagePool {
  Bytes page;
  std::int64_t pages = 0;
  std::vector<BlockPages> blocks;
  [[nodiscard]] Bytes bytes() const { return pages * page; }
};

/// `order` is made with the same page; `blocks` are the plan's, certain to end as the waits that follow
/// from `order` have it.
[[nodiscard]] PagePool make_page_pool(const Plan& plan, const MemoryOrder& order,
                                      const std::vector<PlacedBlock>& blocks, Bytes page);

}  // namespace ooc
