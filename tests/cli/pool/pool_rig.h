// A stand-in for NVIDIA's Multi-Process Service with processes of its own: a daemon, an MPS server that the first
// program starts, and programs that hang or fail when one of them has faulted, as under MPS.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>

#include "base/files.h"
#include "cli/cli_rig.h"
#include "support/environment.h"

namespace xsched::test {

// nvidia-cuda-mps-control. A process that was killed may stand as a zombie where nothing waits for it. As on an H200
// (bench/results/h200/pool_faults.json) the service forgets a fault once the programs that it ended are gone, and
// refuses a question while it answers another: here once for each file refuse.
inline constexpr const char* kStandInControl = R"sh(#!/bin/bash
place=$CUDA_MPS_PIPE_DIRECTORY
runs() { grep -q '^State:[[:space:]]*[SRD]' "/proc/$1/status" 2> /dev/null; }
clients() { for one in "$place"/clients/*; do pid=${one##*/}; runs "$pid" && echo "$pid"; done; }
daemon=$(cat "$place/nvidia-cuda-mps-control.pid" 2> /dev/null)
if [ "$1" = -d ]; then
    mkfifo "$place/log" || exit 1
    mkdir -p "$place/clients"
    touch "$place/control"
    (exec -a nvidia-cuda-mps-control sleep 600) < /dev/null > /dev/null 2>&1 &
    echo $! > "$place/nvidia-cuda-mps-control.pid"
    exit
fi
runs "$daemon" || { echo "Cannot find MPS control daemon process"; exit 1; }
rm "$place/refuse" 2> /dev/null && { echo "Cannot send command to MPS control daemon process"; exit 1; }
server=$(cat "$place/server" 2> /dev/null)
read -r word number
echo "$word for $(awk '{print $4}' "/proc/$PPID/stat")" >> "$place/control.log"
case $word in
    get_server_list) runs "$server" && echo "$server" ;;
    get_client_list) clients ;;
    get_server_status)
        [ -n "$(clients)" ] || rm -f "$place/failed"
        [ -e "$place/failed" ] && echo FAULT || echo ACTIVE ;;
    quit) kill "$daemon" "$server"; rm -f "$place"/{log,control,nvidia-cuda-mps-control.pid,server,failed} ;;
esac
exit 0
)sh";

// A program of the pool: mps_program WAY, which works until the file $DONE is there. WAY says how it takes the pool's
// failure: "hang", "fail" (status 3) or "save" (and end well). "fault" lets the pool fail itself, once the file $GO
// is there, and "killed" is killed there in a kernel; "stay" hangs and does not listen to SIGTERM. All but the lines of
// the server's log is made up; these are the lines of an H200, the last of several.
inline constexpr const char* kStandInProgram = R"sh(#!/bin/bash
place=$CUDA_MPS_PIPE_DIRECTORY
[ "$1" = stay ] && trap '' TERM
say() { echo "[$(date '+%F %T.%3N') Server $(printf %5d "$server")] $*" >> "$place/server.log"; }
runs() { grep -q '^State:[[:space:]]*[SRD]' "/proc/$1/status" 2> /dev/null; }
if [ -n "$place" ]; then
    exec 9> "$place/starting"
    flock 9
    server=$(cat "$place/server" 2> /dev/null)
    if ! runs "$server"; then
        rm -f "$place/failed"
        (exec -a nvidia-cuda-mps-server sleep 600 9>&-) < /dev/null > /dev/null 2>&1 &
        server=$!
        echo $server > "$place/server"
    fi
    touch "$place/clients/$$"
    flock -u 9
    say "Status of client {PID: $$, Context ID: 1} is ACTIVE"
