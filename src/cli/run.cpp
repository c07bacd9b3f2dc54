#include "cli/run.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "base/log.h"
#include "base/text.h"
#include "cli/admit/program_name.h"
#include "cli/config/rules.h"
#include "cli/devices/unscheduled.h"
#include "cli/drivers.h"
#include "cli/ignored.h"
#include "cli/installation.h"
#include "cli/last_word.h"
#include "cli/pool/in_pool.h"
#include "cli/server_link.h"
#include "cli/start_server.h"
#include "cli/visibility.h"
#include "config/limit_setting.h"
#include "config/policies.h"
#include "console/fold.h"

namespace xsched::cli {
namespace {

constexpr const char* kUsualDataFolders = "/usr/local/share:/usr/share";  // where XDG_DATA_DIRS is not set
constexpr int kCannotExecute = 126;
constexpr int kNotFound = 127;
constexpr int kLastPatienceMs = 1000;  // how long the end is awaited: a later sentence would only confuse at the
                                       // terminal

bool is_one_of(const std::string& text, std::initializer_list<const char*> words) {
    for (const char* word : words)
        if (base::same_word(text.c_str(), word)) return true;
    return false;
}

// Puts `entry` in front of the variable's colon-separated list, unless the list has it (xcli run within xcli run).
void prepend(const char* variable, const std::string& entry) {
    const char* present = getenv(variable);
    const std::string list = present != nullptr ? present : "";
    if ((":" + list + ":").find(":" + entry + ":") != std::string::npos) return;
    setenv(variable, list.empty() ? entry.c_str() : (entry + ":" + list).c_str(), 1);
}

void set_number(const char* variable, const std::optional<int64_t>& value) {
    if (value) setenv(variable, std::to_string(*value).c_str(), 1);
}

// "OpenCL, CUDA or HIP"
std::string all_titles() {
    std::string text;
    for (const PlatformInfo& platform : kPlatforms) {
        const bool last = &platform == std::end(kPlatforms) - 1;
        text += std::string(text.empty() ? "" : last ? " or " : ", ") + platform.title;
    }
    return text;
}

// Allows our libraries to be loaded before AddressSanitizer's. That runtime ends a program if another library comes
// before it; ours replace nothing of it. Set for all programs, so that none need be examined, and also for their
// children.
void allow_before_sanitizers() {
    const char* present = getenv("ASAN_OPTIONS");
    const std::string options = present != nullptr ? present : "";
    if (options.find("verify_asan_link_order") != std::string::npos) return;
    setenv("ASAN_OPTIONS", ("verify_asan_link_order=0" + (options.empty() ? "" : ":" + options)).c_str(), 1);
}

// Only Vulkan's loader reads the layer's switch, also one that a program brings itself. It looks for layers in the
// system's folders of data, to which this installation's is added if it is elsewhere.
void turn_on_layer(const PlatformInfo& platform, const Installation& installation) {
    setenv(platform.layer_switch, "1", 1);
    const char* present = getenv("XDG_DATA_DIRS");
    const std::string folders = present != nullptr && *present != '\0' ? present : kUsualDataFolders;
    if ((":" + folders + ":").find(":" + installation.data + ":") != std::string::npos || installation.data.empty())
        return;
    setenv("XDG_DATA_DIRS", (installation.data + ":" + folders).c_str(), 1);
}

void tell_that_no_driver_is_there() {
    for (const std::string& sentence : unscheduled_devices(Machine(""))) XLOG_WARN("%s", sentence.c_str());
    XLOG_WARN("no driver of %s is found: the program runs unscheduled; xcli doctor says what is missing",
              all_titles().c_str());
}

void load_shims(const Installation& installation) {
    if (installation.shims.empty()) {
        XLOG_WARN("there is no shim library in %s: the program runs unscheduled; build or install one",
                  installation.library_directory.c_str());
        return;
    }
    // The dynamic linker splits LD_PRELOAD at these characters.
    if (installation.library_directory.find_first_of(" :") != std::string::npos) {
        XLOG_WARN(
            "\"%s\" has a space or colon in it, so that the shims cannot be preloaded from there: install them "
            "elsewhere; the program runs unscheduled",
            installation.library_directory.c_str());
        return;
    }
    // Shims are loaded only if their driver is there: otherwise a program would find a library where there is none.
    bool any = false;
    for (auto shim = installation.shims.rbegin(); shim != installation.shims.rend(); ++shim) {
        if (!driver_is_there(*shim->platform)) continue;
        if (!is_layer(*shim->platform)) prepend("LD_PRELOAD", shim->preload);
        any = true;
    }
    if (any)
        allow_before_sanitizers();
    else
        tell_that_no_driver_is_there();
    // Programs that open libOpenCL.so themselves do not see preloaded symbols; the OpenCL loader's layers catch them.
    // Only an OpenCL loader reads this variable, also one that a program brings itself.
    for (const Shim& shim : installation.shims) {
        if (*shim.platform->shim_also_in != '\0') prepend(shim.platform->shim_also_in, shim.path);
        if (is_layer(*shim.platform)) turn_on_layer(*shim.platform, installation);
    }
}

bool is_unset(const char* variable) {
    const char* value = getenv(variable);
    return value == nullptr || *value == '\0';
}

// Returns whether only problems are printed: standard error belongs to the program, unless logging was asked for.
bool is_quiet(const RunOptions& options) {
    return options.log_level.empty() && is_unset("XLOG_LEVEL") && is_unset("XLOG_FILE");
}

void choose_own_log_level(const RunOptions& options) {
    base::LogLevel level{};
    if (is_quiet(options) && base::find_log_level(kRunLogLevel, &level)) base::set_log_level(level);
}

// Says so if a variable has a larger batch than another lets the queues have. Options alone have been checked.
void tell_smaller_batch() {
    int64_t batch_size = 0, threshold = 0;
    const char* batch_size_text = getenv("XSCHED_AUTO_XQUEUE_BATCH_SIZE");
    const char* threshold_text = getenv("XSCHED_AUTO_XQUEUE_THRESHOLD");
    if (batch_size_text == nullptr || !config::read_number(batch_size_text, &batch_size)) return;
    if (threshold_text == nullptr || !config::read_number(threshold_text, &threshold)) return;
    if (threshold > 0 && batch_size > threshold)
        console::print_error("xcli: a batch of %s is larger than the threshold %s: batches have %s commands\n",
                             batch_size_text, threshold_text, threshold_text);
}

void set_environment(const RunOptions& options) {
    setenv("XSCHED_SCHEDULER", options.scheduler.c_str(), 1);
    if (!options.policy.empty()) setenv("XSCHED_POLICY", options.policy.c_str(), 1);
    if (!options.log_level.empty()) setenv("XLOG_LEVEL", options.log_level.c_str(), 1);
    if (is_quiet(options)) setenv("XLOG_LEVEL", kRunLogLevel, 1);
    for (const base::HintInfo& hint : base::kHints)
        if (hint.option != nullptr) set_number(hint.option, options.hints.of(hint));
    set_number("XSCHED_AUTO_XQUEUE_LEVEL", options.level);
    set_number("XSCHED_AUTO_XQUEUE_THRESHOLD", options.threshold);
    set_number("XSCHED_AUTO_XQUEUE_BATCH_SIZE", options.batch_size);
    tell_smaller_batch();
}

// As run_in_pool; none too if no pool is asked for.
std::optional<int> run_in_pool_if_asked(const RunOptions& options, const std::vector<std::string>& program) {
    if (!options.in_pool.pool) return std::nullopt;
    PoolWords words = options.in_pool;
    words.urgent = options.hints.of(base::hint_info(base::HintId::priority)).value_or(0) > 0;
    return run_in_pool(words, program_name_of(program));
}

// The server at the program's start, which counts the program's processes (start_server.cpp). If another server has
// replaced it by the program's end, that server may not know whether they used a device, so nothing is printed.
class ServerThen {
public:
    ServerThen() : pid_(pid()) {}
    // Prints the sentence if the program was not scheduled. At a terminal it starts at the left edge, since the shell
    // may have written its prompt.
    void tell_if_unused(pid_t process, const std::string& program) const {
        try {
            wait_for_server_ms(kLastPatienceMs);
            const Json answer = ServerLink().ask({{"cmd", "status"}});
            bool unused = false;
            for (const char* list : {"not_connected", "ended_unused"})  // the server may not know of the end yet
                for (const Json& one : answer.value(list, Json::array()))
                    unused = unused || one.value("pid", 0) == process;
            if (pid_ == 0 || !unused || pid() != pid_) return;
            fprintf(
                stderr,
                "%sxcli: %s has ended, and neither it nor what it started used a device under XSched: 'xcli doctor' "
                "says what XSched sees here\n",
                isatty(STDERR_FILENO) != 0 ? "\r" : "", program.c_str());
        } catch (const std::exception&) {
            // no server is left that knows
        }
    }

private:
    static int64_t pid() {
        try {
            return ServerLink().ask({{"cmd", "server"}}).value("pid", int64_t{0});
        } catch (const std::exception&) {
            return 0;
        }
    }
    int64_t pid_;
};

// Returns whether a person at a terminal is told at the end whether the program was scheduled.
bool has_last_word(const RunOptions& options) {
    if (options.leaves || !is_one_of(options.scheduler, {"global", "GLB"})) return false;
    return options.tells || isatty(STDERR_FILENO) != 0;
}

// `takes_hints`: the command has an option for each hint. xcli report has a --background of its own, with a value.
bool is_flag(const char* word, bool takes_hints) {
    for (const char* flag : {"--json", "-h", "--help", "--tell", "--no-tell", "--pool", "--check"})
        if (strcmp(word, flag) == 0) return true;
    for (const base::HintInfo& hint : base::kHints) {
        if (!takes_hints || hint.kind != base::HintKind::kSwitch || hint.words == nullptr) continue;
        if (strcmp(word, hint.words) == 0 || word == "--no-" + std::string(hint.words + 2)) return true;
    }
    return false;
}

// Throws a sentence if the options make no sense together.
void check(const RunOptions& options, const std::vector<std::string>& program) {
    if (program.empty()) throw Failure("say which program: xcli run [OPTIONS] -- PROGRAM [ARGUMENTS]");
    if (!options.policy.empty() && is_one_of(options.scheduler, {"app", "APP"}))
        throw Failure("--policy has no effect with --scheduler app, under which the program's own calls decide");
    if (!options.policy.empty() && is_one_of(options.scheduler, {"local", "LCL"}) && !config::is_policy(options.policy))
        throw Failure(config::no_such_policy(options.policy));
    if (options.threshold && options.batch_size && *options.batch_size > *options.threshold)
        throw Failure("--batch " + std::to_string(*options.batch_size) + " is larger than --threshold " +
                      std::to_string(*options.threshold) + ": a batch is at most the threshold");
}

}  // namespace

int split_off_program(int argc, char** argv, std::vector<std::string>& program) {
    const bool tests_rules = argc > 2 && strcmp(argv[1], "rules") == 0 && strcmp(argv[2], "test") == 0;
    const bool reports = argc > 1 && strcmp(argv[1], "report") == 0;
    const bool runs = argc > 1 && is_one_of(argv[1], {"run", "admit"});
    if (!runs && !reports && !tests_rules) return argc;
    int i = tests_rules ? 3 : 2;
    while (i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0) {
        const bool flag = is_flag(argv[i], !reports);
        const bool has_value = strchr(argv[i], '=') != nullptr || (argv[i][1] != '-' && argv[i][2] != '\0');
        i += flag || has_value ? 1 : 2;
    }
    if (i >= argc) return argc;
    const int ours = i;
    if (strcmp(argv[i], "--") == 0) ++i;
    program.assign(argv + i, argv + argc);
    return ours;
}

int run_program(const RunOptions& options, const std::vector<std::string>& program) {
    check(options, program);
    const config::Configuration configuration = config::read_configuration(config::folders(false));
    config::put_into_environment(configuration);
    tell_complaints(configuration);
    choose_own_log_level(options);
    tell_misspelt_variables();
    tell_low_times();
    for (const std::string& remark : options.hints.remarks) console::print_error("xcli: %s\n", remark.c_str());
    tell_contradictions(options);
    if (const std::optional<int> ended = run_in_pool_if_asked(options, program)) return *ended;
    if (options.promise) options.promise();
    const Installation installation = find_installation();
    if (is_one_of(options.scheduler, {"global", "GLB"})) {
        ensure_server(installation.server, options.policy, options.leaves ? Announced::kNo : Announced::kYes);
        load_rules_quietly(configuration);
        tell_what_is_ignored(options);
    } else if (is_one_of(options.scheduler, {"app", "APP"})) {
        tell_hints_without_scheduler(options);
    } else {
        tell_hints_of_local_policy(options);
    }
    set_environment(options);
    const Misfit misfit = misfit_of(program);
    if (!misfit.ends_it) load_shims(installation);
    if (!misfit.reason.empty())
        XLOG_WARN("%s: no library can be loaded into it, so XSched does not see it and it runs unscheduled",
                  misfit.reason.c_str());
    if (const std::string unseen = unseen_interface(last_executable(program), installation); !unseen.empty())
        XLOG_WARN("%s", unseen.c_str());
    std::vector<char*> arguments;
    for (const std::string& word : program) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    std::optional<LastWord> last_word;
    if (has_last_word(options))
        last_word.emplace(
            [server = ServerThen(), process = getpid(), &program] { server.tell_if_unused(process, program[0]); });
    execvp(arguments[0], arguments.data());
    const int error = errno;
    if (last_word) last_word->withdraw();
    if (program[0].empty())
        console::print_error("xcli: the name of the program is empty (is a variable not set?)\n");
    else
        console::print_error("xcli: %s cannot be executed: %s%s\n", arguments[0], strerror(error),
                             error == ENOENT && access(arguments[0], F_OK) == 0
                                 ? " in PATH; a file of this folder is named with ./ before it, or behind its "
                                   "interpreter, as in python3 train.py"
                                 : "");
    return error == ENOENT ? kNotFound : kCannotExecute;
}

}  // namespace xsched::cli
