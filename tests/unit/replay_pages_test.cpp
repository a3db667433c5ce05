// Pages of blocks in a pool: who takes which, how many are enough, and where rests below a page lie.
#include <doctest/doctest.h>

#include "simulator/plan/plan_builder.hpp"
#include "simulator/replay/page_pool.hpp"
#include "simulator/replay/step_waits.hpp"

namespace ooc {
namespace {

constexpr AlternativeId kPagesAny{0};
constexpr Bytes kPage{1024};

using Runs = std::vector<PageRun>;

Timeline pages_timeline_of(std::initializer_list<std::pair<int, int>> spans, Bytes peak) {
  Timeline timeline;
  for (const auto& [start, end] : spans) {
    timeline.spans.push_back({Duration(start), Duration(end)});
  }
  timeline.peak_near = peak;
  return timeline;
}

/// One task after another takes a block and gives blocks back at its end.
struct Tasks {
  PlanBuilder builder{Bytes(0)};
  std::vector<BlockId> blocks;
  void add(int bytes, std::initializer_list<int> released) {
    const int number = static_cast<int>(blocks.size());
    const StepId step = builder.compute(TaskId{number}, kPagesAny);
    blocks.push_back(builder.tensor_block(TensorId{number}, Bytes(bytes)));
    builder.acquire(step, blocks.back());
    for (const int block : released) {
      builder.release(blocks[static_cast<std::size_t>(block)], step);
    }
  }
};

struct PagesMade {
  MemoryOrder order;
  PagePool pool;
};

PagesMade pool_of(const Plan& plan, const Timeline& timeline) {
  PagesMade made;
  made.order = order_memory(plan, timeline, timeline.peak_near, kPage);
  const StepWaits waits = find_step_waits(plan, made.order);
  made.pool = make_page_pool(plan, made.order, blocks_to_place(plan, made.order, waits), kPage);
  return made;
}

TEST_CASE("a block is whole pages and a rest that is rounded up to 512 bytes") {
  CHECK(paged_size(Bytes(0), kPage).pages == 0);
  CHECK(paged_size(Bytes(1), kPage).rest == Bytes(512));
  CHECK(paged_size(Bytes(2560), kPage).pages == 2);
  CHECK(paged_size(Bytes(2560), kPage).rest == Bytes(512));
  CHECK(paged_size(Bytes(2600), kPage).pages == 3);  // 2600 = 2 x 1024 + 552, rounded up: 3072
  CHECK(paged_size(Bytes(2600), kPage).rest == Bytes(0));
}

TEST_CASE("pages of blocks that have gone need not be neighbours to be one block's") {
  // Pages:  a 2, b 1, c 2, then a and c go, then d of 4. The most at one time: 2 + 1 + 2 = 5.
  //   a a b c c  ->  d d b d d
  // One range of bytes would need 5 + 2 = 7, b being in the middle; the pool needs 5.
  Tasks tasks;
  tasks.add(2048, {});
  tasks.add(1024, {});
  tasks.add(2048, {0, 2});
  tasks.add(4096, {1, 3});
  const Plan plan = std::move(tasks.builder).finish();
  const PagesMade made =
      pool_of(plan, pages_timeline_of({{0, 1}, {1, 2}, {2, 3}, {3, 4}}, Bytes(5120)));
  CHECK(made.order.peak_pages == 5);
  CHECK(made.order.peak_rests == Bytes(0));
  CHECK(made.pool.pages == 5);
  CHECK(made.pool.blocks[0].runs == Runs{{0, 2}});
  CHECK(made.pool.blocks[1].runs == Runs{{2, 1}});
  CHECK(made.pool.blocks[2].runs == Runs{{3, 2}});
  CHECK(made.pool.blocks[3].runs == Runs{{0, 2}, {3, 2}});
}

TEST_CASE("a step waits for whole pages where the bytes alone would not make it wait") {
  // Simulated one after the other: a of 1 page and 512, gone, then b of 2 pages: 2048 bytes at most, and 2
  // pages. Were b's taker on another queue it must wait for a: 1 + 2 pages are more than 2.
  PlanBuilder builder{Bytes(0)};
  const StepId task = builder.compute(TaskId{0}, kPagesAny);
  const StepId in = builder.to_near(TensorId{1});
  const BlockId a = builder.tensor_block(TensorId{0}, Bytes(1536));
  const BlockId b = builder.tensor_block(TensorId{1}, Bytes(2048));
  builder.acquire(task, a);
  builder.release(a, task);
  builder.acquire(in, b);
  builder.release(b, in);
  const Plan plan = std::move(builder).finish();
  const Timeline timeline = pages_timeline_of({{0, 1}, {1, 2}}, Bytes(2048));
  CHECK(order_memory(plan, timeline, Bytes(4096)).needed_frees == std::vector<std::size_t>{0, 0});
  const MemoryOrder paged = order_memory(plan, timeline, Bytes(4096), kPage);
  CHECK(paged.peak_pages == 2);
  CHECK(paged.needed_frees == std::vector<std::size_t>{0, 1});
  CHECK(find_step_waits(plan, paged).waits[in.at()] == std::vector<std::int32_t>{task.index});
}

TEST_CASE("rests share pages, and the whole pages come before, behind or within them") {
  // a = 1 page + 512, b = 1 page + 512, both there at once: the rests fill one page, page 0. a's begins it, so
  // it follows a's whole page; b's ends it, so b begins in it at 512.
  Tasks tasks;
  tasks.add(1536, {});
  tasks.add(1536, {0, 1});
  const Plan plan = std::move(tasks.builder).finish();
  const PagesMade made = pool_of(plan, pages_timeline_of({{0, 1}, {1, 2}}, Bytes(3072)));
  CHECK(made.pool.pages == 3);
  CHECK(made.pool.blocks[0].start == Bytes(0));
  CHECK(made.pool.blocks[0].runs == Runs{{1, 1}, {0, 1}});
  CHECK(made.pool.blocks[1].start == Bytes(512));
  CHECK(made.pool.blocks[1].runs == Runs{{0, 1}, {2, 1}});
}

TEST_CASE("what must touch a boundary between pages is moved up to the next one") {
  // A page of 2048 has four places of 512. Three blocks at once: 512 anywhere, then 512 at a boundary, which may not
  // lie at 512 and goes to 1536, where it ends a page.
  PlacedBlock first;
  first.bytes = Bytes(512);
  first.freed = 3;
  first.free_when = {3, 0, 0};
  PlacedBlock second = first;
  first.at_boundary = false;
  second.at_boundary = true;
  second.freed = 2;  // placed after the first one, which lives longer
  const Placement placement = place_blocks({first, second}, Bytes(2048), Bytes(2048));
  CHECK((placement.offsets[1].count() % 2048 == 0 || placement.offsets[1].count() % 2048 == 1536));
  CHECK(placement.offsets[0] != placement.offsets[1]);
  CHECK(placement.extent <= Bytes(2048));
}

TEST_CASE("free pages come as one run if there is one, and join their neighbours when given back") {
  FreePages free(10, 8);                 // 10..17
  CHECK(free.take(3) == Runs{{10, 3}});  // 13..17 are left
  CHECK(free.take(2) == Runs{{13, 2}});  // 15..17
  free.give_back({10, 3});               // 10..12, 15..17
  CHECK(free.take(3) == Runs{{10, 3}});  // the first of two that fit as well
  free.give_back({10, 3});
  CHECK(free.take(4) == Runs{{10, 3}, {15, 1}});
  free.give_back({13, 2});  // 13..14 and 16..17
  free.give_back({15, 1});  // 13..17
  CHECK(free.take(5) == Runs{{13, 5}});
}

}  // namespace
}  // namespace ooc
