// Threads take pieces in order from a counter; pieces wait in a window for their turn, and a thread that
// is a whole window ahead waits, so that memory stays bounded however long the sweep. Every row is in the
// window as soon as it is finished, so that a stop finds it there.
#include "simulator/predict/sweep.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

using namespace std::chrono_literals;

/// What became of one row.
struct Row {
  LinkTime time;
  std::string lacks;                              ///< where it does not fit
  std::shared_ptr<const SpecError> failure = {};  ///< where it could not be worked out
  bool wanted = true;                             ///< false: it is there already
};

struct Piece {
  std::mutex filling;  ///< of text and rows
  std::string text;
  std::vector<Row> rows;
  std::size_t first_row = 0;
  std::optional<LinkTime>
      at_infinite_link;  ///< of the unit, where it may tell why there is no knee
  std::exception_ptr error;
  bool done = false;
};

/// The costs of one (network, machine, batch), made by whoever needs them first.
struct SharedCosts {
  std::mutex making;
  std::shared_ptr<const Case> made;
  std::exception_ptr error;  ///< they cannot be made
};

CaseOptions options_at(const SweepJob& job, const SweepUnit& unit) {
  CaseOptions options = job.options;
  options.batch = job.grid.batches[unit.batch];
  return options;
}

std::string_view lack_of(const OutOfMemory& oom) {
  if (oom.tier == OutOfMemory::Tier::kFar) return "far memory";
  return oom.free >= oom.wanted ? "near memory in one piece" : "near memory";
}

/// Its threads share it: one that is in the middle of a row may outlive the call.
class Runner : public std::enable_shared_from_this<Runner> {
 public:
  Runner(const SweepJob& job, const SweepSink& sink)
      : job_(job),
        sink_(sink),
        fastest_link_(fastest_link(job.grid.links)),
        pieces_per_unit_((job.grid.links.size() + kLinksPerPiece - 1) / kLinksPerPiece),
        first_row_(job.range.begin + job.before.rows),
        first_piece_(first_row_ / job.grid.links.size() * pieces_per_unit_),
        end_piece_(job.range.size() == job.before.rows ? first_piece_
                                                       : piece_of(job.range.end - 1) + 1),
        units_per_costs_(job.grid.units_of_costs()),
        summary_(job.before),
        window_(std::size_t{8} * job.threads),
        next_(first_piece_),
        written_(first_piece_) {}

