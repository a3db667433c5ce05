// The one file that knows SQLite. Rows and the state behind them are one transaction, so that a kill leaves both or
// neither; the database waits for no disk in between, which would be needed only against a power cut.
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <system_error>

#include "cli/interrupt.hpp"
#include "cli/sweep/identity.hpp"
#include "cli/sweep/row_store.hpp"
#include "cli/sweep/sha256.hpp"
#include "cli/sweep/sqlite_rows.hpp"
#include "model/base/errors.hpp"
#include "model/base/json_writer.hpp"

namespace ooc {
namespace {

enum class Access { kRead, kWrite };

class Database {
 public:
  Database(std::string path, Access access) : path_(std::move(path)) {
    const int flags = access == Access::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    const int code = sqlite3_open_v2(path_.c_str(), &handle_, flags, nullptr);
    // Somebody may be reading what there is so far: they are waited for, unless we are to end.
    if (code == SQLITE_OK) sqlite3_busy_handler(handle_, &wait_for_readers, nullptr);
    if (code != SQLITE_OK) fail();
  }
  ~Database() { close_quietly(); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql) {
    if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
  }
  void close() {
    if (sqlite3_close(handle_) != SQLITE_OK) fail();
    handle_ = nullptr;
  }
  [[nodiscard]] sqlite3* handle() const { return handle_; }
  [[noreturn]] void fail() {
    const std::string text = path_ + ": " + sqlite3_errmsg(handle_);
    close_quietly();
    throw std::runtime_error(text);
  }

 private:
  static int wait_for_readers(void*, int) {
    sqlite3_sleep(20);
    return InterruptGuard::interrupted() ? 0 : 1;
  }
  void close_quietly() {
    sqlite3_close_v2(handle_);
    handle_ = nullptr;
  }

  std::string path_;
  sqlite3* handle_ = nullptr;
};

class SqliteStatement {
 public:
  SqliteStatement(Database& database, const std::string& sql) : database_(database) {
    if (sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &handle_, nullptr) != SQLITE_OK) {
      database.fail();
    }
  }
  ~SqliteStatement() { sqlite3_finalize(handle_); }
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;

  /// The text lives until run() returns.
  void bind(int place, const SqliteValue& value) {
    int code = SQLITE_OK;
    switch (value.type) {
      case SqliteValue::Type::kNull:
        code = sqlite3_bind_null(handle_, place);
        break;
      case SqliteValue::Type::kInteger:
        code = sqlite3_bind_int64(handle_, place, value.integer);
        break;
      case SqliteValue::Type::kReal:
        code = sqlite3_bind_double(handle_, place, value.real);
        break;
      case SqliteValue::Type::kText:
        code = sqlite3_bind_text64(handle_, place, value.text.data(), value.text.size(),
                                   SQLITE_STATIC, SQLITE_UTF8);
        break;
    }
    if (code != SQLITE_OK) database_.fail();
  }
  void bind_text(int place, std::string_view text) {
    bind(place, {.type = SqliteValue::Type::kText, .text = text});
  }
  void bind_integer(int place, std::size_t number) {
    bind(place, {.type = SqliteValue::Type::kInteger,
                 .integer = static_cast<std::int64_t>(number),
                 .text = {}});
  }
  void run() {
    if (sqlite3_step(handle_) != SQLITE_DONE) database_.fail();
    sqlite3_reset(handle_);
  }
  /// Every row as an object.
  std::string json_rows() {
    std::string out;
    JsonWriter json(out, JsonLayout::kCompact);
    json.begin_list();
    int code = SQLITE_OK;
    while ((code = sqlite3_step(handle_)) == SQLITE_ROW) {
      json.begin_object();
      for (int i = 0; i < sqlite3_column_count(handle_); ++i) {
        json.key(sqlite3_column_name(handle_, i));
        switch (sqlite3_column_type(handle_, i)) {
          case SQLITE_INTEGER:
            json.value(std::int64_t{sqlite3_column_int64(handle_, i)});
            break;
          case SQLITE_FLOAT:
            json.value(sqlite3_column_double(handle_, i));
            break;
          case SQLITE_TEXT:
            json.value(std::string(reinterpret_cast<const char*>(sqlite3_column_text(handle_, i)),
                                   static_cast<std::size_t>(sqlite3_column_bytes(handle_, i))));
            break;
          default:
            json.value(nullptr);
        }
      }
      json.end();
    }
    if (code != SQLITE_DONE) database_.fail();
    json.end();
    return out;
  }
  /// The first column of every row.
  std::vector<std::string> texts() {
    std::vector<std::string> found;
    int code = SQLITE_OK;
    while ((code = sqlite3_step(handle_)) == SQLITE_ROW) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(handle_, 0));
      found.emplace_back(text == nullptr ? "" : text);
    }
    if (code != SQLITE_DONE) database_.fail();
    return found;
  }

 private:
  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
};

