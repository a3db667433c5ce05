// A transaction a batch of rows; what a kill left half done SQLite undoes when the file is opened. SQLite turns texts of
// fields into the type of their column, in NUMERIC ones into whatever number they look like.
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "cli/sweep/row_file.hpp"
#include "model/base/errors.hpp"
#include "reports/writers/csv.hpp"
#include "simulator/summary/metrics.hpp"

namespace ooc {
namespace {

/// By the value that a report without options has there; NUMERIC if it has none.
std::string_view type_of(std::string_view name) {
  const auto column = std::ranges::find(metrics(), name, &Metric::name);
  if (column == metrics().end()) return "TEXT";
  RunReport ran;
  ran.feasible = true;
  const MetricValue value = column->read(ran);
  if (std::holds_alternative<std::string>(value)) return "TEXT";
  return std::holds_alternative<double>(value) ? "REAL" : "NUMERIC";
}

class SqliteFile : public RowFile {
 public:
  SqliteFile(const LockedFile& file, std::string_view head, std::size_t first)
      : file_(file), first_(first) {
    std::string places = "?";
    while (!head.empty()) {
      const std::string name = take_csv_field(head);
      names_.push_back('"' + name + '"');
      columns_ += fmt::format(", {} {}", names_.back(), type_of(name));
      places += ", ?";
    }
    columns_ = "points(point INTEGER PRIMARY KEY" + columns_ + ")";
    insert_ = "INSERT INTO points VALUES (" + places + ")";
    if (sqlite3_open(file_.path().c_str(), &database_) != SQLITE_OK) fail();
    // Somebody may be reading what there is so far: they are waited for. A signal ends that, too.
    sqlite3_busy_timeout(database_, std::numeric_limits<int>::max());
    run("PRAGMA synchronous = OFF");
  }
  ~SqliteFile() override { close(); }
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  std::size_t rows() override {
    const auto table = ask("SELECT name FROM sqlite_master");
    if (!table) return 0;
    if (!ask("SELECT 1 FROM sqlite_master WHERE sql = 'CREATE TABLE " + columns_ + "'")) {
      refuse_rows(file_, "with other tables", "a table `points` with the columns");
    }
    const std::string count = ask("SELECT count(*) FROM points").value_or("0");
    const std::string first = std::to_string(first_);
    const bool is_whole = *ask("SELECT ifnull(min(point), " + first + ") = " + first +
                               " AND ifnull(max(point) - min(point) + 1, 0) = count(*) "
                               "FROM points") == "1";
    if (!is_whole) {
      refuse_rows(file_, "with rows that lack others before them",
                  "rows one behind the other, the first of them " + first);
    }
    return std::stoull(count);
  }

  void check(std::size_t index, std::string_view row) override {
    if (!ask("SELECT name FROM sqlite_master")) return;
    const std::string point = std::to_string(first_ + index);
    run("CREATE TEMP TABLE expected" + columns_.substr(columns_.find('(')));
    prepare("INSERT INTO temp.expected" + insert_.substr(insert_.find(" VALUES")));
    insert(first_ + index, row);
    for (const std::string& name : names_) {
      const std::string both =
          " FROM points a JOIN temp.expected b USING (point) WHERE a." + name + " IS NOT b." + name;
      const auto found = ask("SELECT ifnull(a." + name + ", '')" + both);
      if (!found) continue;
      refuse_rows(
          file_,
          "with " + name.substr(1, name.size() - 2) + " " + in_quotes(*found) + " in row " + point,
          in_quotes(*ask("SELECT ifnull(b." + name + ", '')" + both)));
    }
    finalize();
    run("DROP TABLE temp.expected");
  }

  void go_on() override {
    next_ = first_ + rows();
    run("CREATE TABLE IF NOT EXISTS " + columns_);
    prepare(insert_);
  }

  void write(std::string_view rows) override {
    run("BEGIN");
    while (!rows.empty()) {
      const std::size_t end = rows.find('\n') + 1;
      insert(next_++, rows.substr(0, end));
      rows.remove_prefix(end);
    }
    run("COMMIT");
  }

 private:
  void close() {
    finalize();
    sqlite3_close_v2(std::exchange(database_, nullptr));
  }
  void finalize() { sqlite3_finalize(std::exchange(statement_, nullptr)); }

  [[noreturn]] void fail() {
    const std::string found = in_quotes(file_.name()) + ": " + sqlite3_errmsg(database_);
    close();  // a constructor that throws runs no destructor
    bad_value("--output", found, "a database that can be written");
  }
  void run(const std::string& sql) {
    if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
  }
  void prepare(const std::string& sql) {
    finalize();
    if (sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK) fail();
  }
  /// The first value of the answer, if it has a row.
  std::optional<std::string> ask(const std::string& sql) {
    std::optional<std::string> found;
    const auto take = [](void* to, int, char** values, char**) {
      auto& text = *static_cast<std::optional<std::string>*>(to);
      if (!text) text = values[0] == nullptr ? "" : values[0];
      return 0;
    };
    if (sqlite3_exec(database_, sql.c_str(), take, &found, nullptr) != SQLITE_OK) fail();
    return found;
  }

  /// What CSV has no way to say, no value, is an empty field there.
  void bind(int place, const std::string& field) {
    if (field.empty()) {
      sqlite3_bind_null(statement_, place);
    } else if (field == "true" || field == "false") {
      sqlite3_bind_int(statement_, place, field == "true" ? 1 : 0);
    } else if (field == "1e308") {  // an infinite rate
      sqlite3_bind_double(statement_, place, std::numeric_limits<double>::infinity());
    } else {
      // The mark of a text that spreadsheets would take for a formula.
      const std::size_t mark = field.front() == '\'' ? 1 : 0;
      sqlite3_bind_text(statement_, place, field.data() + mark,
                        static_cast<int>(field.size() - mark), SQLITE_TRANSIENT);
    }
  }

  void insert(std::size_t point, std::string_view line) {
    sqlite3_bind_int64(statement_, 1, static_cast<std::int64_t>(point));
    for (std::size_t i = 0; i < names_.size(); ++i) {
      bind(static_cast<int>(i) + 2, take_csv_field(line));
    }
    if (sqlite3_step(statement_) != SQLITE_DONE) fail();
    sqlite3_reset(statement_);
  }

  const LockedFile& file_;
  std::size_t first_;
  std::vector<std::string> names_;
  std::string columns_;
  std::string insert_;
  sqlite3* database_ = nullptr;
  sqlite3_stmt* statement_ = nullptr;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<RowFile> open_sqlite_file(const LockedFile& file, std::string_view head,
                                          std::size_t first) {
  return std::make_unique<SqliteFile>(file, head, first);
}

}  // namespace ooc
