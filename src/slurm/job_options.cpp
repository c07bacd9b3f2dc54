#include "slurm/job_options.h"

#include <algorithm>
#include <cstdlib>

#include "config/hint_text.h"
#include "config/limit_setting.h"

namespace xsched::slurm {
namespace {

constexpr int64_t kShardsOfADevice = 100;  // docs/SLURM.md: then a shard is a percent

size_t option_for(base::HintId hint) {
    size_t option = 0;
    while (kJobOptions[option].hint != hint) ++option;
    return option;
}

}  // namespace

std::string JobOptions::take(size_t option, const char* text) {
    const JobOption& row = kJobOptions[option];
    config::Node node;
    node.kind = config::Node::Kind::kText;
    node.text = row.value == nullptr ? "1" : text != nullptr ? text : "";
    std::string complaint;
    const auto value = config::read_hint(base::hint_info(row.hint), node, &complaint);
    if (!value) return std::string("--xsched-") + row.name + ": " + complaint;
    given_[option] = value;
    return "";
}

bool JobOptions::is_given(base::HintId hint) const { return is_given(option_for(hint)); }

void JobOptions::take_shards(const std::string& shards, const std::string& devices) {
    const size_t share = option_for(base::HintId::share);
    int64_t number = 0;
    if (is_given(share) || !config::read_number(shards, &number) || number <= 0) return;
    const int64_t count = devices.empty() ? 1 : 1 + std::count(devices.begin(), devices.end(), ',');
    given_[share] = std::clamp<int64_t>(number / count, 1, kShardsOfADevice);
}

std::vector<std::string> JobOptions::command(const std::string& xcli, const std::vector<std::string>& program) const {
    std::vector<std::string> words{xcli, "run", "--no-tell"};
    for (size_t i = 0; i < kJobOptionCount; ++i) {
        if (!given_[i]) continue;
        words.push_back(config::option_of(base::hint_info(kJobOptions[i].hint)));
        if (kJobOptions[i].value != nullptr)
            words.push_back(config::text_of_hint(base::hint_info(kJobOptions[i].hint), *given_[i]));
    }
    words.emplace_back("--");
    words.insert(words.end(), program.begin(), program.end());
    return words;
}

}  // namespace xsched::slurm