std::string column_list(const std::vector<SqliteColumn>& columns) {
  std::string list;
  for (const SqliteColumn& column : columns) {
    list += (list.empty() ? "" : ", ") + ('"' + column.name + "\" ") + std::string(column.type);
  }
  return list;
}

std::string places(std::size_t count) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) list += i == 0 ? "?" : ", ?";
  return list;
}

constexpr const char* kPointsView =
    "CREATE VIEW points AS SELECT results.*, n.sha256 AS network_sha256, "
    "h.sha256 AS hardware_sha256, f.sha256 AS framework_sha256, inputs_sha256, version, command "
    "FROM results JOIN run "
    "LEFT JOIN files n ON n.role = 'network' AND n.name = results.network "
    "LEFT JOIN files h ON h.role = 'hardware' AND h.name = results.hardware "
    "LEFT JOIN files f ON f.role = 'framework' AND f.name = results.framework "
    "ORDER BY point";

/// A word of a command line as a shell takes it.
std::string shell_word(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%^";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

void put_run(Database& database, const std::string& header, const std::string& path) {
  const SweepIdentity identity = read_identity(header, path);
  std::string all;
  SqliteStatement file(database, "INSERT INTO files VALUES (?, ?, ?)");
  for (const ReadFile& each : identity.files) {
    file.bind_text(1, each.role);
    file.bind_text(2, each.name);
    file.bind_text(3, each.sha256);
    file.run();
    all += each.sha256 + "  " + each.role + " " + each.name + "\n";
  }
  std::string command;
  for (const std::string& word : identity.tool.command) {
    command += (command.empty() ? "" : " ") + shell_word(word);
  }
  const std::string of_all = sha256(all);
  SqliteStatement run(database, "INSERT INTO run VALUES (?, ?, ?, ?)");
  run.bind_text(1, identity.tool.version);
  run.bind_text(2, command);
  run.bind_text(3, of_all);
  run.bind_text(4, header);
  run.run();
}

std::optional<KeptRun> run_in(const std::string& path, Access access) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  try {
    Database database(path, access);
    const std::vector<std::string> headers =
        SqliteStatement(database, "SELECT header FROM run").texts();
    if (headers.size() != 1) return KeptRun{};
    return KeptRun{
        .header = headers.front(),
        .states = SqliteStatement(database, "SELECT state FROM progress ORDER BY rowid").texts()};
  } catch (const std::runtime_error&) {
    return KeptRun{};  // no database, or none of ours
  }
}

class SqliteStore : public RowStore {
 public:
  explicit SqliteStore(const StoreFiles& files) : files_(files) {}

  std::optional<KeptRun> complete() override { return kept_database(files_.target); }
  /// What a kill left half done is undone on the way.
  std::optional<KeptRun> unfinished() override {
    struct stat status {};
    if (fstat(files_.lock, &status) != 0 || status.st_size == 0) return std::nullopt;
    return run_in(files_.part, Access::kWrite);
  }

  void begin(const std::string& header) override {
    discard();
    open();
    database_->run(
        "BEGIN; CREATE TABLE run(version TEXT, command TEXT, inputs_sha256 TEXT, header TEXT);"
        "CREATE TABLE files(role TEXT, name TEXT, sha256 TEXT, PRIMARY KEY (role, name));"
        "CREATE TABLE results(point INTEGER PRIMARY KEY, " +
        column_list(sqlite_result_columns()) + ");CREATE TABLE knees(" +
        column_list(sqlite_knee_columns()) + ");CREATE TABLE progress(state TEXT);" + kPointsView);
    put_run(*database_, header, files_.part);
    database_->run("COMMIT");
    prepare(read_identity(header, files_.part).range.begin);
  }

  void go_on(const KeptUpTo&) override {
    open();
    const SweepIdentity identity = read_identity(
        SqliteStatement(*database_, "SELECT header FROM run").texts().front(), files_.part);
    const std::string last =
        SqliteStatement(*database_, "SELECT max(point) FROM results").texts().front();
    prepare(last.empty() ? identity.range.begin : std::stoull(last) + 1);
  }

