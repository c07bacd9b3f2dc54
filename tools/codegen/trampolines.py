"""Assembly of the exported entry points: one jump through a slot each. See generate.py.

Hidden symbols for the shim's C++ side:
  xsched_slots[i]    where entry point i jumps to; first its resolving stub
  xsched_exported[i] the address of our own entry point i, whatever else has the same name in the process
"""

X86_64_COMMON = """
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
    movq %rdi, 0(%rsp)
    movq %rsi, 8(%rsp)
    movq %rdx, 16(%rsp)
    movq %rcx, 24(%rsp)
    movq %r8, 32(%rsp)
    movq %r9, 40(%rsp)
    movq %rax, 48(%rsp)
    movq %r10, 56(%rsp)
    movaps %xmm0, 64(%rsp)
    movaps %xmm1, 80(%rsp)
    movaps %xmm2, 96(%rsp)
    movaps %xmm3, 112(%rsp)
    movaps %xmm4, 128(%rsp)
    movaps %xmm5, 144(%rsp)
    movaps %xmm6, 160(%rsp)
    movaps %xmm7, 176(%rsp)
    movq 8(%rbp), %rdi
    call xsched_resolve
    movq %rax, %r11
    movq 0(%rsp), %rdi
    movq 8(%rsp), %rsi
    movq 16(%rsp), %rdx
    movq 24(%rsp), %rcx
    movq 32(%rsp), %r8
    movq 40(%rsp), %r9
    movq 48(%rsp), %rax
    movq 56(%rsp), %r10
    movaps 64(%rsp), %xmm0
    movaps 80(%rsp), %xmm1
    movaps 96(%rsp), %xmm2
    movaps 112(%rsp), %xmm3
    movaps 128(%rsp), %xmm4
    movaps 144(%rsp), %xmm5
    movaps 160(%rsp), %xmm6
    movaps 176(%rsp), %xmm7
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

AARCH64_COMMON = """
    .p2align 4
    .type xsched_first_call, %function
xsched_first_call:  /* w17: the index */
    .cfi_startproc
    stp x29, x30, [sp, #-224]!
    .cfi_def_cfa_offset 224
    .cfi_offset x29, -224
    .cfi_offset x30, -216
    mov x29, sp
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    str x8, [sp, #80]
    stp q0, q1, [sp, #96]
    stp q2, q3, [sp, #128]
    stp q4, q5, [sp, #160]
    stp q6, q7, [sp, #192]
    mov w0, w17
    bl xsched_resolve
    mov x16, x0
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldp x6, x7, [sp, #64]
    ldr x8, [sp, #80]
    ldp q0, q1, [sp, #96]
    ldp q2, q3, [sp, #128]
    ldp q4, q5, [sp, #160]
    ldp q6, q7, [sp, #192]
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
    lines = [
        f"\n    .section {section}",
        "    .p2align 3",
        f"    .globl {symbol}",
        f"    .hidden {symbol}",
        f"    .type {symbol}, {marker}object",
        f"{symbol}:",
    ]
    lines += [f"    .quad {label}" for label in labels]
    lines += [f"    .size {symbol}, . - {symbol}"]
    return "\n".join(lines) + "\n"


def assembly(names, architecture):
    common, entry, marker = ARCHITECTURES[architecture]
    text = "    .text\n    .hidden xsched_resolve\n"
    text += common
    for index, name in enumerate(names):
        text += entry.format(name=name, index=index, offset=8 * index)
    stubs = [f".Lstub_{index}" for index in range(len(names))]
    exported = [f".Lexported_{index}" for index in range(len(names))]
    text += table_of("xsched_slots", stubs, f".data, \"aw\", {marker}progbits", marker)
    text += table_of("xsched_exported", exported, f".data.rel.ro, \"aw\", {marker}progbits", marker)
    text += f"\n    .section .note.GNU-stack, \"\", {marker}progbits\n"
    return text
