// Reads one table of a TOML file key by key. An unknown key is an error with its line. Any thread.
#pragma once

#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/toml_library.h"
#include "sim/random.h"

namespace xsched::sim {

class TomlKeys {
public:
    TomlKeys(const toml::table& table, std::string file) : table_(table), file_(std::move(file)) {}

    bool has(const char* key) const { return table_.contains(key); }
    double number(const char* key, double fallback);
    int64_t whole(const char* key, int64_t fallback, int64_t least, int64_t most);
    std::string text(const char* key, const std::string& fallback);
    // Reads a number, [least, most], or an ascending list (Range::between), in units of `unit`.
    Range range(const char* key, Range fallback, double unit);
    // Reads a number of bytes: a size as text ("20GiB"), or a number.
    uint64_t bytes(const char* key, uint64_t fallback);
    // Reads a time in nanoseconds. The key is `stem` with _s, _ms or _us behind it, which is the unit.
    int64_t time_ns(const char* stem, int64_t fallback_ns);
    Range times_ns(const char* stem, Range fallback);
    const toml::table* sub(const char* key);
    const toml::array* list(const char* key);
    // Reads the [[key]] tables, of which there must be at least one. `what`: the thing that needs one, for the
    // message ("a workload").
    std::vector<TomlKeys> tables(const char* key, const char* what);
    // Call it last.
    void nothing_else() const;
    [[noreturn]] void fail(const std::string& what) const;
    const std::string& file() const { return file_; }

private:
    struct Timed {
        std::string key;
        double unit = 0;
    };
    std::optional<Timed> find_time(const char* stem);
    const toml::node* take(const std::string& key);
    double as_number(const toml::node& node, const std::string& key) const;

    const toml::table& table_;
    std::string file_;
    std::set<std::string> known_;
};

// Parses a file or a text; throws std::runtime_error with the file and the line.
toml::table parse_toml_file(const std::string& path);
toml::table parse_toml(const std::string& text, const std::string& name);

}  // namespace xsched::sim
