// Runs a model of `soc`: loads memory, clocks, and writes down what the devices saw.
//
// soc --read-only-base ADDRESS --memory-base ADDRESS --read-only FILE --memory BYTES --cycles MOST --events FILE
//     --transmitted FILE --memory-image FILE [--wave FILE]
//
// The events are lines of JSON: {"mark": number, "cycle": cycle}, {"exit": code, "cycle": cycle},
// {"stack": bytes}. The run ends with the exit, or MOST cycles after the last mark. Progress goes to standard error.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "Vtop.h"
#include "Vtop__Dpi.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

namespace {

constexpr uint64_t kProgressCycles = 1 << 20;

uint64_t read_only_base = 0;
uint64_t memory_base = 0;
std::vector<uint8_t> read_only;
std::vector<uint8_t> memory;
std::ofstream events;
std::ofstream transmitted;
uint64_t cycle = 0;
uint64_t marked = 0;
bool ended = false;

uint8_t* place(uint64_t address, bool write) {
  if (address >= memory_base && address + 8 <= memory_base + memory.size())
    return &memory[address - memory_base];
  if (!write && address >= read_only_base && address + 8 <= read_only_base + read_only.size())
    return &read_only[address - read_only_base];
  return nullptr;
}

std::vector<uint8_t> contents(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) {
    std::cerr << "soc: " << name << " cannot be read\n";
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

extern "C" {

svBit soc_memory_read(unsigned long long address, unsigned long long* data) {
  const uint8_t* at = place(address, false);
  *data = 0;
  if (at) std::memcpy(data, at, 8);
  return at != nullptr;
}

svBit soc_memory_write(unsigned long long address, unsigned long long data, unsigned char strobe) {
  uint8_t* at = place(address, true);
  if (!at) return 0;
  for (int byte = 0; byte < 8; byte++)
    if (strobe >> byte & 1) at[byte] = static_cast<uint8_t>(data >> (8 * byte));
  return 1;
}

void soc_character(unsigned char character) { std::cout.put(static_cast<char>(character)).flush(); }

void soc_exit(unsigned long long code) {
  if (!ended) events << "{\"exit\": " << code << ", \"cycle\": " << cycle << "}\n";
  ended = true;
}

void soc_mark(unsigned long long at, unsigned long long number) {
  marked = at;
  events << "{\"mark\": " << number << ", \"cycle\": " << at << "}\n";
}

void soc_stack(unsigned long long bytes) { events << "{\"stack\": " << bytes << "}\n"; }

void soc_transmit(unsigned long long data) { transmitted.write(reinterpret_cast<const char*>(&data), 8); }

}

int main(int argc, char** argv) {
  std::string wave, memory_image;
  uint64_t most = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--read-only-base") read_only_base = std::stoull(value);
    else if (name == "--memory-base") memory_base = std::stoull(value);
    else if (name == "--read-only") read_only = contents(value);
    else if (name == "--memory") memory.resize(std::stoull(value));
    else if (name == "--cycles") most = std::stoull(value);
    else if (name == "--events") events.open(value);
    else if (name == "--transmitted") transmitted.open(value, std::ios::binary);
    else if (name == "--memory-image") memory_image = value;
    else if (name == "--wave") wave = value;
    else {
      std::cerr << "soc: unknown option " << name << "\n";
      return 2;
    }
  }
  // The last word may be read as eight bytes.
  read_only.resize((read_only.size() + 71) / 64 * 64);

  // The host's library is in this one too.
  VerilatedContext& context = *Verilated::threadContextp();
  context.commandArgs(argc, argv);
  context.randReset(0);
  Vtop top(&context);
#if VM_TRACE
  VerilatedFstC trace;
  if (!wave.empty()) {
    context.traceEverOn(true);
    top.trace(&trace, 99);
    trace.open(wave.c_str());
  }
#endif
  const auto began = std::chrono::steady_clock::now();
  constexpr uint64_t kResetCycles = 20;
  for (uint64_t count = 0; !ended && !context.gotFinish(); count++) {
    cycle = count < kResetCycles ? 0 : count - kResetCycles;
    if (cycle >= marked + most) break;
    top.rst_ni = count >= kResetCycles;
    for (int clock = 0; clock < 2; clock++) {
      top.clk_i = clock;
      top.eval();
      context.timeInc(1);
#if VM_TRACE
      if (!wave.empty()) trace.dump(context.time());
#endif
    }
    if (cycle && cycle % kProgressCycles == 0) {
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
      std::cerr << "{\"cycles\": " << cycle << ", \"seconds\": " << took.count() << "}" << std::endl;
    }
  }
#if VM_TRACE
  if (!wave.empty()) trace.close();
#endif
  top.final();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  if (!memory_image.empty())
    std::ofstream(memory_image, std::ios::binary)
        .write(reinterpret_cast<const char*>(memory.data()), static_cast<std::streamsize>(memory.size()));
  events << "{\"cycles\": " << cycle << ", \"seconds\": " << took.count() << "}\n";
  return ended ? 0 : 3;
}
