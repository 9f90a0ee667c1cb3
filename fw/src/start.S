// Clears and paints writable memory, gives main a stack, and its result to the exit. What of the stack was
// never used still has its paint in the end.
#include "devices.h"

#define PAINT 0x5a5a5a5a5a5a5a5a

  .section .text.start
  .globl _start
_start:
  la sp, stack_top
  la t0, bss_start
  la t1, bss_end
1:
  bgeu t0, t1, 2f
  sd zero, 0(t0)
  addi t0, t0, 8
  j 1b
2:
  li t2, PAINT
3:
  bgeu t0, sp, 4f
  sd t2, 0(t0)
  addi t0, t0, 8
  j 3b
4:
  // A trap ends the run with its cause above 256.
  la t0, trap
  csrw mtvec, t0
  call platform_start
  call main
  // How far down the stack came: what lies above the paint that nobody touched.
  la t0, bss_end
  li t2, PAINT
5:
  ld t1, 0(t0)
  bne t1, t2, 6f
  addi t0, t0, 8
  bltu t0, sp, 5b
6:
  sub t1, sp, t0
  // Memory as it was left is in memory, not in a cache (where fence.i writes one back).
  fence.i
  li t0, DEVICES_BASE
  sd t1, DEVICE_STACK(t0)
  sd a0, DEVICE_EXIT(t0)
7:
  j 7b

  .balign 4
trap:
  csrr a0, mcause
  addi a0, a0, 256
  fence.i
  li t0, DEVICES_BASE
  sd a0, DEVICE_EXIT(t0)
8:
  j 8b
