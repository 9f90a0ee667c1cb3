// Counts what an operating system adds to a call, each alone, as operations.c counts a client's work: ways
// between modes, pages that are copied, a cache that is emptied. Translation of addresses is off.
#include "measure.h"
#include "platform.h"
#include "soc_map.h"

#define CALLS 32
#define PAGE_BYTES 4096
#define PAGE_WORDS (PAGE_BYTES / 8)
// Twice what the host's cache of data has (CACHE_BYTES: who builds says it).
#define DISPLACING_WORDS (2 * CACHE_BYTES / 8)
#define STACK_WORDS 256

// Of a trap's causes, and of what a user asks the kernel for.
#define CALL_OF_SUPERVISOR 9
enum { ASK_NOTHING, ASK_MACHINE_CALLS, ASK_LEAVE };

enum {
  OPERATION_NOTHING = 1,
  OPERATION_SYSTEM_CALL = 2,
  OPERATION_MACHINE_CALL = 3,
  OPERATION_PAGE_COPY = 4,
  OPERATION_PAGE_COPY_COLD = 5,
  OPERATION_CACHE_FLUSH = 6,
};

void kernel_trap(void);
void machine_trap(void);
void run_user(void (*program)(void));
void machine_leave(void);

// What trap.S saves: registers by number, status and where to go on.
typedef struct {
  uint64_t registers[32], status, program_counter;
} frame_t;

static uint64_t kernel_stack[STACK_WORDS], machine_stack[STACK_WORDS];
static uint64_t of_user[PAGE_WORDS] __attribute__((aligned(64)));
static uint64_t of_kernel[PAGE_WORDS] __attribute__((aligned(64)));
static uint64_t displacing[DISPLACING_WORDS] __attribute__((aligned(64)));
static int failed;

static void ask(uint64_t what) {
  register uint64_t a7 __asm__("a7") = what;
  __asm__ volatile("ecall" : : "r"(a7) : "memory");
}

static void copy(uint64_t *to, const uint64_t *from) {
  // A compiler that saw where it points would know that nobody writes there.
  __asm__("" : "+r"(from));
#pragma GCC unroll 8
  for (unsigned i = 0; i < PAGE_WORDS; i++) ((volatile uint64_t *)to)[i] = from[i];
}

// All lines dropped: by the instruction that writes them back, or others in their place.
static void empty(void) {
  platform_write_back();
  for (unsigned i = 0; i < DISPLACING_WORDS; i += 8) (void)((volatile uint64_t *)displacing)[i];
}

static void make_dirty(void) {
  for (unsigned i = 0; i < DISPLACING_WORDS; i += 8) ((volatile uint64_t *)displacing)[i] = i;
}

__attribute__((used)) void kernel_call(const frame_t *frame) {
  const uint64_t asked = frame->registers[17];
  if (asked == ASK_MACHINE_CALLS) {
    for (unsigned i = 0; i < CALLS; i++) ask(ASK_NOTHING);
  } else if (asked == ASK_LEAVE) {
    ask(ASK_LEAVE);
  }
}

__attribute__((used)) void machine_call(const frame_t *frame, uint64_t cause) {
  failed |= cause != CALL_OF_SUPERVISOR;
  if (cause != CALL_OF_SUPERVISOR || frame->registers[17] == ASK_LEAVE) machine_leave();
}

static void program(void) {
  MEASURE(OPERATION_NOTHING, 1, (void)0);
  MEASURE(OPERATION_SYSTEM_CALL, CALLS, for (unsigned i = 0; i < CALLS; i++) ask(ASK_NOTHING));
  MEASURE(OPERATION_MACHINE_CALL, CALLS, ask(ASK_MACHINE_CALLS));
  MEASURE(OPERATION_PAGE_COPY, 1, copy(of_kernel, of_user));
  for (int round = 0; round < 2; round++) {
    empty();
    platform_mark(OPERATION_PAGE_COPY_COLD);
    copy(of_kernel, of_user);
    platform_mark(COUNT + 1);
  }
  for (int round = 0; round < 2; round++) {
    make_dirty();
    platform_mark(OPERATION_CACHE_FLUSH);
    empty();
    platform_mark(COUNT + 1);
  }
  ask(ASK_LEAVE);
}

int main(void) {
  // Every mode may reach everything; a user's calls are the supervisor's.
  __asm__ volatile("csrw pmpaddr0, %0" : : "r"(-1ull));
  __asm__ volatile("csrw pmpcfg0, %0" : : "r"(0x1full));
  __asm__ volatile("csrw medeleg, %0" : : "r"(1ull << 8));
  __asm__ volatile("csrw stvec, %0" : : "r"(kernel_trap));
  __asm__ volatile("csrw sscratch, %0" : : "r"(kernel_stack + STACK_WORDS));
  __asm__ volatile("csrw mscratch, %0" : : "r"(machine_stack + STACK_WORDS));
  uint64_t before;
  __asm__ volatile("csrrw %0, mtvec, %1" : "=r"(before) : "r"(machine_trap));
  run_user(program);
  __asm__ volatile("csrw mtvec, %0" : : "r"(before));
  return failed;
}
