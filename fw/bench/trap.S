// Ways between modes, as a kernel has them: all registers saved on a stack of its own, a handler, all back.
#define FRAME 272

  // A trap into a mode: what it came with is in the CSRs of that mode.
  .macro TRAP name, scratch, epc, status, cause, value, handler, back
  .balign 4
  .globl \name
\name:
  csrrw sp, \scratch, sp
  addi sp, sp, -FRAME
  sd x1, 8(sp)
  .irp register, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  sd x\register, 8 * \register(sp)
  .endr
  csrr s0, \scratch
  csrr s1, \status
  csrr s2, \epc
  csrr s3, \value
  csrr s4, \cause
  sd s0, 16(sp)
  sd s1, 256(sp)
  sd s2, 264(sp)
  mv a0, sp
  mv a1, s4
  call \handler
  ld s1, 256(sp)
  ld s2, 264(sp)
  addi s2, s2, 4
  csrw \status, s1
  csrw \epc, s2
  ld x1, 8(sp)
  .irp register, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  ld x\register, 8 * \register(sp)
  .endr
  addi sp, sp, FRAME
  csrrw sp, \scratch, sp
  \back
  .endm

  .text
  TRAP kernel_trap, sscratch, sepc, sstatus, scause, stval, kernel_call, sret
  TRAP machine_trap, mscratch, mepc, mstatus, mcause, mtval, machine_call, mret

  // void run_user(void (*program)(void)): in user mode, on this stack; returns when machine_leave is called.
  .globl run_user
run_user:
  addi sp, sp, -112
  sd ra, 0(sp)
  .irp register, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
  sd s\register, 8 + 8 * \register(sp)
  .endr
  la t0, left
  sd sp, 0(t0)
  csrw mepc, a0
  // The mode before the trap that never was.
  li t0, 3 << 11
  csrc mstatus, t0
  mret

  // void machine_leave(void), in machine mode: out of run_user.
  .globl machine_leave
machine_leave:
  la t0, left
  ld sp, 0(t0)
  ld ra, 0(sp)
  .irp register, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
  ld s\register, 8 + 8 * \register(sp)
  .endr
  addi sp, sp, 112
  ret

  .bss
  .balign 8
left:
  .zero 8
