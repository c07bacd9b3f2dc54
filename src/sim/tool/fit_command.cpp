// xsim fit.
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "base/clock.h"
#include "console/table.h"
#include "sim/fit.h"
#include "sim/tool/commands.h"
#include "sim/tool/numbers.h"

namespace xsched::sim::tool {
namespace {

// Parses a length such as "0.3 ms" into nanoseconds; 0: none, or endless.
int64_t length_ns(const nlohmann::json& text) {
    if (!text.is_string()) return 0;
    return static_cast<int64_t>(std::llround(std::strtod(text.get<std::string>().c_str(), nullptr) * 1e6));
}

// Reads measurements from a result of the benchmark suite (main_job, lengths).
std::vector<Measurement> read_results(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + " cannot be read");
    std::vector<Measurement> measured;
    try {
        const nlohmann::json cells = nlohmann::json::parse(file).at("metrics").at("cells");
        for (const nlohmann::json& cell : cells) {
            const std::string peer = cell.at("peer");
            if (peer != "native" && peer != "xsched") continue;
            const bool alone = cell.at("lp_kernel").is_null();
            const int64_t low_ns = length_ns(cell.at("lp_kernel"));
            if (!alone && low_ns == 0) continue;  // endless
            measured.push_back({.peer = peer == "native" ? Peer::kNative : Peer::kXsched,
                                .pattern = cell.at("pattern").get<std::string>().at(0),
                                .low_ns = low_ns,
                                .p50_us = cell.at("hp_latency_us").at("p50")});
        }
    } catch (const nlohmann::json::exception&) {
        throw std::runtime_error(path + " is no result of the benchmark suite's main_job or lengths");
    }
    return measured;
}

std::string title(Peer peer) { return peer == Peer::kNative ? "native" : "XSched"; }

}  // namespace

int fit_command(const FitWords& words) {
    const std::vector<Measurement> measured = read_results(words.file);
    const auto low_ns = static_cast<int64_t>(std::llround(words.low_ms * 1e6));
    const std::optional<Fitted> fitted = fit(measured, low_ns);
    if (!fitted) {
        throw std::runtime_error(words.file + " lacks pattern A alone, or beside kernels of " +
                                 number(words.low_ms, 2) + " ms under XSched");
    }
    nlohmann::json cells = nlohmann::json::array();
    console::Table table({"pattern", ">low's kernels", ">by", ">measured us", ">simulated us", ">error"});
    double worst = 0;
    for (const Measurement& cell : measured) {
        const double simulated_us = predict_us(*fitted, cell);
        const double error = simulated_us / cell.p50_us - 1;
        worst = std::max(worst, std::abs(error));
        const bool used =
            cell.pattern == 'A' && (cell.low_ns == 0 || (cell.low_ns == low_ns && cell.peer == Peer::kXsched));
        const std::string low = cell.low_ns == 0 ? "none" : number(static_cast<double>(cell.low_ns) / 1e6, 2) + " ms";
        table.add({std::string(1, cell.pattern), low, title(cell.peer), number(cell.p50_us), number(simulated_us),
                   number(error * 100) + " %" + (used ? " (fitted)" : "")});
        cells.push_back({{"pattern", std::string(1, cell.pattern)},
                         {"low_ms", static_cast<double>(cell.low_ns) / 1e6},
                         {"peer", title(cell.peer)},
                         {"measured_us", cell.p50_us},
                         {"simulated_us", simulated_us},
                         {"error", error},
                         {"fitted", used}});
    }
    const double switch_us = static_cast<double>(fitted->costs.switch_us) / 1e3;
    const double kernel_us = static_cast<double>(fitted->kernel_ns) / 1e3;
    const int status = words.within > 0 && worst * 100 > words.within ? 1 : 0;
    if (words.json) {
        const nlohmann::json all{
            {"device", {{"switch_us", switch_us}}}, {"kernel_us", kernel_us}, {"cells", cells}, {"worst", worst}};
        printf("%s\n", all.dump(2).c_str());
        return status;
    }
    printf("# high's kernels: %.3f us\n[device]\nswitch_us = %.1f\n\n%s\nlargest error: %.1f %%\n", kernel_us,
           switch_us, table.text().c_str(), worst * 100);
    return status;
}

}  // namespace xsched::sim::tool
