#include "kubernetes/gpus.h"

#include <algorithm>
#include <cstdlib>

#include "base/files.h"

namespace xsched::kubernetes {
namespace {

std::string trimmed(const std::string& text) {
    const size_t begin = text.find_first_not_of(" \t\n");
    if (begin == std::string::npos) return "";
    return text.substr(begin, text.find_last_not_of(" \t\n") + 1 - begin);
}

// Returns the rest of the line that begins with `key`.
std::string value_in(const std::string& text, const std::string& key) {
    const size_t at = ("\n" + text).find("\n" + key);
    if (at == std::string::npos) return "";
    const size_t begin = at + key.size();
    return trimmed(text.substr(begin, text.find('\n', begin) - begin));
}

bool is_address(const std::string& name) {  // "0000:3b:00.0"
    return name.size() == 12 && name[4] == ':' && name[7] == ':' && name[10] == '.';
}

// Returns the names in a folder that are PCI addresses, in order.
std::vector<std::string> addresses_in(const std::string& folder) {
    std::vector<std::string> names = base::names_in(folder);
    std::erase_if(names, [](const std::string& name) { return !is_address(name); });
    return names;
}

// Returns whether a GPU still answers on the PCI bus: if it has fallen off the bus, each byte of its configuration
// reads as 0xff. Otherwise the first two bytes are the vendor's number.
bool answers(const std::string& root, const std::string& address) {
    return base::text_of_file(root + "/sys/bus/pci/devices/" + address + "/config").substr(0, 2) != "\xff\xff";
}

std::string name_of(std::string address) {
    std::replace_if(address.begin(), address.end(), [](char c) { return c == ':' || c == '.'; }, '-');
    return "gpu-" + address;
}

void add_nvidia(const std::string& root, std::vector<Gpu>& gpus) {
    const std::string folder = root + "/proc/driver/nvidia/gpus";
    for (const std::string& address : addresses_in(folder)) {
        const std::string facts = base::text_of_file(folder + "/" + address + "/information");
        const std::string uuid = value_in(facts, "GPU UUID:");
        gpus.push_back({name_of(address), address, "cuda", "nvidia.com/gpu=" + uuid, value_in(facts, "Model:"), uuid, 0,
                        answers(root, address)});
    }
}

void add_amd(const std::string& root, std::vector<Gpu>& gpus) {
    const std::string folder = root + "/sys/bus/pci/drivers/amdgpu";
    int number = 0;
    for (const std::string& address : addresses_in(folder)) {
        const std::string files = root + "/sys/bus/pci/devices/" + address;
        const std::string unique = trimmed(base::text_of_file(files + "/unique_id"));
        gpus.push_back({name_of(address), address, "hip", "amd.com/gpu=" + std::to_string(number++),
                        trimmed(base::text_of_file(files + "/product_name")), unique.empty() ? "" : "GPU-" + unique,
                        std::atoll(base::text_of_file(files + "/mem_info_vram_total").c_str()),
                        answers(root, address)});
    }
}

}  // namespace

std::vector<Gpu> find_gpus(const std::string& root) {
    std::vector<Gpu> gpus;
    add_nvidia(root, gpus);
    add_amd(root, gpus);
    return gpus;
}

}  // namespace xsched::kubernetes
