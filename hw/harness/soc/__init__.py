"""A host core, memory and an accelerator in RTL: builds and runs them (`hw/soc`)."""
