// xcli run: programs that no library can be loaded into are named in one line, and run.
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>

#include "cli/cli_rig.h"

namespace xsched::test {
namespace {

constexpr char kLine[] = "so XSched does not see it and it runs unscheduled";

class Visibility : public WithCli {
protected:
    std::string path(const std::string& name) const { return directory.path() + "/" + name; }
    // Writes the source of a program that returns 5; compile() makes programs of it with various options.
    void SetUp() override {
        WithCli::SetUp();
        std::ofstream(path("five.c")) << "int main(void) { return 5; }\n";
    }
    bool compile(const std::string& name, const std::string& options) {
        const std::string command = "cc " + options + " -o " + path(name) + " " + path("five.c") + " 2> /dev/null";
        return system(command.c_str()) == 0;
    }
    void script(const std::string& name, const std::string& first_line) {
        std::ofstream(path(name)) << first_line << "\nexit 5\n";
        chmod(path(name).c_str(), 0755);
    }
    bool without_rights() const {
        struct statvfs mount{};
        return statvfs(directory.path().c_str(), &mount) != 0 || (mount.f_flag & ST_NOSUID) != 0;
    }
    Outcome run(const std::string& program, const Environment& more = {}) {
        return xcli({"run", "--scheduler", "local", "--", program}, more);
    }
    void expect_line(const std::string& program, const std::string& reason, const Environment& more = {}) {
        const Outcome outcome = run(program, more);
        EXPECT_NE(outcome.status, 127) << outcome.err;
        EXPECT_TRUE(has(outcome.err, reason)) << outcome.err;
        const size_t line = outcome.err.find(kLine);
        EXPECT_NE(line, std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.err.find(kLine, line + 1), std::string::npos) << outcome.err;
    }
    void expect_silence(const std::string& program, const Environment& more = {}) {
        const Outcome outcome = run(program, more);
        EXPECT_EQ(outcome.status, 5) << outcome.err;
        EXPECT_FALSE(has(outcome.err, kLine)) << outcome.err;
    }
};

TEST_F(Visibility, OrdinaryProgramsGiveNoLine) {
    ASSERT_TRUE(compile("five", ""));
    expect_silence(path("five"));
    expect_silence("five", {{"PATH", directory.path() + ":/usr/bin:/bin"}});
    ASSERT_TRUE(compile("five_fixed", "-no-pie"));
    expect_silence(path("five_fixed"));
    script("five.sh", "#!/bin/sh -e");
    expect_silence(path("five.sh"));
}

TEST_F(Visibility, StaticProgramsAreNamedAndRun) {
    for (const char* options : {"-static", "-static-pie"}) {
        if (!compile("static", options)) GTEST_SKIP() << "no static C library is installed";
        expect_line(path("static"), path("static") + " is statically linked");
        EXPECT_EQ(run(path("static")).status, 5);
    }
    expect_line("static", "/static is statically linked", {{"PATH", directory.path() + ":/usr/bin:/bin"}});
}

TEST_F(Visibility, AScriptCountsAsItsInterpreter) {
    if (!compile("static", "-static")) GTEST_SKIP() << "no static C library is installed";
    script("by_path", "#!" + path("static") + " -x");
    expect_line(path("by_path"), path("static") + " is statically linked");
    script("by_name", "#!/usr/bin/env -S static");
    expect_line(path("by_name"), "/static is statically linked", {{"PATH", directory.path() + ":/usr/bin:/bin"}});
    script("twice", "#!" + path("by_path"));
    expect_line(path("twice"), path("static") + " is statically linked");
}

TEST_F(Visibility, ProgramsWithRightsOfTheirOwnAreNamed) {
    ASSERT_TRUE(compile("five", ""));
    if (geteuid() != 0) GTEST_SKIP() << "only root can give a program to another user";
    if (without_rights()) GTEST_SKIP() << directory.path() << " is mounted nosuid";
    ASSERT_EQ(chown(path("five").c_str(), 65534, 65534), 0);
    ASSERT_EQ(chmod(path("five").c_str(), 04755), 0);
    expect_line(path("five"), path("five") + " is a set-user-id program");
    ASSERT_EQ(chmod(path("five").c_str(), 02755), 0);
    expect_line(path("five"), path("five") + " is a set-group-id program");
    ASSERT_EQ(chown(path("five").c_str(), 0, 0), 0);  // gains nothing by it
    ASSERT_EQ(chmod(path("five").c_str(), 06755), 0);
    expect_silence(path("five"));
}

TEST_F(Visibility, ProgramsWithFileCapabilitiesAreNamedToThoseTheyGiveThemTo) {
    ASSERT_TRUE(compile("five", ""));
    // CAP_NET_RAW, effective: linux/capability.h, vfs_cap_data of version 2.
    const uint32_t capability[] = {0x02000001, 1u << 13, 0, 0, 0};
    if (geteuid() != 0 || without_rights() ||
        setxattr(path("five").c_str(), "security.capability", capability, sizeof capability, 0) != 0)
        GTEST_SKIP() << "only root can give a program capabilities, and not on every file system";
    expect_silence(path("five"));  // root has them anyhow
    NEEDS_ROOT("to become another user");
    ASSERT_EQ(chmod(directory.path().c_str(), 0755), 0);
    const Outcome outcome = run_to_end(nobody_runs({binary("xcli"), "run", "--scheduler", "local", "--", path("five")}),
                                       directory.environment());
    EXPECT_EQ(outcome.status, 5) << outcome.err;
    EXPECT_TRUE(has(outcome.err, path("five") + " has file capabilities")) << outcome.err;
}

// musl's dynamic linker ends a program if it cannot load a preloaded library that exists. So xcli run names such a
// program and runs it without the shims. As a child of a shell it runs, too.
TEST_F(Visibility, ProgramsOfMuslAreNamedAndRun) {
    if (system("musl-gcc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "musl-tools is not installed";
    ASSERT_EQ(system(("musl-gcc -o " + path("musl") + " " + path("five.c")).c_str()), 0);
    expect_line(path("musl"), path("musl") + " is linked to musl");
    EXPECT_EQ(run(path("musl")).status, 5);
    const Outcome child = xcli({"run", "--scheduler", "local", "--", "/bin/sh", "-c", path("musl") + "; exit $?"});
    EXPECT_EQ(child.status, 5) << child.err;
    EXPECT_EQ(child.err, "");
}

// Programs of Nix or a snap have their own dynamic linker with a C library beside it. That library decides whether
// the shims can be loaded.
TEST_F(Visibility, ProgramsWithAnOlderCLibraryAreNamedAndRun) {
    std::ofstream(path("libc.so.6"), std::ios::binary) << "\x7f"
                                                          "ELF"
                                                       << "GLIBC_2.2.5" << '\0';
    const std::string linker = "$(realpath $(readelf -lW /bin/true | sed -n 's/.*interpreter: \\(.*\\)]/\\1/p'))";
    ASSERT_EQ(system(("cp " + linker + " " + path("ld.so")).c_str()), 0);
    ASSERT_TRUE(compile("old", "-Wl,--dynamic-linker=" + path("ld.so")));
    expect_line(path("old"), path("old") + " brings a glibc older than 2.");
    EXPECT_EQ(run(path("old")).status, 5);
    EXPECT_EQ(xcli({"run", "--scheduler", "local", "--", "nice", path("old")}).status, 5);
}

// The sanitizer runtime of gcc ends a program in which another library was loaded before it. Such a
// program must run under xcli run all the same, and without a warning.
TEST_F(Visibility, ProgramsWithASanitizerRun) {
    for (const char* sanitizer : {"address", "thread", "undefined", "leak"}) {
        if (!compile("checked", std::string("-fsanitize=") + sanitizer)) GTEST_SKIP() << "no " << sanitizer;
        if (system(path("checked").c_str()) != 5 << 8) continue;  // not on this kernel
        expect_silence(path("checked"));
        const Outcome child =
            xcli({"run", "--scheduler", "local", "--", "/bin/sh", "-c", path("checked") + "; exit $?"});
        EXPECT_EQ(child.status, 5) << sanitizer << child.err;
    }
}

TEST_F(Visibility, AWrapperCountsAsTheProgramBehindIt) {
    if (!compile("static", "-static")) GTEST_SKIP() << "no static C library is installed";
    for (const std::vector<std::string>& wrapper :
         {std::vector<std::string>{"env", "A=b"}, {"nice", "-n", "1"}, {"timeout", "60", "env", "-u", "A"}}) {
        std::vector<std::string> words{"run", "--scheduler", "local", "--"};
        words.insert(words.end(), wrapper.begin(), wrapper.end());
        words.push_back(path("static"));
        const Outcome outcome = xcli(words);
        EXPECT_EQ(outcome.status, 5) << outcome.err;
        EXPECT_TRUE(has(outcome.err, path("static") + " is statically linked")) << outcome.err;
    }
}

TEST_F(Visibility, BrokenFilesAreLeftToTheKernel) {
    for (const std::string& text : {std::string("\x7f"
                                                "ELF"),
                                    std::string("#!"), std::string("#!\n"), std::string()}) {
        std::ofstream(path("broken")) << text;
        chmod(path("broken").c_str(), 0755);
        EXPECT_FALSE(has(run(path("broken")).err, kLine));
    }
    script("itself", "#!" + path("itself"));
    EXPECT_FALSE(has(run(path("itself")).err, kLine));
    EXPECT_EQ(run("no-such-program-here").status, 127);
}

}  // namespace
}  // namespace xsched::test
