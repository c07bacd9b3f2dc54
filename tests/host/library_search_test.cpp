// The dynamic linker's cache as a place to find a library in: well-formed, for other machines, cut off, and garbage.
#include "host/library_search.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace xsched::stream {
namespace {

#ifdef __aarch64__
constexpr int32_t kOurs = 0x0a03;
constexpr int32_t kOther = 0x0303;
#else
constexpr int32_t kOurs = 0x0303;
constexpr int32_t kOther = 0x0a03;
#endif

struct Entry {
    int32_t flags;
    const char* name;
    const char* path;
};

void put(std::string& bytes, const void* value, size_t size) { bytes.append(static_cast<const char*>(value), size); }

// Returns the bytes of a library cache as ldconfig writes it: header, entries, strings; offsets count from the
// header.
std::string cache(const std::vector<Entry>& entries) {
    std::string strings;
    std::string table;
    const auto start = static_cast<uint32_t>(48 + entries.size() * 24);
    for (const Entry& entry : entries) {
        const uint32_t name = start + static_cast<uint32_t>(strings.size());
        strings.append(entry.name).push_back('\0');
        const uint32_t path = start + static_cast<uint32_t>(strings.size());
        strings.append(entry.path).push_back('\0');
        const uint32_t version = 0;
        const uint64_t hwcap = 0;
        put(table, &entry.flags, 4);
        put(table, &name, 4);
        put(table, &path, 4);
        put(table, &version, 4);
        put(table, &hwcap, 8);
    }
    std::string bytes = "glibc-ld.so.cache1.1";
    const uint32_t header[7] = {static_cast<uint32_t>(entries.size()), static_cast<uint32_t>(strings.size())};
    put(bytes, header, sizeof header);
    return bytes + table + strings;
}

std::vector<std::string> found_in(const std::string& bytes) {
    std::vector<std::string> found;
    for_each_cached_file(
        bytes.data(), bytes.size(), "libcuda.so.1",
        [](const char* path, void* data) {
            static_cast<std::vector<std::string>*>(data)->push_back(path);
            return false;
        },
        &found);
    return found;
}

const std::vector<Entry> kEntries = {{kOther, "libcuda.so.1", "/lib/other/libcuda.so.1"},
                                     {kOurs, "libcudart.so.1", "/lib/libcudart.so.1"},
                                     {kOurs, "libcuda.so.1", "/lib/first/libcuda.so.1"},
                                     {kOurs, "libcuda.so.1", "/lib/second/libcuda.so.1"}};

TEST(LibrarySearch, TheCachesEntriesForThisMachineInOrder) {
    const std::vector<std::string> expected = {"/lib/first/libcuda.so.1", "/lib/second/libcuda.so.1"};
    EXPECT_EQ(found_in(cache(kEntries)), expected);
}

TEST(LibrarySearch, AnOlderFormatMayStandInFront) {
    EXPECT_EQ(found_in("ld.so-1.7.0" + std::string(100, 'x') + cache(kEntries)).size(), 2u);
}

TEST(LibrarySearch, TheSearchEndsWhereItIsTold) {
    const std::string bytes = cache(kEntries);
    int visits = 0;
    EXPECT_TRUE(for_each_cached_file(
        bytes.data(), bytes.size(), "libcuda.so.1",
        [](const char*, void* data) { return ++*static_cast<int*>(data) == 1; }, &visits));
    EXPECT_EQ(visits, 1);
}

TEST(LibrarySearch, ABrokenCacheFindsNothingAndReadsNothingElse) {
    const std::string bytes = cache(kEntries);
    for (size_t size = 0; size < bytes.size(); ++size) {
        const std::vector<char> part(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
        EXPECT_LE(found_in(std::string(part.begin(), part.end())).size(), 2u);
    }
    std::string wrong = bytes;
    const uint32_t many = 0xffffffff;
    std::memcpy(wrong.data() + 20, &many, sizeof many);
    EXPECT_TRUE(found_in(wrong).empty());
    EXPECT_TRUE(found_in(std::string(200, '\xff')).empty());
}

}  // namespace
}  // namespace xsched::stream
