// Threads take pieces in order from a counter; finished pieces wait in a window for their turn, and
// a thread that is a whole window ahead waits, so that memory stays bounded however long the sweep.
#include "cli/sweep/run.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

using namespace std::chrono_literals;

struct Piece {
  std::string text;
  std::vector<LinkTime> times;
  std::exception_ptr error;
  bool done = false;
};

/// The costs of one (network, machine, batch), made by whoever needs them first.
struct SharedCosts {
  std::mutex making;
  std::shared_ptr<const Case> made;
  std::size_t pieces_left = 0;
};

CaseOptions options_at(const SweepJob& job, const SweepUnit& unit) {
  CaseOptions options = job.options;
  options.batch = job.grid.batches[unit.batch];
  return options;
}

class Runner {
 public:
  Runner(const SweepJob& job, const SweepSink& sink)
      : job_(job),
        sink_(sink),
        pieces_per_unit_((job.grid.links.size() + kLinksPerPiece - 1) / kLinksPerPiece),
        piece_count_(job.grid.units() * pieces_per_unit_),
        units_per_costs_(job.grid.memories.size() * job.grid.schedules.size()),
        costs_(piece_count_ / pieces_per_unit_ / units_per_costs_),
        window_(std::size_t{8} * job.threads) {
    for (SharedCosts& costs : costs_) costs.pieces_left = units_per_costs_ * pieces_per_unit_;
  }

  SweepSummary run() {
    std::vector<std::jthread> threads;
    try {
      for (unsigned i = 0; i < job_.threads; ++i) threads.emplace_back([this] { work(); });
      write_in_order();
    } catch (...) {
      end_work();
      throw;  // the jthreads are joined on the way out
    }
    end_work();
    return std::move(summary_);
  }

 private:
  void work() {
    CaseBuffers buffers;
    while (true) {
      std::size_t index = 0;
      {
        std::unique_lock lock(mutex_);
        room_.wait(lock, [&] { return ended_ || next_ < written_ + window_.size(); });
        if (ended_ || next_ == piece_count_) return;
        index = next_++;
      }
      Piece piece;
      try {
        fill(piece, index, buffers);
      } catch (...) {
        piece.error = std::current_exception();
      }
      piece.done = true;
      const std::lock_guard lock(mutex_);
      window_[index % window_.size()] = std::move(piece);
      finished_.notify_one();
    }
  }

  void fill(Piece& piece, std::size_t index, CaseBuffers& buffers) {
    const SweepUnit unit = unit_at(job_.grid, index / pieces_per_unit_);
    const std::shared_ptr<const Case> shared = costs_of(unit);
    Case which = *shared;
    CaseOptions options = options_at(job_, unit);
    options.memory = job_.grid.memories[unit.memory];
    which.budget = budget_of(options, which.hardware);
    which.inputs.memory = which.budget;
    which.inputs.memory_given = options.memory.has_value();
    which.inputs.network = job_.inputs.network_names[unit.network];
    which.inputs.hardware = job_.inputs.hardware_names[unit.hardware];
    const Schedule& schedule = *job_.grid.schedules[unit.schedule];
    std::optional<CaseRun> run;

    const std::size_t begin = index % pieces_per_unit_ * kLinksPerPiece;
    const std::size_t end = std::min(begin + kLinksPerPiece, job_.grid.links.size());
    for (std::size_t link = begin; link < end; ++link) {
      which.inputs.link = options.transfers.link = job_.grid.links[link];
      which.transfers = options.transfers;
      estimate_transfers_into(which.costs.transfers, which.costs.tensor_bytes, which.hardware,
                              options.transfers);
      if (!run || schedule.plans_for_link || run->rounds || run->devices)
        run.emplace(plan_case(which, schedule, buffers));
      simulate_case(which, *run, buffers);
      const RunReport report = report_case(which, schedule, *run, Detail::kTotals);
      job_.format.row(piece.text, report, index == 0 && link == 0);
      piece.times.push_back({.feasible = report.feasible,
                             .iteration_time = report.iteration_time,
                             .compute_time = report.compute_time});
    }
  }

  std::shared_ptr<const Case> costs_of(const SweepUnit& unit) {
    SharedCosts& costs = costs_[unit.costs];
    const std::lock_guard lock(costs.making);
    if (!costs.made) {
      costs.made = std::make_shared<const Case>(make_case(job_.inputs.workloads[unit.network],
                                                          job_.inputs.machines[unit.hardware],
                                                          options_at(job_, unit)));
    }
    std::shared_ptr<const Case> made = costs.made;
    if (--costs.pieces_left == 0) costs.made.reset();
    return made;
  }

  void write_in_order() {
    std::vector<LinkTime> unit_times;
    for (std::size_t index = 0; index < piece_count_; ++index) {
      Piece piece;
      {
        std::unique_lock lock(mutex_);
        Piece& slot = window_[index % window_.size()];
        // A signal handler cannot notify: look for a stop now and then.
        while (!finished_.wait_for(lock, 50ms, [&] { return slot.done; })) {
          if (sink_.stop()) break;
        }
        if (!slot.done || sink_.stop()) return;
        piece = std::exchange(slot, Piece{});
        written_ = index + 1;
        room_.notify_all();
      }
      if (piece.error) std::rethrow_exception(piece.error);
      summary_.rows += piece.times.size();
      for (const LinkTime& time : piece.times) summary_.fitting += time.feasible ? 1 : 0;
      sink_.write(piece.text, summary_.rows);
      unit_times.insert(unit_times.end(), piece.times.begin(), piece.times.end());
      if ((index + 1) % pieces_per_unit_ != 0) continue;
      if (unit_times.size() > 1) {
        summary_.knees.push_back(find_knee(index / pieces_per_unit_, job_.grid.links, unit_times));
      }
      unit_times.clear();
    }
  }

  void end_work() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    room_.notify_all();
  }

  const SweepJob& job_;
  const SweepSink& sink_;
  std::size_t pieces_per_unit_;
  std::size_t piece_count_;
  std::size_t units_per_costs_;
  std::vector<SharedCosts> costs_;
  SweepSummary summary_;

  std::mutex mutex_;
  std::condition_variable room_;      ///< for workers: the window moved, or it is over
  std::condition_variable finished_;  ///< for the writer: a piece is done
  std::vector<Piece> window_;
  std::size_t next_ = 0;     ///< piece that nobody has taken
  std::size_t written_ = 0;  ///< pieces handed out
  bool ended_ = false;
};

}  // namespace

SweepSummary run_sweep(const SweepJob& job, const SweepSink& sink) {
  OOC_CHECK(job.threads > 0, "somebody works");
  return Runner(job, sink).run();
}

}  // namespace ooc
