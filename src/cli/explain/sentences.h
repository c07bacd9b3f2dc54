// Writes the sentences of xcli explain: turns the server's facts ("programs", server/tools/tool_programs.cpp) into
// words that a person can act on. Pure; any thread.
#pragma once

#include <string>

#include "cli/explain/explained.h"
#include "cli/server_link.h"

namespace xsched::cli {

// Explains `program`, an element of answer["programs"]; the other elements tell what runs beside it.
Explained explain(const Json& answer, const Json& program);
std::string explained_text(const Json& program, const Explained& explained);
Json explained_json(const Json& program, const Explained& explained);

}  // namespace xsched::cli
