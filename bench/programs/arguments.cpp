#include "arguments.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <stdexcept>

namespace busy {

int64_t now_ns() {
    timespec ts{};
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return int64_t{ts.tv_sec} * 1'000'000'000 + ts.tv_nsec;
}

Arguments parse_arguments(int count, char** values) {
    Arguments a;
    using Apply = std::function<void(const std::string&)>;
    const auto number = [](double& to) -> Apply { return [&to](const std::string& v) { to = std::stod(v); }; };
    const auto integer = [](auto& to) -> Apply {
        return [&to](const std::string& v) { to = static_cast<std::decay_t<decltype(to)>>(std::stoll(v)); };
    };
    const auto flag = [](bool& to) -> Apply { return [&to](const std::string& v) { to = v == "1"; }; };
    const auto text = [](std::string& to) -> Apply { return [&to](const std::string& v) { to = v; }; };
    const std::map<std::string, Apply> known = {
        {"--out", text(a.out)},
        {"--seconds", number(a.seconds)},
        {"--bursts", integer(a.bursts)},
        {"--steps", integer(a.steps)},
        {"--kernel-ms", number(a.kernel_ms)},
        {"--burst-kernels", integer(a.burst_kernels)},
        {"--pause-ms", number(a.pause_ms)},
        {"--pause-max-ms", number(a.pause_max_ms)},
        {"--period-ms", number(a.period_ms)},
        {"--seed", integer(a.seed)},
        {"--sync-every", integer(a.sync_every)},
        {"--gap-us", number(a.gap_us)},
        {"--announce-ms", number(a.announce_ms)},
        {"--hold-ms", number(a.hold_ms)},
        {"--waves", integer(a.waves)},
        {"--depth", integer(a.depth)},
        {"--calibrate", flag(a.calibrate)},
        {"--wait", flag(a.wait)},
        {"--turns", integer(a.turns)},
        {"--until-eof", flag(a.until_eof)},
        {"--stream", text(a.stream)},
        {"--lp-out", text(a.lp_out)},
        {"--lp-steps", integer(a.lp_steps)},
    };
    for (int i = 1; i < count; i += 2) {
        const auto option = known.find(values[i]);
        try {
            if (option == known.end() || i + 1 >= count) throw std::invalid_argument("");
            option->second(values[i + 1]);
        } catch (const std::exception&) {
            fprintf(stderr, "%s: \"%s\" is no option or its value is missing or no number; options: ", values[0],
                    values[i]);
            for (const auto& [name, apply] : known) fprintf(stderr, "%s ", name.c_str());
            fprintf(stderr, "\n");
            exit(2);
        }
    }
    return a;
}

void write_rows(const std::string& path, const Rows& rows) {
    if (path.empty()) return;
    FILE* file = fopen(path.c_str(), "w");
    if (file == nullptr) throw std::runtime_error("cannot write " + path + ": " + strerror(errno));
    for (const auto& row : rows) {
        for (size_t i = 0; i < row.size(); ++i)
            fprintf(file, "%s%lld", i == 0 ? "" : " ", static_cast<long long>(row[i]));
        fputc('\n', file);
    }
    if (fclose(file) != 0) throw std::runtime_error("cannot write " + path + ": " + strerror(errno));
}

}  // namespace busy
