#include "order/core/options.h"

#include <getopt.h>

#include <cstdio>
#include <cstdlib>

namespace order {

bool parse_options(int argc, char** argv, Options& options) {
    static const option kLong[] = {
        {"ops", required_argument, nullptr, 'o'},      {"seed", required_argument, nullptr, 's'},
        {"seconds", required_argument, nullptr, 't'},  {"threads", required_argument, nullptr, 'n'},
        {"stall", required_argument, nullptr, 'w'},    {"gate-every", required_argument, nullptr, 'g'},
        {"in-order", no_argument, nullptr, 'i'},       {"chaos", no_argument, nullptr, 'c'},
        {"platform", required_argument, nullptr, 'p'}, {"fake", required_argument, nullptr, 'f'},
        {"explain", required_argument, nullptr, 'e'},  {"without", required_argument, nullptr, 'x'},
        {"favour", required_argument, nullptr, 'v'},   {nullptr, 0, nullptr, 0}};
    for (int it = 0; (it = getopt_long(argc, argv, "", kLong, nullptr)) != -1;) {
        switch (it) {
            case 'o': options.operations = std::atoll(optarg); break;
            case 's': options.seed = std::strtoull(optarg, nullptr, 10); break;
            case 't': options.seconds = std::atof(optarg); break;
            case 'n': options.threads = std::atoi(optarg); break;
            case 'w': options.stall_seconds = std::atoi(optarg); break;
            case 'g': options.gate_every = static_cast<uint32_t>(std::atoi(optarg)); break;
            case 'i': options.in_order = true; break;
            case 'c': options.chaos = true; break;
            case 'p': options.platform = optarg; break;
            case 'f': options.fake = optarg; break;
            case 'e': options.explain = std::atoi(optarg); break;
            case 'x': options.without = optarg; break;
            case 'v': options.favour = optarg; break;
            default:
                std::fprintf(stderr,
                             "usage: order_check [--ops N] [--seed N] [--seconds S] [--threads N] [--stall S] "
                             "[--gate-every N] [--in-order] [--chaos] [--platform NAME] [--fake LIBRARY] "
                             "[--without LIST] [--favour LIST] [--explain N]\n");
                return false;
        }
    }
    if (options.threads < 1 || options.operations < 1 || options.gate_every < 1) {
        std::fprintf(stderr, "order_check: --threads, --ops and --gate-every must be at least 1\n");
        return false;
    }
    return true;
}

}  // namespace order
