// The documents' plain command: a preloaded shim, and no server anywhere.
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include "system/cuda_rig.h"

namespace xsched::test {
namespace {

namespace fs = std::filesystem;

class CudaServerStart : public ::testing::Test {
protected:
    ~CudaServerStart() override {
        if (const pid_t pid = server_pid(); pid > 0) kill(pid, SIGTERM);
    }
    // Starts a program that finds its server by the usual rules, in this test's directory.
    std::unique_ptr<CudaProgram> start_program(const char* name, Environment more = {}) {
        more["XSCHED_SOCKET"] = "";
        more["XSCHED_SCHEDULER"] = "";
        return std::make_unique<CudaProgram>(directory, name, more);
    }
    std::string place() const { return directory / "xsched/xserver.sock"; }
    Json server() const { return answer_of_server(place(), {{"cmd", "server"}}); }
    pid_t server_pid() const { return server().value("pid", 0); }
    // Libraries without an xserver beside them.
    std::string shim_alone() const {
        const fs::path shim = fs::path(getenv("TEST_SHIM_FILE"));
        const fs::path folder = directory / "lib";
        fs::copy(shim.parent_path(), folder, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
        const char* preload = getenv("TEST_SHIM");
        std::string text = preload;
        return text.replace(text.find(shim.string()), shim.string().size(), folder / shim.filename());
    }

    static bool logs(CudaProgram& program, const char* text) {
        return eventually([&] {
            program.process().take_output();
            return program.process().err().find(text) != std::string::npos;
        });
    }

    PrivateDirectory directory;
};

TEST_F(CudaServerStart, AProgramThatFindsNoServerStartsOne) {
    const auto program = start_program("program");
    program->work();
    ASSERT_TRUE(logs(*program, "using global scheduler")) << program->process().err();
    EXPECT_NE(program->process().err().find("starting one"), std::string::npos) << program->process().err();
    EXPECT_EQ(server().value("idle_exit_s", 0), 60) << server();
    EXPECT_TRUE(eventually([&] { return server().value("clients", 0) == 1; })) << server();
    EXPECT_NE(getsid(server_pid()), getsid(0));
    EXPECT_TRUE(program->advances());
    EXPECT_EQ(program->end(), 0) << program->process().err();
    EXPECT_TRUE(fs::exists(directory / "xsched/xserver.log"));
}

TEST_F(CudaServerStart, TheProgramHasNoChildOfOurs) {
    const auto program = start_program("program");
    program->work();
    ASSERT_TRUE(logs(*program, "using global scheduler")) << program->process().err();
    const std::string pid = std::to_string(program->pid());
    std::string children;
    for (const auto& task : fs::directory_iterator("/proc/" + pid + "/task"))
        for (std::ifstream list(task.path() / "children"); list.good();) {
            std::string child;
            if (list >> child) children += child + " ";
        }
    EXPECT_EQ(children, "");
    EXPECT_EQ(program->end(), 0);
}

TEST_F(CudaServerStart, WhereThereIsNoneTheProcessSchedulesItself) {
    const auto program = start_program("program", {{"LD_PRELOAD", shim_alone()}});
    program->work();
    ASSERT_TRUE(logs(*program, "using local scheduler with policy HPF until one answers")) << program->process().err();
    EXPECT_TRUE(program->advances());
    Environment environment = directory.environment();
    environment["XSCHED_SOCKET"] = "";
    const Process late({binary("xserver"), "--no-supervise"}, environment);
    EXPECT_TRUE(logs(*program, "scheduled from now on: using global scheduler")) << program->process().err();
    EXPECT_TRUE(program->advances());
    EXPECT_EQ(program->end(), 0);
}

TEST_F(CudaServerStart, AnOptionSaysNo) {
    const auto program = start_program("program", {{"XSCHED_START_SERVER", "0"}});
    program->work();
    ASSERT_TRUE(logs(*program, "XSCHED_START_SERVER=0 starts none: using local scheduler with policy HPF until one"))
        << program->process().err();
    EXPECT_TRUE(program->advances());
    EXPECT_EQ(program->end(), 0);
    EXPECT_EQ(server_pid(), 0);
}

}  // namespace
}  // namespace xsched::test
