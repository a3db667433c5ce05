// Threads take pieces in order from a counter; pieces wait in a window for their turn, and a thread that
// is a whole window ahead waits, so that memory stays bounded however long the sweep. Every row is in the
// window as soon as it is finished, so that a stop finds those that come next there.
#include "simulator/predict/sweep.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace ooc {

std::shared_ptr<const Case> make_costs(const SweepGrid& grid, const SweepInputs& inputs,
                                       std::size_t row) {
  const SweepPlace place = grid.place_at(row);
  // Without the prices of copies: what is wrong with this row's is not wrong with all.
  return std::make_shared<const Case>(make_case(workload_at(grid, inputs, place),
                                                machine_at(grid, inputs, place),
                                                options_at(grid, inputs, place, AxisLevel::kPlan)));
}

const RunReport& SweepWorker::at(std::size_t row) {
  const std::size_t costs = row / grid_.rows_sharing(AxisLevel::kCosts);
  const std::size_t unit = row / grid_.rows_of_unit();
  const SweepPlace place = grid_.place_at(row);
  if (costs_at_ != costs) {
    costs_at_.reset();
    unit_at_.reset();
    run_.reset();
    case_.emplace(*costs_(row));
    costs_at_ = costs;
  }
  if (unit_at_ != unit) {
    run_.reset();
    options_ = options_at(grid_, inputs_, place);
    ask_budgets(options_, *case_);
    name_row(grid_, inputs_, place, case_->inputs);
    unit_at_ = unit;
  } else {
    apply_prices(grid_, place, options_);
  }
  ask_prices(options_, *case_);
  if (!run_) run_.emplace(*case_, schedule_at(grid_, place), Detail::kTotals);
  return run_->row();
}

