#include "console/table.h"

#include <gtest/gtest.h>

namespace {

using xsched::console::Table;

TEST(Table, ColumnsAreAlignedToTheLeftOrToTheRight) {
    Table table({"NAME", ">COUNT"});
    table.add({"a", "7"});
    table.add({"longer", "123456"});
    EXPECT_EQ(table.text(), "NAME     COUNT\na            7\nlonger  123456\n");
}

TEST(Table, MissingCellsAreEmptyAndNoLineEndsInBlanks) {
    Table table({"A", "B"});
    table.add({"only"});
    EXPECT_EQ(table.text(), "A     B\nonly\n");
}

}  // namespace
