// xcli windows, with programs in place of xprop and swaymsg that say what a window system would.
#include <sys/stat.h>

#include "base/hints.h"
#include "cli/cli_rig.h"
#include "ipc/slot_hints.h"
#include "support/eventually.h"

namespace xsched::test {
namespace {

class Windows : public WithCli {
protected:
    void SetUp() override {
        start();
        ASSERT_TRUE(client.connect(socket(), "viewer"));
        client.add_queue(0, 0, 0xab1);
    }
    // A script that is found before the real program.
    void stand_in(const std::string& name, const std::string& script) {
        const std::string path = directory / name;
        std::ofstream(path) << "#!/bin/sh\n" << script;
        chmod(path.c_str(), 0755);
    }
    Environment environment(const Environment& more) {
        Environment all{{"PATH", directory.path() + ":" + getenv("PATH")},
                        {"DISPLAY", ""},
                        {"SWAYSOCK", ""},
                        {"WAYLAND_DISPLAY", ""}};
        for (const auto& [name, value] : more) all[name] = value;
        return all;
    }
    int64_t window() { return base::get_hint(ipc::load_hints(client.slot(0)), base::HintId::window); }
    // Runs it until the stand-in has said all; the second window becomes active once the first one was noticed.
    void expect_followed(const Environment& more) {
        Environment all = directory.environment();
        for (const auto& [name, value] : environment(more)) all[name] = value;
        Process process({binary("xcli"), "windows", "--display", "3"}, all);
        EXPECT_TRUE(eventually([this] { return window() == 3; }));
        std::ofstream(directory / "go") << "now";
        EXPECT_EQ(process.wait(), 0) << process.err();
        EXPECT_EQ(window(), 0);
        EXPECT_TRUE(has(process.out(), "active window: pid " + std::to_string(getpid()) + ", 1 of")) << process.out();
    }
    std::string wait_for_go() { return "while [ ! -e " + (directory / "go") + " ]; do sleep 0.05; done\n"; }

    TestClient client;
};

TEST_F(Windows, OfX11AreFollowed) {
    stand_in("xprop",
             "case $1 in\n-root) echo '_NET_ACTIVE_WINDOW(WINDOW): window id # 0x1e00007'\n" + wait_for_go() +
                 "echo '_NET_ACTIVE_WINDOW(WINDOW): window id # 0x0'\n;;\n-id) echo '_NET_WM_PID(CARDINAL) = " +
                 std::to_string(getpid()) + "'\n;;\nesac\n");
    expect_followed({{"DISPLAY", ":9"}});
}

TEST_F(Windows, OfSwayAreFollowed) {
    stand_in("swaymsg", "echo '{\"change\":\"title\"}'\necho '{\"change\":\"focus\",\"container\":{\"pid\":" +
                            std::to_string(getpid()) + "}}'\n" + wait_for_go() +
                            "echo '{\"change\":\"focus\",\"container\":{\"pid\":1}}'\n");
    expect_followed({{"SWAYSOCK", "/nowhere"}});
}

TEST_F(Windows, WhereNobodyTellsThereIsASentence) {
    const auto said = [&](const Environment& more) { return xcli({"windows"}, environment(more)).err; };
    EXPECT_TRUE(has(said({{"WAYLAND_DISPLAY", "wayland-0"}}), "does not tell which window is active"));
    EXPECT_TRUE(has(said({}), "there is no display here"));
    EXPECT_EQ(xcli({"windows"}, environment({})).status, 2);
}

}  // namespace
}  // namespace xsched::test
