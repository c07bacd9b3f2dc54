#include "base/program_name.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/interpreters.h"
#include "base/unique_fd.h"

namespace xsched::base {
namespace {

// Bytes of the command line that are looked at: options before a script are few.
constexpr size_t kMostCommandBytes = 1024;  // safety

// The words of a command line, one after the other.
class Words {
public:
    Words(const char* text, size_t bytes) : text_(text), left_(bytes) {}
    // Returns the next word of the command line; null: there is none that ends within the text.
    const char* next() {
        const size_t length = strnlen(text_, left_);
        if (length == left_) return nullptr;
        const char* word = text_;
        text_ += length + 1;
        left_ -= length + 1;
        return word;
    }

private:
    const char* text_;
    size_t left_;
};

const char* last_part(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash != nullptr ? slash + 1 : path;
}

bool is_one_of(const char* word, const char* one, const char* other) {
    return strcmp(word, one) == 0 || strcmp(word, other) == 0;
}

// Takes words up to the script. Returns it without its folder, or the module after -m; null: there is none.
const char* take_script(Words& words, bool* is_module) {
    *is_module = false;
    const char* word = words.next();
    for (; word != nullptr && *word == '-'; word = words.next()) {
        *is_module = strcmp(word, "-m") == 0;
        if (*is_module) return words.next();
        if (strcmp(word, "-c") == 0) return nullptr;
        if (is_one_of(word, "-X", "-W")) words.next();  // python3's options that take a value
    }
    return word != nullptr && *word != '\0' ? last_part(word) : nullptr;
}

}  // namespace

void name_program(const char* short_name, const char* command_line, size_t command_bytes, char* name, size_t bytes) {
    snprintf(name, bytes, "%s", short_name);
    if (!is_interpreter(short_name)) return;
    Words words(command_line, command_bytes);
    const char* first = words.next();
    if (first == nullptr || *first == '\0') return;
    // The command line's first word is no interpreter: the program has written a title over its command line, as Ray
    // and vLLM do, and is named by that title.
    if (!is_interpreter(last_part(first))) return static_cast<void>(snprintf(name, bytes, "%s", first));
    bool is_module = false;
    const char* script = take_script(words, &is_module);
    if (script != nullptr) snprintf(name, bytes, "%s %s%s", short_name, is_module ? "-m " : "", script);
}

void name_this_program(char* name, size_t bytes) {
    char line[kMostCommandBytes];
    const UniqueFd file(open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC));
    ssize_t got = -1;
    do {
        got = file ? read(file.get(), line, sizeof(line)) : 0;
    } while (got < 0 && errno == EINTR);
    name_program(program_invocation_short_name, line, got > 0 ? static_cast<size_t>(got) : 0, name, bytes);
}

}  // namespace xsched::base
