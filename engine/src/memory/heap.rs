//! The device memory allocator of a context, and its memory limit.

use std::sync::{Arc, Mutex};

use gpu_allocator::AllocationSizes;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, Allocator, AllocatorCreateDesc};

use super::budget::{Budget, out_of_memory};
use crate::device::{Attachment, Context, Device};
use crate::error::Result;
use crate::lock::lock;

/// Provides the memory of a context's buffers.
pub(crate) struct Heap {
    /// `None` after the device has released the heap. The allocator frees device memory when it is dropped, so it
    /// must be dropped before the device.
    allocator: Mutex<Option<Allocator>>,
    pub budget: Budget,
}

/// Usage of the memory that the context allocates for its buffers. Does not include staging memory, or memory from a
/// [`MemoryAllocator`](crate::MemoryAllocator).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryReport {
    /// Number of live allocations.
    pub allocations: usize,
    /// Total size of the live allocations in bytes.
    pub allocated_bytes: u64,
    /// Total size of the memory blocks that contain these allocations, in bytes.
    pub reserved_bytes: u64,
}

/// Sizes of the memory blocks that are allocated from the driver. They start small, because drivers take milliseconds
/// to create and free large host blocks, and grow with usage. On an adopted device, the maximum is lower, because
/// another program also allocates memory there. A buffer that does not fit in a block gets an allocation of its own.
fn block_sizes(adopted: bool) -> AllocationSizes {
    const MIB: u64 = 1 << 20;
    let (device, host) = if adopted { (64, 16) } else { (256, 64) };
    AllocationSizes::new(4 * MIB, 4 * MIB)
        .with_max_device_memblock_size(device * MIB)
        .with_max_host_memblock_size(host * MIB)
}

impl Heap {
    pub fn of(device: &Device) -> Result<Arc<Self>> {
        device.attached(Self::new)
    }

    fn new(device: &Device) -> Result<Self> {
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: device.instance().clone(),
            device: device.raw.clone(),
            physical_device: device.physical,
            debug_settings: Default::default(),
            buffer_device_address: device.features.buffer_device_address,
            allocation_sizes: block_sizes(device.is_adopted()),
        });
        let allocator = allocator.map_err(|error| out_of_memory("allocator", 0, &error))?;
        let budget = Budget::new(device.memory_limit);
        Ok(Self { allocator: Mutex::new(Some(allocator)), budget })
    }

    pub fn allocate(&self, request: &AllocationCreateDesc<'_>) -> Result<Allocation> {
        let (name, size) = (request.name, request.requirements.size);
        match lock(&self.allocator).as_mut() {
            Some(allocator) => {
                allocator.allocate(request).map_err(|error| out_of_memory(name, size, &error))
            }
            None => Err(out_of_memory(name, size, &"the device has been destroyed")),
        }
    }

    pub fn free(&self, allocation: Allocation) {
        let Some(Err(error)) = lock(&self.allocator).as_mut().map(|a| a.free(allocation)) else {
            return;
        };
        tracing::error!(%error, "cannot free memory");
    }

    fn report(&self) -> MemoryReport {
        let report = lock(&self.allocator).as_ref().map(Allocator::generate_report);
        report.map_or(MemoryReport::default(), |report| MemoryReport {
            allocations: report.allocations.len(),
            allocated_bytes: report.total_allocated_bytes,
            reserved_bytes: report.total_capacity_bytes,
        })
    }
}

impl Attachment for Heap {
    unsafe fn release(&self, _: &Device) {
        drop(lock(&self.allocator).take());
    }
}

impl Context {
    /// Memory usage of this context's buffers.
    pub fn memory_report(&self) -> MemoryReport {
        Heap::of(&self.device).map_or(MemoryReport::default(), |heap| heap.report())
    }
}
