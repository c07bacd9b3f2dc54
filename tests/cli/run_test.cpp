// xcli run: the program's environment, its exit status, and a server that is there.
#include <dlfcn.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/cli_rig.h"
#include "support/listener.h"

namespace xsched::test {
namespace {

class Run : public WithCli {
protected:
    // Returns `variable` in the program's environment.
    std::string variable(const std::string& name, std::vector<std::string> options, const Environment& more = {}) {
        std::vector<std::string> words{"run"};
        words.insert(words.end(), options.begin(), options.end());
        for (const char* word : {"--", "/bin/sh", "-c"}) words.emplace_back(word);
        words.push_back("printf '%s' \"$" + name + "\"");
        const Outcome outcome = xcli(words, more);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return outcome.out;
    }
};

// A program that has used no device is named by the tools while it runs, and in the server's log after its end.
TEST_F(Run, ProgramsThatUseNoDeviceAreNamed) {
    start();
    EXPECT_EQ(xcli({"run", "--no-tell", "--", "/bin/true"}).status, 0);  // is in no log
    Process process({binary("xcli"), "run", "--", "/bin/sleep", "60"}, directory.environment());
    const std::string pid = "pid " + std::to_string(process.pid());
    const std::string sentence = pid + " (sleep), which 'xcli run' started, has used no device";
    EXPECT_TRUE(eventually([&] { return has(xcli({"status"}).out, sentence); })) << xcli({"status"}).out;
    kill(process.pid(), SIGKILL);
    process.wait();
    const std::string ended = ", which 'xcli run' started, has ended: neither";
    EXPECT_TRUE(is_logged(pid + ended));
    EXPECT_EQ(server->process().err().find(ended), server->process().err().rfind(ended));
}

// When the program ends, a process that is not its parent prints the sentence. The exit status stays the program's own.
TEST_F(Run, TheEndOfAProgramThatUsedNoDeviceIsTold) {
    const std::string sentence = "has ended, and neither it nor what it started used a device under XSched";
    Process process({binary("xcli"), "run", "--tell", "--", "/bin/sh", "-c", "echo ran; exit 77"},
                    directory.environment());
    EXPECT_EQ(process.wait(), 77);
    EXPECT_EQ(process.out(), "ran\n");
    EXPECT_TRUE(eventually([&] { return has(process.err(), "xcli: /bin/sh " + sentence); })) << process.err();
    EXPECT_FALSE(has(xcli({"run", "--", "/bin/true"}).err, sentence)) << "where no terminal is";
    EXPECT_EQ(xcli({"run", "--tell", "--", "/bin/sh", "-c", "kill -TERM $$"}).status, 1000 + SIGTERM);
    EXPECT_EQ(xcli({"run", "--tell", "--", "no-such-program-here"}).status, 127);
    EXPECT_EQ(xcli({"run", "--tell", "--", "/etc"}).status, 126);
    expect_sentence({"run", "--tell", "--no-tell", "--", "/bin/true"}, "--tell does not go together with --no-tell");
}

// xcli run executes the program in its own process: the program has its process id and its parent, and gets its
// signals.
TEST_F(Run, XcliBecomesTheProgram) {
    start();
    const std::string script = "trap 'echo caught; exit 5' USR1; echo $$ $PPID; while :; do sleep 0.05; done";
    Process process({binary("xcli"), "run", "--tell", "--", "/bin/sh", "-c", script}, directory.environment());
    ASSERT_TRUE(process.wait_for_output("\n"));
    EXPECT_EQ(process.out(), std::to_string(process.pid()) + " " + std::to_string(getpid()) + "\n");
    EXPECT_TRUE(has(xcli({"status"}).out, "(sh), which 'xcli run' started")) << xcli({"status"}).out;
    kill(process.pid(), SIGUSR1);
    EXPECT_EQ(process.wait(), 5);
    EXPECT_TRUE(has(process.out(), "caught"));
    EXPECT_TRUE(eventually([&] { return has(process.err(), "has ended, and neither it nor what it started"); }))
        << process.err();
}

// Programs under xcli run log only warnings, unless the user asked for more: standard error is the program's own.
TEST_F(Run, AProgramLogsWarningsAlone) {
    const auto level = [this](const std::vector<std::string>& words, const Environment& more) {
        std::vector<std::string> all{"run"};
        all.insert(all.end(), words.begin(), words.end());
        all.insert(all.end(), {"--", "/bin/sh", "-c", "echo $XLOG_LEVEL"});
        return xcli(all, more).out;
    };
    EXPECT_EQ(level({}, {{"XLOG_LEVEL", ""}}), "WARN\n");
    EXPECT_EQ(level({}, {{"XLOG_LEVEL", "INFO"}}), "INFO\n");
    EXPECT_EQ(level({"--log", "DEBG"}, {{"XLOG_LEVEL", ""}}), "DEBG\n");
    EXPECT_EQ(level({}, {{"XLOG_LEVEL", ""}, {"XLOG_FILE", "/dev/null"}}), "\n");
}

TEST_F(Run, StartsAServerThatServesTheNextProgramToo) {
    const Outcome first = xcli({"run", "--", "/bin/echo", "hello"});
    EXPECT_EQ(first.status, 0) << first.err;
    EXPECT_EQ(first.out, "hello\n");
    const Json server_before = xcli({"server", "--json"}).json();
    EXPECT_EQ(server_before["socket"], socket());
    EXPECT_EQ(server_before["idle_exit_s"], 60);
    EXPECT_EQ(xcli({"run", "--", "/bin/true"}).status, 0);
    EXPECT_EQ(xcli({"server", "--json"}).json()["pid"], server_before["pid"]);
    EXPECT_EQ(kill(server_before["pid"].get<pid_t>(), SIGTERM), 0);
}

TEST_F(Run, TheServerIsInAProcessGroupAndSessionOfItsOwn) {
    ASSERT_EQ(xcli({"run", "--", "/bin/true"}).status, 0);
    const pid_t pid = xcli({"server", "--json"}).json()["pid"].get<pid_t>();
    EXPECT_NE(getsid(pid), getsid(0));
    EXPECT_NE(getpgid(pid), getpgid(0));
}

TEST_F(Run, StartsThePolicyThatWasAskedFor) {
    EXPECT_EQ(xcli({"run", "--policy", "hpf", "--", "/bin/true"}).status, 0);
    EXPECT_EQ(xcli({"policy", "-q"}).out, "policy HPF\n");
}

TEST_F(Run, ManyAtOnceShareOneServer) {
    std::vector<std::unique_ptr<Process>> programs;
    for (int i = 0; i < 6; ++i)
        programs.push_back(std::make_unique<Process>(
            std::vector<std::string>{binary("xcli"), "run", "--", "/bin/echo", "done"}, directory.environment()));
    for (auto& program : programs) {
        EXPECT_EQ(program->wait(), 0);
        EXPECT_FALSE(has(program->err(), "no server")) << program->err();
    }
    EXPECT_EQ(xcli({"server"}).status, 0);
}

TEST_F(Run, ExitStatusesAreTheProgramsOwn) {
    EXPECT_EQ(xcli({"run", "--", "/bin/sh", "-c", "exit 0"}).status, 0);
    EXPECT_EQ(xcli({"run", "--", "/bin/sh", "-c", "exit 77"}).status, 77);
    EXPECT_EQ(xcli({"run", "--", "/bin/sh", "-c", "kill -TERM $$"}).status, 1000 + SIGTERM);
}

TEST_F(Run, ProgramsThatCannotBeExecuted) {
    const Outcome missing = xcli({"run", "--", "no-such-program-here"});
    EXPECT_EQ(missing.status, 127);
    EXPECT_TRUE(has(missing.err, "no-such-program-here cannot be executed: No such file")) << missing.err;
    const Outcome forbidden = xcli({"run", "--", "/etc"});
    EXPECT_EQ(forbidden.status, 126);
    EXPECT_TRUE(has(forbidden.err, "/etc cannot be executed: Permission denied")) << forbidden.err;
}

TEST_F(Run, ProgramsArgumentsAreItsOwn) {
    const Outcome outcome = xcli({"run", "-p", "3", "/bin/echo", "-p", "9", "--json", "--", "-x"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "-p 9 --json -- -x\n");
    EXPECT_EQ(xcli({"run", "--priority=3", "--", "/bin/echo", "--helpless"}).out, "--helpless\n");
    EXPECT_EQ(xcli({"run", "/bin/echo", "a"}).out, "a\n");
}

TEST_F(Run, OptionsBecomeEnvironment) {
    EXPECT_EQ(variable("XSCHED_SCHEDULER", {}), "global");
    EXPECT_EQ(variable("XSCHED_SCHEDULER", {"--scheduler", "local"}), "local");
    EXPECT_EQ(variable("XSCHED_AUTO_XQUEUE_PRIORITY", {"--priority", "-12"}), "-12");
    EXPECT_EQ(variable("XSCHED_AUTO_XQUEUE_LEVEL", {"--level", "1"}), "1");
    EXPECT_EQ(variable("XSCHED_AUTO_XQUEUE_THRESHOLD", {"--threshold", "12"}), "12");
    EXPECT_EQ(variable("XSCHED_AUTO_XQUEUE_BATCH_SIZE", {"--batch", "6"}), "6");
    EXPECT_EQ(variable("XSCHED_AUTO_XQUEUE_PERIOD", {"--period", "33000"}), "33000");
    EXPECT_EQ(variable("XLOG_LEVEL", {"--log", "DEBG"}), "DEBG");
    EXPECT_EQ(variable("XSCHED_POLICY", {"--scheduler", "local", "--policy", "HPF"}), "HPF");
    // An option that is not given is left as the user's environment has it.
    EXPECT_EQ(variable("XSCHED_AUTO_XQUEUE_PRIORITY", {}, {{"XSCHED_AUTO_XQUEUE_PRIORITY", "5"}}), "5");
    EXPECT_EQ(variable("XSCHED_AUTO_XQUEUE_THRESHOLD", {}), "");
}

TEST_F(Run, ShimsArePreloadedBeforeTheUsersOwn) {
    const std::string shim = std::string(XSCHED_BIN_DIR) + "/../lib/libshimopencl.so";
    if (access(shim.c_str(), F_OK) != 0) GTEST_SKIP() << "this build has no OpenCL shim";
    const Environment own{{"LD_PRELOAD", "libc.so.6"}, {"OPENCL_LAYERS", "/some/layer.so"}};
    const std::string preload = variable("LD_PRELOAD", {}, own);
    EXPECT_TRUE(has(preload, "/$LIB/libshimopencl.so")) << preload << ": musl's linker skips no other name";
    EXPECT_TRUE(has(preload, ":libc.so.6")) << preload;
    const Outcome maps = xcli({"run", "--", "/bin/grep", "-o", "libshimopencl.so", "/proc/self/maps"});
    EXPECT_TRUE(has(maps.out, "libshimopencl.so")) << maps.err;
    EXPECT_EQ(maps.err, "");
    EXPECT_EQ(variable("ASAN_OPTIONS", {}, {{"ASAN_OPTIONS", "verbosity=0"}}), "verify_asan_link_order=0:verbosity=0");
    const std::string layers = variable("OPENCL_LAYERS", {}, own);
    EXPECT_TRUE(has(layers, "libshimopencl.so:/some/layer.so")) << layers;
    const Outcome nested = xcli({"run", binary("xcli"), "run", "/bin/sh", "-c", "printf '%s' \"$LD_PRELOAD\""});
    const size_t first = nested.out.find("libshimopencl.so");
    EXPECT_NE(first, std::string::npos) << nested.err;
    EXPECT_EQ(nested.out.find("libshimopencl.so", first + 1), std::string::npos) << nested.out;
}

// xcli run preloads a shim only where the shim's driver is installed.
class RunWithDriver : public Run {
protected:
    void SetUp() override {
        if (access((std::string(XSCHED_BIN_DIR) + "/../lib/libshimcuda.so").c_str(), F_OK) != 0)
            GTEST_SKIP() << "this build has no CUDA shim";
        if (access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0 || dlopen("libcuda.so.1", RTLD_LAZY))
            GTEST_SKIP() << "this machine has a CUDA driver";
    }
    // Makes an ELF file of that name in a folder of this test, for a processor of that word size (2: ELFCLASS64).
    // Returns its path.
    std::string put(const std::string& name, char word_size = 2) {
        std::ifstream self("/proc/self/exe", std::ios::binary);
        std::string bytes{std::istreambuf_iterator<char>(self), {}};
        bytes[4] = word_size;
        std::ofstream(directory.path() + "/" + name, std::ios::binary) << bytes;
        return directory.path() + "/" + name;
    }
    bool preloads_cuda(const Environment& more) { return has(variable("LD_PRELOAD", {}, more), "libshimcuda.so"); }
};

TEST_F(RunWithDriver, NoneNoShim) { EXPECT_FALSE(preloads_cuda({})); }

TEST_F(RunWithDriver, OnTheSearchPath) {
    put("libcuda.so.1");
    EXPECT_TRUE(preloads_cuda({{"LD_LIBRARY_PATH", directory.path()}}));
    EXPECT_TRUE(preloads_cuda({{"LD_LIBRARY_PATH", "/nowhere:" + directory.path()}}));
}

TEST_F(RunWithDriver, NamedByItsPath) {
    EXPECT_TRUE(preloads_cuda({{"XSCHED_CUDA_LIB", put("another_name.so")}}));
    EXPECT_TRUE(preloads_cuda({{"XSCHED_CUDA_LIB", "libcuda.so.535"}})) << "a name for the linker";
}

TEST_F(RunWithDriver, NamedAndNotThere) {
    const std::string path = directory.path() + "/gone.so";
    const Outcome outcome = xcli({"run", "--", "/bin/sh", "-c", "echo $LD_PRELOAD"}, {{"XSCHED_CUDA_LIB", path}});
    EXPECT_FALSE(has(outcome.out, "libshimcuda.so"));
    EXPECT_TRUE(has(outcome.err, "XSCHED_CUDA_LIB=" + path + " is not there")) << outcome.err;
}

TEST_F(RunWithDriver, ForAnotherProcessorOrNoLibraryAtAll) {
    put("libcuda.so.1", 1);  // ELFCLASS32
    EXPECT_FALSE(preloads_cuda({{"LD_LIBRARY_PATH", directory.path()}}));
    std::ofstream(directory.path() + "/libcuda.so.1") << "INPUT(libcuda.so)\n";
    EXPECT_FALSE(preloads_cuda({{"LD_LIBRARY_PATH", directory.path()}}));
}

TEST_F(RunWithDriver, TheShimUnderTheDriversName) {
    const std::string shim = std::string(XSCHED_BIN_DIR) + "/../lib/libshimcuda.so";
    ASSERT_EQ(symlink(shim.c_str(), (directory.path() + "/libcuda.so.1").c_str()), 0);
    EXPECT_FALSE(preloads_cuda({{"LD_LIBRARY_PATH", directory.path()}}));
}

TEST_F(Run, BadUsage) {
    expect_sentence({"run"}, "say which program");
    expect_sentence({"run", "--"}, "say which program");
    expect_sentence({"run", "-p", "256", "--", "/bin/true"}, "--priority: 256 is not from -256 to 255");
    expect_sentence({"run", "-p", "x", "--", "/bin/true"},
                    "--priority: \"x\" is not a whole number from -256 to 255: see 'xcli run --help'");
    expect_sentence({"run", "--level", "4", "--", "/bin/true"}, "--level: 4 is not from 0 to 3");
    expect_sentence({"run", "--batch", "9", "--threshold", "4", "--", "/bin/true"},
                    "--batch 9 is larger than --threshold 4");
    expect_sentence({"run", "--scheduler", "mine", "--", "/bin/true"}, "--scheduler: there is no scheduler \"mine\"");
    expect_sentence({"run", "--log", "LOUD", "--", "/bin/true"}, "--log: there is no level \"LOUD\"");
    expect_sentence({"run", "--frobnicate", "3", "--", "/bin/true"}, "--frobnicate");
}

// xcli run works without a home, in a folder that cannot be written, and in a locale with other rules than English.
TEST_F(Run, InAnyHomeFolderAndLocale) {
    for (const std::string setting : {"-u HOME", "HOME=", "HOME=/nonexistent", "LC_ALL=tr_TR.UTF-8", "LC_ALL=C"}) {
        const std::string command = "cd /proc/self && exec env " + setting + " " + binary("xcli") +
                                    " run --scheduler LOCAL --log info -- /bin/sh -c 'echo $XSCHED_SCHEDULER'";
        const Outcome outcome = run_to_end({"/bin/sh", "-c", command}, directory.environment());
        EXPECT_EQ(outcome.status, 0) << setting << ": " << outcome.err;
        EXPECT_EQ(outcome.out, "local\n") << setting;
        EXPECT_FALSE(has(outcome.err, "is not")) << setting << ": " << outcome.err;
    }
}

TEST_F(Run, AServerThatCannotWriteItsLogServes) {
    ASSERT_EQ(mkdir((directory.path() + "/x.log").c_str(), 0700), 0);
    const Outcome outcome = xcli({"run", "--", "/bin/echo", "ran"}, {{"XSCHED_SOCKET", directory / "x.sock"}});
    EXPECT_EQ(outcome.out, "ran\n");
    EXPECT_TRUE(has(outcome.err, "x.log cannot be written")) << outcome.err;
    EXPECT_FALSE(has(outcome.err, "unscheduled")) << outcome.err;
    EXPECT_EQ(xcli({"server"}, {{"XSCHED_SOCKET", directory / "x.sock"}}).status, 0);
}

// The program runs whatever goes wrong with servers, and one line says why it is unscheduled.
class RunAnyway : public Run {
protected:
    void expect_program_runs(const std::string& part, const Environment& more,
                             const std::vector<std::string>& options = {}) {
        std::vector<std::string> words{"run"};
        words.insert(words.end(), options.begin(), options.end());
        for (const char* word : {"--", "/bin/echo", "ran"}) words.emplace_back(word);
        const Outcome outcome = xcli(words, more);
        EXPECT_EQ(outcome.status, 0);
        EXPECT_EQ(outcome.out, "ran\n");
        std::istringstream lines(outcome.err);
        int about_server = 0;
        for (std::string line; std::getline(lines, line);)
            if (has(line, "WARN") && !has(line, "shim library")) {
                ++about_server;
                EXPECT_TRUE(has(line, part)) << line;
            }
        EXPECT_EQ(about_server, 1) << outcome.err;
    }
};

TEST_F(RunAnyway, UnknownPolicy) { expect_program_runs("there is no policy \"NOPE\"", {}, {"--policy", "NOPE"}); }

TEST_F(RunAnyway, SocketInADirectoryThatIsNotThere) {
    expect_program_runs("cannot be used", {{"XSCHED_SOCKET", "/nowhere/at/all/x.sock"}});
}

TEST_F(RunAnyway, TooLongAPathOfASocket) {
    expect_program_runs("is longer than 107 bytes",
                        {{"XSCHED_SOCKET", directory.path() + "/" + std::string(120, 'x')}});
}

TEST_F(RunAnyway, RuntimeDirectoryOfWrongMode) {
    const std::string inner = directory.path() + "/xsched";
    ASSERT_EQ(mkdir(inner.c_str(), 0700), 0);
    ASSERT_EQ(chmod(inner.c_str(), 0777), 0);
    const Outcome outcome = xcli({"run", "--", "/bin/echo", "ran"}, {{"XSCHED_SOCKET", ""}});
    EXPECT_EQ(outcome.out, "ran\n");
    EXPECT_TRUE(has(outcome.err, "is not a directory of this user that is closed to others")) << outcome.err;
}

TEST_F(Run, StartsAServerWithStandardDescriptorsClosed) {
    const std::string fds = directory.path() + "/fds";
    const std::string program =
        "/bin/sh -c 'exec 9> " + fds + "; for n in 0 1 2; do echo $n >&9; readlink /proc/$$/fd/$n >&9; done; exit 5'";
    const auto found_open = [&](const std::string& prefix) {
        const std::string line = "exec " + prefix + program + " <&- >&- 2>&-";
        EXPECT_EQ(run_to_end({"/bin/sh", "-c", line}, directory.environment()).status, 5);
        std::ifstream file(fds);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    EXPECT_EQ(found_open(binary("xcli") + " run -- "), found_open("")) << "the program finds open what was closed";
    EXPECT_EQ(xcli({"server"}).status, 0) << "no server was started";
}

TEST_F(Run, StartsAServerThatItsUserCanUseUnderAStrangeUmask) {
    NEEDS_ROOT("to become another user: root may use everything");
    ASSERT_EQ(chown(directory.path().c_str(), 65534, 65534), 0);
    const int status = as_nobody([this] {
        Environment environment = directory.environment();
        environment["XSCHED_SOCKET"] = "";
        const std::string socket = directory.path() + "/xsched/xserver.sock";
        const std::string line = "umask 0777; exec " + binary("xcli") + " run -- /bin/true";
        for (int i = 0; i < 2; ++i) {  // the second one finds what the first has left
            const Outcome outcome = run_to_end({"/bin/sh", "-c", line}, environment);
            if (outcome.status != 0 || has(outcome.err, "no server")) {
                fprintf(stderr, "%s", outcome.err.c_str());
                return 1;
            }
            TestTool tool(socket);
            if (!tool.accepted()) return 2;
            const Json said = tool.ask({{"cmd", "server"}});
            kill(said.value("supervisor", 0), SIGKILL);
            kill(said.value("pid", 0), SIGKILL);
            if (!eventually([&] { return kill(said.value("pid", 0), 0) != 0; })) return 3;
        }
        return 0;
    });
    EXPECT_EQ(status, 0);
}

TEST_F(RunAnyway, ServerOfAnotherVersion) {
    // A server that answers every handshake with another protocol version.
    const base::UniqueFd listener(listen_on(socket()));
    ASSERT_TRUE(listener);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        for (;;) {
            const base::UniqueFd connection(accept(listener.get(), nullptr, nullptr));
            char packet[256];
            ipc::receive_packet(connection.get(), packet, sizeof(packet), nullptr, 1000);
            const ipc::Welcome welcome{
                ipc::kMagic, ipc::kVersion + 1, sizeof(ipc::Welcome), ipc::WelcomeStatus::kWrongVersion, 0, 0, 0};
            ipc::send_packet(connection.get(), &welcome, sizeof(welcome));
        }
    }
    expect_program_runs("is newer than", {});
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
}

TEST_F(RunAnyway, NoPermissionOnTheSocket) {
    NEEDS_ROOT("to become another user");
    start();
    chmod(directory.path().c_str(), 0755);
    const int status = as_nobody([this] {
        const Outcome outcome = xcli({"run", "--", "/bin/echo", "ran"});
        if (outcome.status != 0 || outcome.out != "ran\n") return 1;
        return has(outcome.err, "no permission on xserver's socket") ? 0 : 2;
    });
    EXPECT_EQ(status, 0);
}

TEST_F(RunAnyway, LocalSchedulerNeedsNoServer) {
    const Outcome outcome = xcli({"run", "--scheduler", "local", "--", "/bin/true"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(access(socket().c_str(), F_OK), 0) << "no server was to be started";
}

}  // namespace
}  // namespace xsched::test