  void keep(std::string_view rows, const std::string& state) override {
    database_->run("BEGIN");
    while (!rows.empty()) {
      const bool is_result = take_sqlite_kind(rows) == kSqliteResult;
      SqliteStatement& statement = is_result ? *result_ : *knee_;
      int place = 0;
      if (is_result) statement.bind_integer(++place, next_point_++);
      const int end = place + static_cast<int>(is_result ? result_columns_ : knee_columns_);
      while (place < end) statement.bind(++place, take_sqlite_value(rows));
      statement.run();
    }
    state_->bind_text(1, state);
    state_->run();
    database_->run("COMMIT");
  }

  void add(std::string_view end) override { OOC_CHECK(end.empty(), "a database ends with rows"); }

  void take(const Taken& taken, const std::string& state) override {
    SqliteStatement attach(*database_, "ATTACH ? AS part");
    attach.bind_text(1, taken.file);
    attach.run();
    database_->run("BEGIN; INSERT INTO results SELECT * FROM part.results ORDER BY point");
    if (taken.knee) insert_knee(*taken.knee);
    database_->run("INSERT INTO knees SELECT * FROM part.knees ORDER BY rowid");
    state_->bind_text(1, state);
    state_->run();
    database_->run("COMMIT; DETACH part");
  }

  void discard() override {
    close();
    unlink((files_.part + "-journal").c_str());
    if (ftruncate(files_.lock, 0) != 0) fail(files_.part);
  }

  void finish() override {
    result_.reset(), knee_.reset(), state_.reset();
    database_->run("PRAGMA journal_mode = DELETE");
    database_->close();
    database_.reset();
    struct stat old {};
    const bool replaces = stat(files_.target.c_str(), &old) == 0;
    if (replaces && fchmod(files_.lock, old.st_mode & 07777) != 0) fail(files_.part);
    if (fsync(files_.lock) != 0) fail(files_.part);
    if (rename(files_.part.c_str(), files_.target.c_str()) != 0) fail(files_.target);
  }

 private:
  /// What it is the knee of, its first row says.
  void insert_knee(const Knee& knee) {
    SqliteStatement insert(*database_, std::string("INSERT INTO knees SELECT ") +
                                           sqlite_knee_keys() +
                                           ", ?, ?, ?, ? FROM results WHERE point = ?");
    const std::string row = sqlite_knee_values(knee);
    std::string_view values = row;
    int place = 0;
    while (!values.empty()) insert.bind(++place, take_sqlite_value(values));
    insert.bind_integer(++place, knee.row);
    insert.run();
  }

  [[noreturn]] static void fail(const std::string& path) {
    throw std::system_error(errno, std::generic_category(), path);
  }

  void open() {
    database_ = std::make_unique<Database>(files_.part, Access::kWrite);
    // Its journal stays, emptied, from one transaction to the next.
    database_->run("PRAGMA synchronous = OFF; PRAGMA journal_mode = TRUNCATE");
  }

  void close() {
    result_.reset(), knee_.reset(), state_.reset();
    database_.reset();
  }

  void prepare(std::size_t next_point) {
    result_columns_ = sqlite_result_columns().size();
    knee_columns_ = sqlite_knee_columns().size();
    result_ = std::make_unique<SqliteStatement>(
        *database_, "INSERT INTO results VALUES (" + places(result_columns_ + 1) + ")");
    knee_ = std::make_unique<SqliteStatement>(
        *database_, "INSERT INTO knees VALUES (" + places(knee_columns_) + ")");
    state_ = std::make_unique<SqliteStatement>(*database_, "INSERT INTO progress VALUES (?)");
    next_point_ = next_point;
  }

  StoreFiles files_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<SqliteStatement> result_;
  std::unique_ptr<SqliteStatement> knee_;
  std::unique_ptr<SqliteStatement> state_;
  std::size_t result_columns_ = 0;
  std::size_t knee_columns_ = 0;
  std::size_t next_point_ = 0;
};

}  // namespace

std::optional<KeptRun> kept_database(const std::string& path) {
  return run_in(path, Access::kRead);
}

std::string database_rows(const std::string& path) {
  std::string names;
  for (const SqliteColumn& column : sqlite_result_columns()) {
    names += (names.empty() ? "\"" : ", \"") + column.name + '"';
  }
  Database database(path, Access::kRead);
  return SqliteStatement(database, "SELECT " + names + " FROM results ORDER BY point").json_rows();
}

std::unique_ptr<RowStore> open_sqlite_store(const StoreFiles& files) {
  return std::make_unique<SqliteStore>(files);
}

}  // namespace ooc
