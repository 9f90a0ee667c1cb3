//! Large buffers lie on large pages, where the system has them.
//!
//! The keys and constants of a bootstrapping are 15 GB of buffers of many megabytes. On pages of 4 KiB
//! their first touch costs four million faults; preparing the constants took 12 s with them, and takes 4.

use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator, which asks for large pages wherever a buffer fills several.
pub struct LargePages;

/// Bytes from which large pages are asked for: two of x86-64's.
const LEAST: usize = 4 << 20;

// SAFETY: every call is the system allocator's own.
unsafe impl GlobalAlloc for LargePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        on_large_pages(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        on_large_pages(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, buffer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(buffer, layout) }
    }

    unsafe fn realloc(&self, buffer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        on_large_pages(unsafe { System.realloc(buffer, layout, size) }, size)
    }
}

/// The buffer, whose whole pages are asked to be large. A system that refuses leaves them as they are.
#[cfg(target_os = "linux")]
fn on_large_pages(buffer: *mut u8, bytes: usize) -> *mut u8 {
    const PAGE: usize = 4096;
    if bytes >= LEAST && !buffer.is_null() {
        let skipped = buffer.align_offset(PAGE);
        let whole = (bytes - skipped) / PAGE * PAGE;
        // SAFETY: the pages are the buffer's own, and a hint leaves what is in them.
        unsafe { libc::madvise(buffer.add(skipped).cast(), whole, libc::MADV_HUGEPAGE) };
    }
    buffer
}

#[cfg(not(target_os = "linux"))]
fn on_large_pages(buffer: *mut u8, _: usize) -> *mut u8 {
    buffer
}
