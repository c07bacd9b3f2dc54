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
    void SetUp() override { start_with(client, "viewer", 0, 0xab1); }
    // Writes a script that is found in PATH before the real program.
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
    // Runs xcli windows until the stand-in for the window system's tool has reported all of its windows. The second
    // window becomes active once the first one was noticed.
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

bool is_there(const char* program) {
    std::istringstream folders(getenv("PATH"));
    for (std::string folder; std::getline(folders, folder, ':');)
        if (access((folder + "/" + program).c_str(), X_OK) == 0) return true;
    return false;
}

// A real X11 server without a screen. No window manager runs: xprop tells here, of the only window that there is, the
// facts that a manager would tell.
TEST_F(Windows, OfARealX11ServerAreFollowed) {
    if (!is_there("Xvfb") || !is_there("xprop"))
        GTEST_SKIP() << "Xvfb or xprop is not installed (scripts/install_deps.sh test)";
    Process x11({"/usr/bin/env", "Xvfb", "-displayfd", "1", "-noreset", "-nolisten", "tcp", "-screen", "0", "64x64x24"},
                directory.environment());
    ASSERT_TRUE(x11.wait_for_output("\n")) << x11.err();
    Environment display = directory.environment();
    for (const auto& [name, value] : environment({{"DISPLAY", ":" + std::to_string(atoi(x11.out().c_str()))}}))
        display[name] = value;
    const auto set = [&](const char* property, const std::string& value) {
        const Outcome outcome =
            run_to_end({"/usr/bin/env", "xprop", "-root", "-f", property, "32x", "-set", property, value}, display);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
    };
    const std::string told = run_to_end({"/usr/bin/env", "xwininfo", "-root"}, display).out;
    const size_t at = told.find("0x");
    ASSERT_NE(at, std::string::npos) << told;
    const std::string root = told.substr(at, told.find(' ', at) - at);
    set("_NET_WM_PID", std::to_string(getpid()));
    Process windows({binary("xcli"), "windows", "--display", "3"}, display);
    EXPECT_TRUE(windows.wait_for_output("waiting for a window manager")) << windows.err();
    // The active window is set again until it is noticed, since xprop may not listen yet.
    const auto is_followed = [&](const std::string& active, int64_t wanted) {
        set("_NET_ACTIVE_WINDOW", active);
        return eventually([&] { return window() == wanted; }, 500);
    };
    EXPECT_TRUE(eventually([&] { return is_followed(root, 3); })) << windows.err();
    EXPECT_TRUE(eventually([&] { return is_followed("0x0", 0); })) << windows.err();
    kill(windows.pid(), SIGTERM);
    EXPECT_EQ(windows.wait(), 0) << windows.err();
    kill(x11.pid(), SIGTERM);
    x11.wait();
}

TEST_F(Windows, WhereNobodyTellsThereIsASentence) {
    const auto said = [&](const Environment& more) { return xcli({"windows"}, environment(more)).err; };
    EXPECT_TRUE(has(said({{"WAYLAND_DISPLAY", "wayland-0"}}), "does not tell which window is active"));
    EXPECT_TRUE(has(said({}), "there is no display here"));
    EXPECT_EQ(xcli({"windows"}, environment({})).status, 2);
}

}  // namespace
}  // namespace xsched::test
