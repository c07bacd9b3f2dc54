// Tests the functions that read files and folders, also with files and folders that the kernel refuses to let read.
#include "base/files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/directory.h"

namespace xsched::base {
namespace {

TEST(Files, TextIsWhole) {
    const test::TemporaryDirectory directory;
    const std::string path = directory / "file", text(10'000, 'x');
    std::ofstream(path) << text << '\0' << "end\n";
    EXPECT_EQ(text_of_file(path), text + '\0' + "end\n");
}

// A file that can be opened but not read counts as empty. /proc/self/mem is one: its offsets are addresses, and nothing
// is mapped at address 0.
TEST(Files, OneThatRefusesToBeReadIsEmpty) {
    EXPECT_EQ(text_of_file("/proc/self/mem"), "");
    EXPECT_EQ(text_of_file("/"), "");
    EXPECT_EQ(text_of_file("/no/such/file"), "");
}

TEST(Files, NamesAreSorted) {
    const test::TemporaryDirectory directory;
    for (const char* name : {"b", "c", ".a"}) std::ofstream(directory / name) << name;
    EXPECT_EQ(names_in(directory / ""), (std::vector<std::string>{".a", "b", "c"}));
    EXPECT_TRUE(names_in(directory / "b").empty());
    EXPECT_TRUE(names_in(directory / "missing").empty());
}

}  // namespace
}  // namespace xsched::base
