// A verilated design as a C library that crates/lockstep loads: one call a cycle.
//
// The design has the ports clk_i, rst_ni, in_i and out_o (both wider than 64 bits, so that Verilator
// keeps them as arrays of 32-bit words) and reports through `lockstep_probe`. A model that was built
// with --trace writes its waves into a file beside its library.
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "Vtop.h"
#if __has_include("Vtop__Dpi.h")
#include "Vtop__Dpi.h"
#else  // a design without probes
#include "svdpi.h"
#endif
#include "verilated.h"
#if VM_TRACE
#include <dlfcn.h>

#include "verilated_vcd_c.h"
#endif

namespace {

constexpr unsigned kResetCycles = 2;

struct Record {
    uint64_t destination;
    std::array<uint64_t, 2> value;  // low half first
    uint64_t probe;
};

struct Model {
    VerilatedContext context;
    Vtop top{&context};
    std::vector<std::pair<std::string, std::string>> probes;
    std::vector<Record> records;
#if VM_TRACE
    VerilatedVcdC waves;
#endif
};

// One half of a cycle is over.
void dump([[maybe_unused]] Model* model) {
#if VM_TRACE
    model->waves.dump(model->context.time());
#endif
    model->context.timeInc(1);
}

// The model whose evaluation is under way: what a probe speaks to.
thread_local Model* current = nullptr;

void cycle(Model* model) {
    current = model;
    model->top.clk_i = 0;
    model->top.eval();
    dump(model);
}

void edge(Model* model) {
    model->records.clear();
    model->top.clk_i = 1;
    model->top.eval();
    dump(model);
    current = nullptr;
}

}  // namespace

extern "C" {

unsigned int ringwright_probe(const char* unit, const char* event) {
    current->probes.emplace_back(unit, event);
    return static_cast<unsigned int>(current->probes.size() - 1);
}

void ringwright_record(unsigned int probe, unsigned long long destination, const svBitVecVal* value) {
    const auto half = [&](int i) { return value[i] | static_cast<uint64_t>(value[i + 1]) << 32; };
    current->records.push_back({destination, {half(0), half(2)}, probe});
}

Model* ringwright_new(uint64_t seed) {
    auto* model = new Model;
#if VM_TRACE
    Dl_info library;
    dladdr(reinterpret_cast<void*>(ringwright_new), &library);
    model->context.traceEverOn(true);
    model->top.trace(&model->waves, 99);
    model->waves.open((std::string(library.dli_fname) + ".vcd").c_str());
#endif
    model->context.randReset(2);
    model->context.randSeed(static_cast<int>(seed % 0x3fffffff) + 1);
    for (auto i = 0U; i < sizeof(model->top.in_i) / 4; ++i) model->top.in_i[i] = 0;
    model->top.rst_ni = 0;
    for (unsigned i = 0; i < kResetCycles; ++i) {
        cycle(model);
        edge(model);
    }
    model->top.rst_ni = 1;
    model->records.clear();
    return model;
}

void ringwright_free(Model* model) {
    model->top.final();
#if VM_TRACE
    model->waves.close();
#endif
    delete model;
}

uint64_t ringwright_input_words(const Model* model) { return sizeof(model->top.in_i) / 4; }
uint64_t ringwright_output_words(const Model* model) { return sizeof(model->top.out_o) / 4; }
uint64_t ringwright_probe_count(const Model* model) { return model->probes.size(); }

const char* ringwright_probe_unit(const Model* model, uint64_t probe) {
    return model->probes[probe].first.c_str();
}
const char* ringwright_probe_event(const Model* model, uint64_t probe) {
    return model->probes[probe].second.c_str();
}

// One cycle: inputs in, outputs as they stand before the edge, records of the edge.
uint64_t ringwright_step(Model* model, const uint32_t* in, uint32_t* out, const Record** records) {
    for (auto i = 0U; i < sizeof(model->top.in_i) / 4; ++i) model->top.in_i[i] = in[i];
    cycle(model);
    for (auto i = 0U; i < sizeof(model->top.out_o) / 4; ++i) out[i] = model->top.out_o[i];
    edge(model);
    *records = model->records.data();
    return model->records.size();
}

}  // extern "C"
