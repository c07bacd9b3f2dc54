#include "sim/toml_keys.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/byte_size.h"
#include "base/did_you_mean.h"

namespace xsched::sim {
namespace {

// Largest number allowed in a file: sums and products of a few such numbers still fit a double.
constexpr double kMostNumber = 1e18;
constexpr int64_t kMostBytes = INT64_C(1) << 48;  // as in ipc/device_memory.h
constexpr size_t kMostInList = 1024;  // safety: more numbers describe no distribution better

}  // namespace

const toml::node* TomlKeys::take(const std::string& key) {
    known_.insert(key);
    return table_.get(key);
}

void TomlKeys::fail(const std::string& what) const {
    throw std::runtime_error(file_ + ":" + std::to_string(table_.source().begin.line) + ": " + what);
}

double TomlKeys::as_number(const toml::node& node, const std::string& key) const {
    const std::optional<double> value = node.value<double>();
    if (!value || !node.is_number() || !std::isfinite(*value)) fail("\"" + key + "\" is to be a number");
    if (std::abs(*value) > kMostNumber) fail("\"" + key + "\" is to be a number of 1e18 at most");
    return *value;
}

double TomlKeys::number(const char* key, double fallback) {
    const toml::node* node = take(key);
    return node != nullptr ? as_number(*node, key) : fallback;
}

int64_t TomlKeys::whole(const char* key, int64_t fallback, int64_t least, int64_t most) {
    const double value = number(key, static_cast<double>(fallback));
    if (value != std::floor(value) || value < static_cast<double>(least) || value > static_cast<double>(most))
        fail(std::string("\"") + key + "\" is to be a whole number from " + std::to_string(least) + " to " +
             std::to_string(most));
    return static_cast<int64_t>(value);
}

std::string TomlKeys::text(const char* key, const std::string& fallback) {
    const toml::node* node = take(key);
    if (node == nullptr) return fallback;
    const std::optional<std::string> value = node->value<std::string>();
    if (!value) fail(std::string("\"") + key + "\" is to be a text in quotes");
    return *value;
}

uint64_t TomlKeys::bytes(const char* key, uint64_t fallback) {
    const toml::node* node = take(key);
    if (node == nullptr) return fallback;
    if (!node->is_string()) return static_cast<uint64_t>(whole(key, 0, 0, kMostBytes));
    const std::string size = base::read_byte_size(*node->value<std::string>());
    char* end = nullptr;
    const uint64_t bytes = std::strtoull(size.c_str(), &end, 10);
    if (end == size.c_str() || *end != '\0' || bytes > static_cast<uint64_t>(kMostBytes))
        fail(std::string("\"") + key + "\" is to be a size such as \"20GiB\", 256 TiB at most");
    return bytes;
}

Range TomlKeys::range(const char* key, Range fallback, double unit) {
    const toml::node* node = take(key);
    if (node == nullptr) return fallback;
    const auto scaled = [&](const toml::node& value) {
        return static_cast<int64_t>(std::llround(as_number(value, key) * unit));
    };
    Range range{};
    if (const toml::array* both = node->as_array()) {
        if (both->size() < 2 || both->size() > kMostInList)
            fail(std::string("\"") + key + "\" is to be a number, [least, most] or up to " +
                 std::to_string(kMostInList) + " numbers");
        for (const toml::node& number : *both) range.between.push_back(scaled(number));
        range.least = range.between.front();
        range.most = range.between.back();
        if (!std::is_sorted(range.between.begin(), range.between.end()))
            fail(std::string("\"") + key + "\" is to ascend from its least to its most");
        if (range.between.size() == 2) range.between.clear();
    } else {
        range = {scaled(*node), scaled(*node)};
    }
    if (range.least < 0 || range.most < range.least || range.most > 1'000'000'000'000'000)
        fail(std::string("\"") + key + "\" is to be 0 or more, and its least not above its most");
    return range;
}

std::optional<TomlKeys::Timed> TomlKeys::find_time(const char* stem) {
    std::optional<Timed> found;
    for (const auto& [suffix, unit] : {std::pair{"_s", 1e9}, std::pair{"_ms", 1e6}, std::pair{"_us", 1e3}}) {
        const std::string key = std::string(stem) + suffix;
        known_.insert(key);
        if (!table_.contains(key)) continue;
        if (found) fail("both \"" + found->key + "\" and \"" + key + "\": choose one");
        found = Timed{key, unit};
    }
    return found;
}

int64_t TomlKeys::time_ns(const char* stem, int64_t fallback_ns) {
    const Range times = times_ns(stem, {fallback_ns, fallback_ns});
    if (times.least != times.most) fail(std::string("\"") + stem + "\" is to be one time");
    return times.least;
}

Range TomlKeys::times_ns(const char* stem, Range fallback) {
    const std::optional<Timed> found = find_time(stem);
    return found ? range(found->key.c_str(), fallback, found->unit) : fallback;
}

const toml::table* TomlKeys::sub(const char* key) {
    const toml::node* node = take(key);
    if (node == nullptr) return nullptr;
    if (!node->is_table()) fail(std::string("\"") + key + "\" is to be a table");
    return node->as_table();
}

const toml::array* TomlKeys::list(const char* key) {
    const toml::node* node = take(key);
    if (node == nullptr) return nullptr;
    if (!node->is_array()) fail(std::string("\"") + key + "\" is to be a list");
    return node->as_array();
}

std::vector<TomlKeys> TomlKeys::tables(const char* key, const char* what) {
    const toml::array* nodes = list(key);
    if (nodes == nullptr || nodes->empty()) fail(std::string(what) + " has [[" + key + "]] tables");
    std::vector<TomlKeys> tables;
    for (const toml::node& node : *nodes) {
        if (!node.is_table()) fail(std::string("\"") + key + "\" is to be a [[" + key + "]] table");
        tables.emplace_back(*node.as_table(), file_);
    }
    return tables;
}

void TomlKeys::nothing_else() const {
    for (const auto& [key, node] : table_) {
        const std::string name(key.str());
        if (known_.contains(name)) continue;
        std::string others;
        for (const std::string& other : known_) others += (others.empty() ? "" : ", ") + other;
        throw std::runtime_error(file_ + ":" + std::to_string(key.source().begin.line) + ": \"" + name +
                                 "\" means nothing here" + base::meant({known_.begin(), known_.end()}, name) +
                                 "; known are " + others);
    }
}

namespace {

[[noreturn]] void fail(const toml::parse_error& error, const std::string& name) {
    const auto line = error.source().begin.line;  // 0: of no line, for example no file
    throw std::runtime_error(name + (line != 0 ? ":" + std::to_string(line) : "") + ": " +
                             std::string(error.description()));
}

}  // namespace

toml::table parse_toml_file(const std::string& path) {
    try {
        return toml::parse_file(path);
    } catch (const toml::parse_error& error) {
        fail(error, path);
    }
}

toml::table parse_toml(const std::string& text, const std::string& name) {
    try {
        return toml::parse(text, name);
    } catch (const toml::parse_error& error) {
        fail(error, name);
    }
}

}  // namespace xsched::sim
