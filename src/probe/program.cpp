#include "probe/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace xsched::probe {

Program::Program(const char* trial, const Settings& settings) {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) throw std::runtime_error(strerror(errno));
    std::string words[] = {"/proc/self/exe", trial,
                           "--seconds",      std::to_string(settings.seconds),
                           "--steps-per-ms", std::to_string(settings.steps_per_ms)};
    char* arguments[7] = {};
    for (int i = 0; i < 6; ++i) arguments[i] = words[i].data();
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, from[1], STDOUT_FILENO);
    const int error = posix_spawn(&pid_, arguments[0], &files, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    close(to[0]);
    close(from[1]);
    input_ = to[1];
    output_ = fdopen(from[0], "r");
    if (error == 0) return;
    pid_ = 0;
    throw std::runtime_error(std::string("a program cannot be started: ") + strerror(error));
}

Program::~Program() {
    if (pid_ > 0) kill(pid_, SIGKILL);
    end_input();
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
    fclose(output_);
}

void Program::end_input() {
    if (input_ >= 0) close(input_);
    input_ = -1;
}

void Program::tell(char letter) {
    if (write(input_, &letter, 1) != 1) throw std::runtime_error(strerror(errno));
}

// Returns the program's next line; empty if the program has ended.
std::string Program::line() {
    char* text = nullptr;
    size_t bytes = 0;
    const ssize_t length = getline(&text, &bytes, output_);
    std::string read = length > 0 ? std::string(text, static_cast<size_t>(length)) : "";
    free(text);
    return read;
}

void Program::wait_until_ready(const char* who) {
    for (std::string text = line(); text != "ready\n"; text = line()) {
        if (text.empty()) throw std::runtime_error(std::string(who) + " ended without a word");
        if (const Json said = Json::parse(text, nullptr, false); said.is_object())
            throw std::runtime_error(who + (": " + said.value("says", "")));
    }
}

Json Program::found(const char* who) {
    end_input();
    for (std::string text = line(); !text.empty(); text = line()) {
        Json said = Json::parse(text, nullptr, false);
        if (said.is_discarded()) continue;
        if (!said.value("ok", false)) throw std::runtime_error(who + (": " + said.value("says", "")));
        return said;
    }
    throw std::runtime_error(std::string(who) + " ended without a word");
}

}  // namespace xsched::probe