namespace {

using namespace std::chrono_literals;

/// What became of one row.
struct Row {
  bool feasible = false;
  bool within_1_percent = false;                  ///< of the reference
  bool within_5_percent = false;                  ///< likewise
  std::string_view lacks;                         ///< where it does not fit
  std::shared_ptr<const SpecError> failure = {};  ///< where it could not be worked out
};

struct Piece {
  std::mutex filling;  ///< of text and rows
  std::string text;
  std::string page;
  std::vector<Row> rows;
  std::exception_ptr error;
  bool done = false;
};

/// The costs of some rows, made by whoever needs them first.
struct SharedCosts {
  std::mutex making;
  std::shared_ptr<const Case> made;
  std::exception_ptr error;  ///< they cannot be made
};

std::string_view lack_of(const OutOfMemory& oom) {
  if (oom.tier == OutOfMemory::Tier::kFar) return "far memory";
  return oom.free >= oom.wanted ? "near memory in one piece" : "near memory";
}

void note_slowest(std::optional<BytesPerSecond>& slowest, BytesPerSecond link) {
  if (!slowest || link < *slowest) slowest = link;
}

/// Its threads share it: one that is in the middle of a row may outlive the call.
class Runner : public std::enable_shared_from_this<Runner> {
 public:
  Runner(const SweepJob& job, const SweepSink& sink)
      : job_(job),
        sink_(sink),
        pieces_per_unit_((job.grid.rows_of_unit() + kRowsPerPiece - 1) / kRowsPerPiece),
        first_piece_(piece_of(job.range.begin)),
        end_piece_(job.range.size() == 0 ? first_piece_ : piece_of(job.range.end - 1) + 1),
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
      write_what_comes_next();
    }
    return std::move(summary_);
  }

 private:
  void work() {
    SweepWorker runner(job_.grid, job_.inputs, [this](std::size_t row) { return costs_of(row); });
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
        fill(piece, rows_of(index), runner);
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
    const std::size_t rows = job_.grid.rows_of_unit();
    return row / rows * pieces_per_unit_ + row % rows / kRowsPerPiece;
  }

  /// Those of them that are wanted.
  [[nodiscard]] RowRange rows_of(std::size_t piece) const {
    const std::size_t unit = piece / pieces_per_unit_ * job_.grid.rows_of_unit();
    const std::size_t begin = piece % pieces_per_unit_ * kRowsPerPiece;
    const std::size_t end = std::min(begin + kRowsPerPiece, job_.grid.rows_of_unit());
    return {.begin = std::max(unit + begin, job_.range.begin),
            .end = std::min(unit + end, job_.range.end)};
  }

  void fill(Piece& piece, const RowRange& rows, SweepWorker& runner) const {
    std::string text;
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      try {
        add(piece, row, runner.at(row), nullptr, text);
      } catch (const SpecError& error) {
        RunReport asked;
        asked.inputs = inputs_at(job_.grid, job_.inputs, row);
        add(piece, row, asked, std::make_shared<const SpecError>(error), text);
      }
    }
  }

  /// `text`: to reuse its memory.
  void add(Piece& piece, std::size_t row, const RunReport& report,
           std::shared_ptr<const SpecError> failure, std::string& text) const {
    const auto error = failure ? std::optional<std::string_view>(failure->what()) : std::nullopt;
    text.clear();
    if (row >= job_.range.begin + job_.there) job_.format.row(text, report, error);
    std::string page;
    if (job_.page != nullptr) job_.page(page, report, error);
    const std::lock_guard lock(piece.filling);
    if (!piece.rows.empty()) {
      piece.text += job_.format.between;
      piece.page += ',';
    }
    piece.text += text;
    piece.page += page;
    piece.rows.push_back(
        {.feasible = report.feasible,
         .within_1_percent = is_within(report, 1),
         .within_5_percent = is_within(report, 5),
         .lacks = report.out_of_memory ? lack_of(*report.out_of_memory) : std::string_view(),
         .failure = std::move(failure)});
  }

  std::shared_ptr<const Case> costs_of(std::size_t row) {
    const std::shared_ptr<SharedCosts> costs = shared_costs(costs_place(row));
    const std::lock_guard lock(costs->making);
    if (costs->error) std::rethrow_exception(costs->error);
    if (!costs->made) {
      try {
        costs->made = make_costs(job_.grid, job_.inputs, row);
      } catch (const SpecError&) {
        costs->error = std::current_exception();
        throw;
      }
    }
    return costs->made;
  }

  [[nodiscard]] std::size_t costs_place(std::size_t row) const {
    return row / job_.grid.rows_sharing(AxisLevel::kCosts);
  }

  /// Kept until their last row is written: as many at a time as the window reaches over.
  std::shared_ptr<SharedCosts> shared_costs(std::size_t place) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<SharedCosts>& costs = costs_[place];
    if (!costs) costs = std::make_shared<SharedCosts>();
    return costs;
  }

  void write_in_order() {
    for (std::size_t index = first_piece_; index < end_piece_; ++index) {
      Piece& slot = window_[index % window_.size()];
      {
        std::unique_lock lock(mutex_);
        // A signal handler cannot notify: look for a stop now and then.
        while (!finished_.wait_for(lock, 50ms, [&] { return slot.done; })) {
          if (sink_.stop()) break;
        }
        summary_.stopped = !slot.done || sink_.stop();
        if (summary_.stopped) return;
      }
      if (slot.error) std::rethrow_exception(slot.error);
      find_knees(slot, index);
      write_rows(slot);
      make_room(index);
    }
  }

  void find_knees(const Piece& piece, std::size_t index) {
    if (job_.grid.rows_of_line() < 2) return;
    std::size_t row = rows_of(index).begin;
    const AxisValues& links = job_.grid.lists().of("--link");
    for (const Row& each : piece.rows) {
      const std::size_t link = row % links.size();
      if (link == 0) knee_ = {.row = row};
      ++row;
      if (!knee_) continue;  // the line began before the rows that are wanted
      const BytesPerSecond rate(links[link]);
      if (each.within_1_percent) note_slowest(knee_->within_1_percent, rate);
      if (each.within_5_percent) note_slowest(knee_->within_5_percent, rate);
      if (link + 1 < links.size()) continue;
      ++summary_.knees_in_all;
      if (summary_.knees.size() < job_.most_knees) summary_.knees.push_back(*knee_);
    }
  }

  /// The piece is written: its place is for the next.
  void make_room(std::size_t index) {
    Piece& slot = window_[index % window_.size()];
    const std::lock_guard lock(mutex_);
    slot.text.clear();
    slot.page.clear();
    slot.rows.clear();
    slot.done = false;
    written_ = index + 1;
    const std::size_t next = written_ < end_piece_ ? rows_of(written_).begin : job_.grid.rows();
    costs_.erase(costs_.begin(), costs_.lower_bound(costs_place(next)));
    room_.notify_all();
  }

  /// Behind a stop: the rows that are finished of the piece whose turn it is.
  void write_what_comes_next() {
    if (written_ == next_) return;
    Piece& slot = window_[written_ % window_.size()];
    const std::lock_guard lock(slot.filling);
    if (!slot.rows.empty()) write_rows(slot);
  }

  void write_rows(const Piece& piece) {
    const bool is_first = summary_.rows == 0;
    summary_.rows += piece.rows.size();
    for (const Row& row : piece.rows) {
      summary_.fitting += row.feasible ? 1 : 0;
      if (!row.lacks.empty()) ++summary_.lacking[std::string(row.lacks)];
      if (!row.failure) continue;
      if (summary_.failed++ == 0) summary_.first_failure = row.failure;
    }
    const bool joins = !is_first && !job_.format.between.empty();
    sink_.write(joins ? std::string(job_.format.between) + piece.text : piece.text, summary_);
    if (sink_.page) sink_.page(is_first ? piece.page : "," + piece.page);
  }

  void end_work() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    room_.notify_all();
  }

  SweepJob job_;
  const SweepSink& sink_;
  std::size_t pieces_per_unit_;
  std::size_t first_piece_;
  std::size_t end_piece_;
  SweepSummary summary_;
  std::optional<Knee> knee_;  ///< of the line that is being written

  std::mutex mutex_;
  std::condition_variable room_;      ///< for workers: the window moved, or it is over
  std::condition_variable finished_;  ///< for the writer: a piece is done
  std::map<std::size_t, std::shared_ptr<SharedCosts>> costs_;
  std::vector<Piece> window_;
  std::size_t next_;     ///< piece that nobody has taken
  std::size_t written_;  ///< pieces handed out
  bool ended_ = false;
};

}  // namespace

// Exact in 128 bit: of whole nanoseconds, time <= reference x (100 + p) / 100 is time <= what is left of that without
// its fraction.
bool is_within(const RunReport& report, int percent) {
  const Int128 most = Int128{report.reference_time.count()} * (100 + percent) / 100;
  return report.feasible && report.iteration_time.count() <= most;
}

SweepSummary run_sweep(const SweepJob& job, const SweepSink& sink) {
  OOC_CHECK(job.threads > 0, "somebody works");
  return std::make_shared<Runner>(job, sink)->run();
}

}  // namespace ooc