fi
echo "joined $$"
while :; do
    if [ -e "$GO" ] && { [ "$1" = fault ] || [ "$1" = killed ]; }; then
        [ "$1" = killed ] && rm -f "$place/clients/$$"
        say "Server is handling a fatal GPU error."
        say "The following devices will be reset:"
        say 0
        say "The following client process have a sticky error set:"
        for one in "$place"/clients/*; do runs "${one##*/}" && say "${one##*/}"; done
        say "Destroy server context on device 0 (NVIDIA H200)"
        touch "$place/failed"
        [ "$1" = killed ] && kill -9 $$
        exit 1
    fi
    if [ -n "$place" ] && { [ -e "$place/failed" ] || ! runs "$server"; }; then
        [ "$1" = fail ] && exit 3
        [ "$1" = save ] && echo saved && exit 0
        while :; do sleep 0.1; done
    fi
    [ -e "$DONE" ] && echo worked && exit 0
    sleep 0.05
done
)sh";

class WithPool : public WithCli {
protected:
    using Program = std::unique_ptr<Process>;

    WithPool() {
        std::filesystem::create_directory(programs());
        add("nvidia-cuda-mps-control", kStandInControl);
        add("mps_program", kStandInProgram);
    }
    // Ends what the stand-in has started.
    ~WithPool() override {
        for (const char* name : {"server", "nvidia-cuda-mps-control.pid"}) kill_one(name, SIGKILL);
    }
    std::string programs() const { return directory / "programs"; }
    std::string pool() const { return directory / "pool"; }
    std::string go() const { return directory / "go"; }
    pid_t number_in(const std::string& name) const {
        return static_cast<pid_t>(atoi(base::text_of_file(pool() + "/" + name).c_str()));
    }
    void kill_one(const std::string& name, int signal) const {
        if (const pid_t pid = number_in(name); pid > 0) kill(pid, signal);
    }
    void add(const std::string& name, const char* text) const {
        std::ofstream(programs() + "/" + name) << text;
        std::filesystem::permissions(programs() + "/" + name, std::filesystem::perms::owner_all);
    }
    Environment environment() const {
        Environment all = directory.environment();
        all["PATH"] = programs() + ":/usr/bin:/bin";
        all["GO"] = go();
        all["DONE"] = directory / "done";
        all["XLOG_LEVEL"] = "";
        return all;
    }
    // Begins a program under xcli run, and returns once it is in the pool.
    Program begin(const std::string& what, std::vector<std::string> options = {}) const {
        std::vector<std::string> words{binary("xcli"), "run", "--pool", "--grace-period", "300ms"};
        words.insert(words.end(), options.begin(), options.end());
        words.insert(words.end(), {"--", "mps_program", what});
        auto program = std::make_unique<Process>(words, environment());
        EXPECT_TRUE(program->wait_for_output("joined")) << program->err();
        return program;
    }
    // Returns the number of the program itself, of which xcli is the parent.
    static pid_t pid_of(const Process& program) {
        return static_cast<pid_t>(atoi(program.out().substr(program.out().rfind("joined ") + 7).c_str()));
    }
    Outcome pool_tool(const std::vector<std::string>& words) const {
        std::vector<std::string> all{binary("xcli")};
        all.insert(all.end(), words.begin(), words.end());
        return run_to_end(all, environment());
    }
    // Returns how many sentences xcli has said about the pool: not those about this build's libraries.
    static long sentences(Process& program) {
        const std::string err = "\n" + program.err();
        long count = 0;
        for (size_t at = 0; (at = err.find("\nxcli: ", at)) != std::string::npos; ++at) ++count;
        return count;
    }
    void let_it_fault() const { std::ofstream(go()) << ""; }
    void let_them_end() const { std::ofstream(directory / "done") << ""; }
    // Returns whether the program's xcli has seen it in the pool by now, or soon. It asks when the server's log grows.
    bool is_seen(const Process& program) const {
        const auto asked = [&] {
            const std::string line = "get_client_list for " + std::to_string(program.pid()) + "\n";
            const std::string log = base::text_of_file(pool() + "/control.log");
            size_t count = 0;
            for (size_t at = 0; (at = log.find(line, at)) != std::string::npos; ++at) ++count;
            return count;
        };
        const size_t before = asked();
        std::ofstream(pool() + "/server.log", std::ios::app) << "a line\n";
        return eventually([&] { return asked() > before; });
    }
};

}  // namespace xsched::test
