#include "cli/doctor/shared_object.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/unique_fd.h"

namespace xsched::cli {
namespace {

constexpr size_t kMostBytes = size_t{64} << 20;  // largest table that is read; those of libcuda and libamdhip64 take
                                                 // less than 1 MiB

class File {
public:
    explicit File(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
        struct stat info{};
        good_ = fd_ && fstat(fd_.get(), &info) == 0 && S_ISREG(info.st_mode);
    }
    // Reads a whole table, or nothing.
    template <typename T>
    std::vector<T> read(uint64_t at, uint64_t bytes) const {
        if (!good_ || bytes > kMostBytes || at > INT64_MAX - kMostBytes) return {};
        std::vector<T> found(bytes / sizeof(T));
        const size_t wanted = found.size() * sizeof(T);
        if (pread(fd_.get(), found.data(), wanted, static_cast<off_t>(at)) != static_cast<ssize_t>(wanted)) return {};
        return found;
    }

private:
    base::UniqueFd fd_;
    bool good_ = false;
};

std::string text_at(const std::vector<char>& texts, uint64_t at) {
    if (at >= texts.size()) return {};
    return {texts.data() + at, strnlen(texts.data() + at, texts.size() - at)};
}

// A section of the file, and the texts that its entries name by their places.
struct Section {
    Elf64_Shdr header;
    std::vector<char> texts;
};

// Finds the section of this type with its names. nullopt: there is none, or this is no 64-bit ELF file.
std::optional<Section> section_of(const File& file, Elf64_Word type) {
    const std::vector<Elf64_Ehdr> heads = file.read<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr));
    if (heads.empty() || memcmp(heads[0].e_ident, ELFMAG, SELFMAG) != 0 || heads[0].e_ident[EI_CLASS] != ELFCLASS64 ||
        heads[0].e_shentsize != sizeof(Elf64_Shdr))
        return {};
    const auto sections = file.read<Elf64_Shdr>(heads[0].e_shoff, uint64_t{heads[0].e_shnum} * sizeof(Elf64_Shdr));
    const auto found = std::find_if(sections.begin(), sections.end(),
                                    [&](const Elf64_Shdr& section) { return section.sh_type == type; });
    if (found == sections.end() || found->sh_link >= sections.size()) return {};
    const Elf64_Shdr& strings = sections[found->sh_link];
    return Section{*found, file.read<char>(strings.sh_offset, strings.sh_size)};
}

}  // namespace

std::optional<std::vector<std::string>> exported_functions(const std::string& path) {
    const File file(path);
    const std::optional<Section> dynamic = section_of(file, SHT_DYNSYM);
    if (!dynamic) return {};
    std::vector<std::string> names;
    for (const Elf64_Sym& symbol : file.read<Elf64_Sym>(dynamic->header.sh_offset, dynamic->header.sh_size)) {
        const unsigned type = ELF64_ST_TYPE(symbol.st_info);
        if (symbol.st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC)) continue;
        names.push_back(text_at(dynamic->texts, symbol.st_name));
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

std::vector<std::string> needed_libraries(const std::string& path) {
    const File file(path);
    const std::optional<Section> dynamic = section_of(file, SHT_DYNAMIC);
    std::vector<std::string> names;
    if (!dynamic) return names;
    for (const Elf64_Dyn& entry : file.read<Elf64_Dyn>(dynamic->header.sh_offset, dynamic->header.sh_size))
        if (entry.d_tag == DT_NEEDED) names.push_back(text_at(dynamic->texts, entry.d_un.d_val));
    return names;
}

}  // namespace xsched::cli
