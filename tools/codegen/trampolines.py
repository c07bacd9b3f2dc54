"""Assembly of the exported entry points: one jump through a slot each. See generate.py.

Hidden symbols for the shim's C++ side:
  xsched_slots[i]    where entry point i jumps to; first its resolving stub
  xsched_exported[i] the address of our own entry point i, whatever else has the same name in the process
"""

# Where a first call keeps its arguments while the driver's function is looked for: register and place on the stack.
X86_64_ARGUMENTS = [("movq", f"%{register}", f"{8 * i}(%rsp)")
                    for i, register in enumerate(["rdi", "rsi", "rdx", "rcx", "r8", "r9", "rax", "r10"])]
X86_64_ARGUMENTS += [("movaps", f"%xmm{i}", f"{64 + 16 * i}(%rsp)") for i in range(8)]
AARCH64_ARGUMENTS = [("p", f"x{i}, x{i + 1}", f"[sp, #{16 + 8 * i}]") for i in range(0, 8, 2)]
AARCH64_ARGUMENTS += [("r", "x8", "[sp, #80]")]
AARCH64_ARGUMENTS += [("p", f"q{i}, q{i + 1}", f"[sp, #{96 + 16 * i}]") for i in range(0, 8, 2)]


def lines(form, arguments):
    return "\n".join("    " + form.format(*argument) for argument in arguments)


X86_64_COMMON = f"""
    .p2align 4
    .type xsched_first_call, @function
xsched_first_call:  /* on the stack: the index, the caller's return address */
    .cfi_startproc
    .cfi_def_cfa_offset 16
    pushq %rbp
    .cfi_def_cfa_offset 24
    .cfi_offset %rbp, -24
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    andq $-16, %rsp
    subq $192, %rsp
{lines("{0} {1}, {2}", X86_64_ARGUMENTS)}
    movq 8(%rbp), %rdi
    call xsched_resolve
    movq %rax, %r11
{lines("{0} {2}, {1}", X86_64_ARGUMENTS)}
    movq %rbp, %rsp
    popq %rbp
    .cfi_restore %rbp
    .cfi_def_cfa %rsp, 16
    leaq 8(%rsp), %rsp
    .cfi_def_cfa_offset 8
    jmp *%r11
    .cfi_endproc
    .size xsched_first_call, . - xsched_first_call
"""

X86_64_ENTRY = """
    .p2align 4
    .globl {name}
    .type {name}, @function
{name}:
.Lexported_{index}:
    .cfi_startproc
    endbr64
    jmp *xsched_slots+{offset}(%rip)
    .cfi_endproc
    .size {name}, . - {name}
.Lstub_{index}:
    .cfi_startproc
    endbr64
    pushq ${index}
    .cfi_adjust_cfa_offset 8
    jmp xsched_first_call
    .cfi_endproc
"""

AARCH64_COMMON = f"""
    .p2align 4
    .type xsched_first_call, %function
xsched_first_call:  /* w17: the index */
    .cfi_startproc
    stp x29, x30, [sp, #-224]!
    .cfi_def_cfa_offset 224
    .cfi_offset x29, -224
    .cfi_offset x30, -216
    mov x29, sp
{lines("st{0} {1}, {2}", AARCH64_ARGUMENTS)}
    mov w0, w17
    bl xsched_resolve
    mov x16, x0
{lines("ld{0} {1}, {2}", AARCH64_ARGUMENTS)}
    ldp x29, x30, [sp], #224
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa_offset 0
    br x16
    .cfi_endproc
    .size xsched_first_call, . - xsched_first_call
"""

AARCH64_ENTRY = """
    .p2align 4
    .globl {name}
    .type {name}, %function
{name}:
.Lexported_{index}:
    .cfi_startproc
    hint #34  /* bti c */
    adrp x16, xsched_slots+{offset}
    ldr x16, [x16, #:lo12:xsched_slots+{offset}]
    br x16
    .cfi_endproc
    .size {name}, . - {name}
.Lstub_{index}:
    .cfi_startproc
    hint #36  /* bti j */
    mov w17, #{index}
    b xsched_first_call
    .cfi_endproc
"""

ARCHITECTURES = {
    "x86_64": (X86_64_COMMON, X86_64_ENTRY, "@"),
    "aarch64": (AARCH64_COMMON, AARCH64_ENTRY, "%"),
}


def table_of(symbol, labels, section, marker):
    rows = [
        f"\n    .section {section}",
        "    .p2align 3",
        f"    .globl {symbol}",
        f"    .hidden {symbol}",
        f"    .type {symbol}, {marker}object",
        f"{symbol}:",
    ]
    rows += [f"    .quad {label}" for label in labels]
    rows += [f"    .size {symbol}, . - {symbol}"]
    return "\n".join(rows) + "\n"


def assembly(names, architecture):
    common, entry, marker = ARCHITECTURES[architecture]
    stack = f"\n    .section .note.GNU-stack, \"\", {marker}progbits\n"
    if not names:
        return stack
    text = "    .text\n    .hidden xsched_resolve\n"
    text += common
    for index, name in enumerate(names):
        text += entry.format(name=name, index=index, offset=8 * index)
    stubs = [f".Lstub_{index}" for index in range(len(names))]
    exported = [f".Lexported_{index}" for index in range(len(names))]
    text += table_of("xsched_slots", stubs, f".data, \"aw\", {marker}progbits", marker)
    text += table_of("xsched_exported", exported, f".data.rel.ro, \"aw\", {marker}progbits", marker)
    return text + stack