  SweepSummary run() {
    std::vector<std::jthread> threads;
    try {
      for (unsigned i = 0; i < job_.threads; ++i) {
        threads.emplace_back([self = shared_from_this()] { self->work(); });
      }
      write_in_order();
    } catch (...) {
      end_work();
      throw;  // the jthreads are joined on the way out
    }
    end_work();
    if (summary_.stopped) {
      for (std::jthread& thread : threads) thread.detach();
      write_what_is_there();
    }
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
        if (ended_ || next_ == end_piece_) return;
        index = next_++;
      }
      Piece& piece = window_[index % window_.size()];
      std::exception_ptr error;
      try {
        fill(piece, index, buffers);
      } catch (...) {
        error = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      piece.error = error;
      piece.done = true;
      finished_.notify_one();
    }
  }

  [[nodiscard]] std::size_t piece_of(std::size_t row) const {
    const std::size_t links = job_.grid.links.size();
    return row / links * pieces_per_unit_ + row % links / kLinksPerPiece;
  }

  /// The rows of a piece. What is wrong with all of them is in each.
  void fill(Piece& piece, std::size_t index, CaseBuffers& buffers) {
    const SweepUnit unit = unit_at(job_.grid, index / pieces_per_unit_);
    const std::size_t unit_row = index / pieces_per_unit_ * job_.grid.links.size();
    piece.first_row = unit_row + index % pieces_per_unit_ * kLinksPerPiece;
    const std::size_t begin = index % pieces_per_unit_ * kLinksPerPiece;
    const std::size_t end =
        std::min({begin + kLinksPerPiece, job_.grid.links.size(), job_.range.end - unit_row});
    try {
      const std::shared_ptr<const Case> shared = costs_of(unit);
      UnitRuns runs(*this, unit, *shared, buffers);
      for (std::size_t link = begin; link < end; ++link) {
        try {
          add_row(piece, runs.at(job_.grid.links[link]));
        } catch (const SpecError& error) {
          add_failure(piece, unit, link, error);
        }
      }
      if (begin <= fastest_link_ && fastest_link_ < end) look_beyond(piece, runs, begin);
    } catch (const SpecError& error) {
      for (std::size_t link = begin; link < end; ++link) add_failure(piece, unit, link, error);
    }
  }

  /// One unit at one link after the other.
  class UnitRuns {
   public:
    UnitRuns(const Runner& runner, const SweepUnit& unit, const Case& shared, CaseBuffers& buffers)
        : options_(options_at(runner.job_, unit)),
          schedule_(*runner.job_.grid.schedules[unit.schedule]),
          case_(shared),
          buffers_(buffers) {
      options_.memory = runner.job_.grid.memories[unit.memory];
      case_.budget = budget_of(options_, case_.hardware);
      case_.inputs.memory = case_.budget;
      case_.inputs.memory_given = options_.memory.has_value();
      options_.far_memory = runner.job_.grid.far_memories[unit.far_memory];
      case_.far_capacity = far_capacity_of(options_, case_.hardware);
      case_.inputs.far_memory = case_.far_capacity;
      case_.inputs.far_memory_given = options_.far_memory.has_value();
      case_.inputs.network = runner.job_.inputs.network_names[unit.network];
      case_.inputs.hardware = runner.job_.inputs.hardware_names[unit.hardware];
    }

    RunReport at(std::optional<BytesPerSecond> link) {
      case_.inputs.link = case_.transfers.link = link;
      estimate_transfers_into(case_.costs.transfers, case_.costs.tensor_bytes, case_.hardware,
                              case_.transfers);
      const bool may_block = case_.allocator == Allocator::kCaching;
      if (!run_ || schedule_.is(Trait::kPlansForLink) || run_->rounds || run_->devices || may_block)
        run_.emplace(plan_case(case_, schedule_, buffers_));
      simulate_case(case_, *run_, buffers_);
      return report_case(case_, schedule_, *run_, Detail::kTotals);
    }

   private:
    CaseOptions options_;
    const Schedule& schedule_;
    Case case_;
    CaseBuffers& buffers_;
    std::optional<CaseRun> run_;
  };

  void add_row(Piece& piece, const RunReport& report) const {
    std::string text;
    if (is_wanted(piece)) job_.format.row(text, report);
    Row row{.time = link_time(report), .lacks = {}};
    if (report.out_of_memory) row.lacks = lack_of(*report.out_of_memory);
    add(piece, text, std::move(row));
  }

  void add_failure(Piece& piece, const SweepUnit& unit, std::size_t link,
                   const SpecError& error) const {
    CaseOptions options = options_at(job_, unit);
    options.memory = job_.grid.memories[unit.memory];
    options.far_memory = job_.grid.far_memories[unit.far_memory];
    options.transfers.link = job_.grid.links[link];
    RunInputs inputs = inputs_of(job_.inputs.workloads[unit.network],
                                 job_.inputs.machines[unit.hardware].profile, options);
    inputs.network = job_.inputs.network_names[unit.network];
    inputs.hardware = job_.inputs.hardware_names[unit.hardware];
    inputs.schedule = job_.grid.schedules[unit.schedule]->name;
    std::string text;
    if (is_wanted(piece)) job_.format.failure(text, inputs, error.what());
    add(piece, text,
        {.time = {}, .lacks = {}, .failure = std::make_shared<const SpecError>(error)});
  }

  /// The next row of the piece: one that is there already is only worked out for the knee of its unit.
  [[nodiscard]] bool is_wanted(const Piece& piece) const {
    return piece.first_row + piece.rows.size() >= first_row_;
  }

  void add(Piece& piece, std::string_view text, Row row) const {
    const std::lock_guard lock(piece.filling);
    row.wanted = is_wanted(piece);
    if (!piece.text.empty()) piece.text += job_.format.between;
    piece.text += text;
    piece.rows.push_back(std::move(row));
  }

  /// One run more where the fastest link of the list leaves too much to wait for: what an infinite one
  /// would leave tells why.
  void look_beyond(Piece& piece, UnitRuns& runs, std::size_t begin) const {
    const std::vector<std::optional<BytesPerSecond>>& links = job_.grid.links;
    if (links.size() < 2 || *links[fastest_link_] == kInfiniteRate) return;
    const LinkTime& fastest = piece.rows[fastest_link_ - begin].time;
    if (!fastest.feasible || within(fastest, 1)) return;
    try {
      piece.at_infinite_link = link_time(runs.at(kInfiniteRate));
    } catch (const SpecError&) {
      return;  // no row needs it
    }
  }

  std::shared_ptr<const Case> costs_of(const SweepUnit& unit) {
    const std::shared_ptr<SharedCosts> costs = shared_costs(unit.costs);
    const std::lock_guard lock(costs->making);
    if (costs->error) std::rethrow_exception(costs->error);
    if (!costs->made) {
      try {
        costs->made = std::make_shared<const Case>(make_case(job_.inputs.workloads[unit.network],
                                                             job_.inputs.machines[unit.hardware],
                                                             options_at(job_, unit)));
      } catch (const SpecError&) {
        costs->error = std::current_exception();
        throw;
      }
    }
    return costs->made;
  }

  /// Kept from the first piece that asks to the last: as many at a time as the window reaches over.
  std::shared_ptr<SharedCosts> shared_costs(std::size_t index) {
    const std::lock_guard lock(mutex_);
    UsedCosts& used = costs_[index];
    if (!used.costs) used.costs = std::make_shared<SharedCosts>();
    std::shared_ptr<SharedCosts> costs = used.costs;
    if (++used.pieces == units_per_costs_ * pieces_per_unit_) costs_.erase(index);
    return costs;
  }

  void write_in_order() {
    std::vector<LinkTime> unit_times;
    std::optional<LinkTime> at_infinite_link;
    for (std::size_t index = first_piece_; index < end_piece_; ++index) {
      Piece& slot = window_[index % window_.size()];
      bool stop = false;
      {
        std::unique_lock lock(mutex_);
        // A signal handler cannot notify: look for a stop now and then.
        while (!finished_.wait_for(lock, 50ms, [&] { return slot.done; })) {
          if (sink_.stop()) break;
        }
        stop = sink_.stop();
        summary_.stopped = !slot.done || (stop && sink_.takes_rows_ahead);
        if (summary_.stopped) return;
      }
      if (slot.error) std::rethrow_exception(slot.error);
      for (const Row& row : slot.rows) unit_times.push_back(row.time);
      if (slot.at_infinite_link) at_infinite_link = slot.at_infinite_link;
      const std::size_t links = job_.grid.links.size();
      if (unit_times.size() == links) {
        // Before its last rows are written: who goes on behind them has the knee.
        if (links > 1) {
          summary_.knees.push_back(find_knee({.unit = index / pieces_per_unit_,
                                              .links = job_.grid.links,
                                              .times = unit_times,
                                              .at_infinite_link = at_infinite_link}));
        }
        unit_times.clear();
        at_infinite_link.reset();
      }
      write_rows(slot);
      make_room(index);
      summary_.stopped = stop && index + 1 < end_piece_;
      if (summary_.stopped) return;
    }
  }

  /// The piece is written: its place is for the next.
  void make_room(std::size_t index) {
    Piece& slot = window_[index % window_.size()];
    const std::lock_guard lock(mutex_);
    slot.text.clear();
    slot.rows.clear();
    slot.at_infinite_link.reset();
    slot.done = false;
    written_ = index + 1;
    room_.notify_all();
  }

  /// Behind a stop: rows that were finished ahead of others, and those of pieces under way.
  void write_what_is_there() {
    for (std::size_t index = written_; index < next_; ++index) {
      Piece& slot = window_[index % window_.size()];
      const std::lock_guard lock(slot.filling);
      // Whoever goes on behind the end of a unit finds no knee there.
      const bool ends_unit = (slot.first_row + slot.rows.size()) % job_.grid.links.size() == 0;
      if (!slot.rows.empty() && (sink_.takes_rows_ahead || !ends_unit)) write_rows(slot);
      if (!sink_.takes_rows_ahead) return;
    }
  }

  void write_rows(const Piece& piece) {
    const std::string_view before = summary_.rows > 0 ? job_.format.between : "";
    for (const Row& row : piece.rows) {
      if (!row.wanted) continue;
      ++summary_.rows;
      summary_.fitting += row.time.feasible ? 1 : 0;
      if (!row.lacks.empty()) ++summary_.lacking[std::string(row.lacks)];
      if (!row.failure) continue;
      if (summary_.failed++ == 0) summary_.first_failure = row.failure;
    }
    if (before.empty() || piece.text.empty()) {
      sink_.write(piece.text, summary_);
    } else {
      sink_.write(std::string(before) + piece.text, summary_);
    }
  }

  void end_work() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    room_.notify_all();
  }

  const SweepJob job_;
  const SweepSink& sink_;
  std::size_t fastest_link_;
  std::size_t pieces_per_unit_;
  std::size_t first_row_;    ///< that is not there yet
  std::size_t first_piece_;  ///< of its unit, whose knee takes them all
  std::size_t end_piece_;
  std::size_t units_per_costs_;
  SweepSummary summary_;

  std::mutex mutex_;
  std::condition_variable room_;      ///< for workers: the window moved, or it is over
  std::condition_variable finished_;  ///< for the writer: a piece is done
  struct UsedCosts {
    std::shared_ptr<SharedCosts> costs;
    std::size_t pieces = 0;  ///< that have asked for them
  };
  std::map<std::size_t, UsedCosts> costs_;
  std::vector<Piece> window_;
  std::size_t next_;     ///< piece that nobody has taken
  std::size_t written_;  ///< pieces handed out
  bool ended_ = false;
};

}  // namespace

SweepSummary run_sweep(const SweepJob& job, const SweepSink& sink) {
  OOC_CHECK(job.threads > 0, "somebody works");
  return std::make_shared<Runner>(job, sink)->run();
}

}  // namespace ooc
