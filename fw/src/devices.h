// Registers beside the accelerator's, as soc_devices.sv has them, for C and for the start code.
#ifndef RINGWRIGHT_DEVICES_H
#define RINGWRIGHT_DEVICES_H

#include "soc_map.h"  // made of soc_pkg.sv

#define DEVICE_EXIT 0x08
#define DEVICE_MARK 0x10  // read: cycles
#define DEVICE_MODEM_FROM 0x18
#define DEVICE_MODEM_BYTES 0x20
#define DEVICE_ERRORS 0x28
#define DEVICE_STACK 0x30
#define DEVICE_FLUSHER_FROM 0x38
#define DEVICE_FLUSHER_BYTES 0x40

#define DEVICE(offset) (*(volatile uint64_t *)(uintptr_t)(DEVICES_BASE + (offset)))

#endif  // RINGWRIGHT_DEVICES_H
