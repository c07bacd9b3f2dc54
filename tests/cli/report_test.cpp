// xcli report: what it refuses before anything is measured. The measurements: tests/bench/own_report_test.py.
#include "cli/cli_rig.h"

namespace xsched::test {
namespace {

class ReportCommand : public WithCli {};

TEST_F(ReportCommand, SaysWhatIsMissingOrTooMuch) {
    expect_sentence({"report"}, "say which program");
    expect_sentence({"demo", "-o", "/nowhere/at/all/x.html"}, "cannot be written");
    expect_sentence({"report", "--urgent", "true", "--", "true"}, "say the urgent program once");
    expect_sentence({"report", "--background", "true"}, "say which program");
}

TEST_F(ReportCommand, AsksForAPageOrAText) {
    EXPECT_TRUE(has(xcli({"demo", "--json"}).json().value("error", ""), "beside the page, as JSON"));
    for (const char* command : {"record", "trace", "report", "demo"})
        expect_sentence({command, "-o", "-"}, "\"-\" is no file");
    expect_sentence({"demo", "-o", "page.pdf"}, "end its name with .html");
    expect_sentence({"report", "-o", "page.pdf", "--", "true"}, "end its name with .html or .md");
    expect_sentence({"report", "-t", "soon", "--", "true"}, "is no time to measure for");
    expect_sentence({"report", "--rounds", "0", "--", "true"}, "0 is not from 1 to 100");
}

TEST_F(ReportCommand, PassesTheProgramsOwnOptionsOn) {
    const Outcome outcome = xcli({"report", "sh", "-c", "echo an own option >&2; exit 7"});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.err.find("ended with status 7"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("an own option"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace xsched::test
