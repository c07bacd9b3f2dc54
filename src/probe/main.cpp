// A probe: probe_<platform> TRIAL [--name VALUE]... Prints one line of JSON: {"ok": true, ...}, or {"ok": false,
// "says": a sentence}. Exit status 0 if it printed one, 2 for a command line that it does not understand.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <map>

#include "probe/own_stacks.h"
#include "probe/trial.h"

namespace xsched::probe {
namespace {

constexpr int kUsage = 2;

bool read_settings(int count, char** words, Settings& settings) {
    const std::map<std::string, std::function<void(const char*)>> known = {
        {"--seconds", [&](const char* value) { settings.seconds = std::stod(value); }},
        {"--steps-per-ms", [&](const char* value) { settings.steps_per_ms = std::stod(value); }},
        {"--way", [&](const char* value) { settings.way = value; }},
    };
    for (int i = 0; i < count; i += 2) {
        const auto option = known.find(words[i]);
        if (option == known.end() || i + 1 == count) return false;
        option->second(words[i + 1]);
    }
    return true;
}

const Trial* trial_named(const char* name) {
    for (const Trial* trial = kTrials; trial->name != nullptr; ++trial)
        if (strcmp(trial->name, name) == 0) return trial;
    return nullptr;
}

Json found_by(const Trial& trial, const Settings& settings) {
    try {
        Json found = trial.run(settings);
        found["ok"] = true;
        return found;
    } catch (const std::exception& error) {
        return {{"ok", false}, {"says", error.what()}};
    }
}

int run(int count, char** words) {
    const Trial* trial = count > 1 ? trial_named(words[1]) : nullptr;
    Settings settings;
    if (trial == nullptr || !read_settings(count - 2, words + 2, settings)) {
        fprintf(stderr, "%s: started by xcli doctor --run; usage: TRIAL [--name VALUE]...; trials:", words[0]);
        for (const Trial* it = kTrials; it->name != nullptr; ++it) fprintf(stderr, " %s", it->name);
        fprintf(stderr, "\n");
        return kUsage;
    }
    const std::string line = found_by(*trial, settings).dump(-1, ' ', true, Json::error_handler_t::replace);
    printf("%s\n", line.c_str());
    fflush(stdout);
    return 0;
}

}  // namespace

void doing(const char* what) { fprintf(stderr, "doing: %s\n", what); }

}  // namespace xsched::probe

// Exits without destroying anything: a trial may have left work that never ends.
int main(int count, char** words) {
    signal(SIGPIPE, SIG_IGN);  // a write to an ended program fails, and the trial says so
    xsched::probe::tell_stacks_when_asked();
    _exit(xsched::probe::run(count, words));
}
