// xcli enable and disable, in a home of the test's own.
#include <filesystem>
#include <fstream>

#include "cli/cli_rig.h"

namespace xsched::test {
namespace {

class Enable : public WithCli {
protected:
    std::string home() const { return directory / "home"; }
    std::string wrapper(const std::string& name) const { return home() + "/.local/bin/" + name; }
    std::string session() const { return home() + "/.config/environment.d/60-xsched.conf"; }
    Outcome run(const std::vector<std::string>& words, const Environment& more = {}) {
        Environment environment{
            {"HOME", home()}, {"XDG_CONFIG_HOME", ""}, {"PATH", home() + "/.local/bin:/usr/bin:/bin"}};
        for (const auto& [name, value] : more) environment[name] = value;
        return xcli(words, environment);
    }
    static std::string text_of(const std::string& path) {
        std::ifstream file(path);
        std::stringstream text;
        text << file.rdbuf();
        return text.str();
    }
};

TEST_F(Enable, AWrapperRunsTheProgramUnderXSched) {
    const Outcome done = run({"enable", "true"});
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_TRUE(has(done.out, "true runs under XSched from now on")) << done.out;
    EXPECT_TRUE(has(text_of(wrapper("true")), "run -- '/usr/bin/true' \"$@\"")) << text_of(wrapper("true"));
    EXPECT_EQ(access(wrapper("true").c_str(), X_OK), 0);
    EXPECT_EQ(run({"enable", "true"}).status, 0) << "again";
    EXPECT_TRUE(has(text_of(wrapper("true")), "'/usr/bin/true'")) << "a wrapper does not wrap itself";
    EXPECT_EQ(run({"disable", "true"}).status, 0);
    EXPECT_NE(access(wrapper("true").c_str(), F_OK), 0);
}

// Rules are for the program, so a test of them by its name looks behind the wrapper.
TEST_F(Enable, RulesAreTestedForTheProgramBehindTheWrapper) {
    const std::string program = directory / "it's mine/gpuapp";
    std::filesystem::create_directories(directory / "it's mine");
    std::filesystem::copy_file("/usr/bin/true", program);
    for (const std::string& name : {std::string("true"), program}) {
        ASSERT_EQ(run({"enable", name}).status, 0);
        const std::string last = name.substr(name.rfind('/') + 1);
        const Json told = run({"rules", "test", "--json", "--", last, "-x"}).json();
        EXPECT_EQ(told["names"], Json{last}) << told;
        EXPECT_EQ(told["command"], (name == program ? program : "/usr/bin/true") + " -x") << told;
        EXPECT_EQ(run({"rules", "test", "--json", "--", wrapper(last), "-x"}).json()["names"], Json{last});
    }
}

TEST_F(Enable, APathWithoutTheWrappersFolderIsTold) {
    const std::string program = directory / "gpuapp";
    std::filesystem::copy_file("/usr/bin/true", program);
    const Outcome done = run({"enable", program}, {{"PATH", "/usr/bin"}});
    EXPECT_TRUE(has(done.out + done.err, "your PATH lacks ~/.local/bin, and " + program)) << done.out << done.err;
}

TEST_F(Enable, NoWrapperThatCouldNotWork) {
    const Outcome itself = run({"enable", binary("xcli")});
    EXPECT_EQ(itself.status, 2);
    EXPECT_TRUE(has(itself.err, "is xcli itself, which needs no wrapper")) << itself.err;
    const std::string privileged = directory / "privileged";
    make_file(privileged, "#!/bin/sh\n");
    ASSERT_EQ(chmod(privileged.c_str(), 04755), 0);
    const Outcome refused = run({"enable", privileged});
    EXPECT_EQ(refused.status, 2);
    EXPECT_TRUE(has(refused.err, "has a set-user-id bit")) << refused.err;
}

TEST_F(Enable, FilesOfOthersAreLeftAlone) {
    make_file(wrapper("true"), "#!/bin/sh\nmine\n");
    const Outcome enabled = run({"enable", "true"});
    EXPECT_EQ(enabled.status, 2);
    EXPECT_TRUE(has(enabled.err, "is not xcli's")) << enabled.err;
    EXPECT_EQ(run({"disable", "true"}).status, 2);
    EXPECT_EQ(text_of(wrapper("true")), "#!/bin/sh\nmine\n");
    std::filesystem::create_symlink("/usr/bin/false", wrapper("sleep"));
    EXPECT_EQ(run({"enable", "sleep"}).status, 2) << "nor is a link followed";
    EXPECT_TRUE(has(run({"disable", "ls"}).err, "ls is not enabled"));
}

TEST_F(Enable, TheSessionGetsAnEntryOfItsEnvironment) {
    const Environment driver{{"XSCHED_CUDA_LIB", std::string(XSCHED_LIBRARY_DIR) + "/libfakecuda.so"}};
    const Outcome done = run({"enable", "--session"}, driver);
    if (has(done.err, "no driver is found")) GTEST_SKIP() << "this build has no shim and driver";
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_TRUE(has(text_of(session()), "\nLD_PRELOAD=/")) << text_of(session());
    EXPECT_TRUE(has(text_of(session()), "${LD_PRELOAD:+:$LD_PRELOAD}")) << text_of(session());
    EXPECT_EQ(run({"disable", "--session"}).status, 0);
    EXPECT_NE(access(session().c_str(), F_OK), 0);
}

TEST_F(Enable, APathThatHidesTheWrapperIsSaid) {
    const Outcome done = run({"enable", "true"}, {{"PATH", "/usr/bin:/bin"}});
    EXPECT_EQ(done.status, 0);
    EXPECT_TRUE(has(done.out, "runs without XSched until ~/.local/bin is in front")) << done.out;
    EXPECT_EQ(run({"enable"}).status, 2);
    EXPECT_EQ(run({"enable", "true", "--session"}).status, 2);
    EXPECT_EQ(run({"enable", "no-such-program"}).status, 2);
}

}  // namespace
}  // namespace xsched::test
