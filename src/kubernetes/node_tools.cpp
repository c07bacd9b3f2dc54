#include "kubernetes/node_tools.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "console/command.h"
#include "kubernetes/json.h"

namespace xsched::kubernetes {
namespace {

// The remark of the policy AUTO (src/policy/note.def, kOffTarget).
constexpr const char* kMissed = "cannot be met";

std::string last_line(const std::string& text) {
    const size_t end = text.find_last_not_of('\n');
    if (end == std::string::npos) return "";
    const size_t begin = text.rfind('\n', end);
    return text.substr(begin == std::string::npos ? 0 : begin + 1,
                       end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

}  // namespace

std::string NodeTools::run(const std::vector<std::string>& words) const {
    std::vector<std::string> all{xcli_};
    all.insert(all.end(), words.begin(), words.end());
    const console::Printed printed = console::run_command(all, console::own_environment(), console::Errors::kTogether);
    if (printed.well) return printed.text;
    const std::string sentence = last_line(printed.text);
    throw std::runtime_error(sentence.empty() ? xcli_ + " cannot be run or does not end" : sentence);
}

void NodeTools::limit(const std::string& setting) const { run({"limit", setting}); }

void NodeTools::write_cdi(const std::string& file, const std::string& name, const std::string& platform,
                          const std::vector<std::string>& words) const {
    const std::string fresh = file + ".new";  // no engine reads a file of that ending
    std::vector<std::string> all{"container", "cdi", "--platform", platform, "--name", name, "-o", fresh};
    all.insert(all.end(), words.begin(), words.end());
    run(all);
    std::filesystem::rename(fresh, file);
}

int64_t NodeTools::server() const {
    try {
        return Json::parse(run({"server", "--json"})).value("pid", int64_t{0});
    } catch (const std::exception&) {
        return 0;
    }
}

std::set<std::string> NodeTools::missed_targets() const { return missed_targets_in(run({"list", "--json"})); }

std::string address_of(const std::string& device) {
    const size_t colon = device.find(':');
    if (colon == std::string::npos) return "";
    const auto id = static_cast<unsigned>(std::strtoul(device.c_str() + colon + 1, nullptr, 16));
    char address[16];
    snprintf(address, sizeof address, "%04x:%02x:%02x.%x", id >> 16 & 0xffff, id >> 8 & 0xff, id >> 3 & 0x1f, id & 7);
    return address;
}

std::set<std::string> missed_targets_in(const std::string& list) {
    std::set<std::string> devices;
    for (const Json& queue : Json::parse(list).value("queues", Json::array()))
        if (queue.value("policy_says", "").find(kMissed) != std::string::npos)
            devices.insert(address_of(queue.value("device", "")));
    return devices;
}

}  // namespace xsched::kubernetes
