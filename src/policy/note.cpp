#include "policy/note.h"

#include <cstdio>

namespace xsched::policy {

bool note_warns(NoteCode code) {
    switch (code) {
#define XSCHED_NOTE(name, number, warns, sentence) \
    case NoteCode::name: return warns;
#include "policy/note.def"
#undef XSCHED_NOTE
        default: return false;
    }
}

const char* write_note(const Note& note, char* text, size_t size) {
    if (size == 0) return "";
    text[0] = '\0';
    const auto first = static_cast<long long>(note.first);
    const auto second = static_cast<long long>(note.second);
    switch (note.code) {
#define XSCHED_NOTE(name, number, warns, sentence) \
    case NoteCode::name: snprintf(text, size, sentence, first, second); break;
#include "policy/note.def"
#undef XSCHED_NOTE
        default: break;
    }
    return text;
}

}  // namespace xsched::policy
