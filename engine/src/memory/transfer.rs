//! How the contents of buffers come from and go to the host.

use std::ops::Range;

use ash::vk;
use bytemuck::Pod;

use super::array::Array;
use super::buffer::{Buffer, Location};
use crate::device::commands::run_once;
use crate::device::context::Context;
use crate::error::{Error, Result};

/// Bytes that one staging copy moves; larger transfers take several.
const STAGING_BYTES: u64 = 64 << 20;

/// Under a memory limit, staging takes at most this part of it, and never less than a page.
const STAGING_SHARE: u64 = 8;
const MIN_STAGING_BYTES: u64 = 4 << 10;

impl Context {
    /// An array in device memory that holds `data`.
    pub fn upload<T: Pod>(&self, data: &[T]) -> Result<Array<T>> {
        self.upload_named("array", data)
    }

    /// The same with a name, which errors and debuggers use.
    pub(crate) fn upload_named<T: Pod>(&self, name: &str, data: &[T]) -> Result<Array<T>> {
        let array = Array::uninit(self, name, data.len() as u64)?;
        self.write_bytes(array.buffer(), 0, bytemuck::cast_slice(data))?;
        Ok(array)
    }

    /// Copies `data` into `array`, from element `first` on, and waits. What lies before and after
    /// stays as it is.
    pub fn write<T: Pod>(&self, array: &Array<T>, first: u64, data: &[T]) -> Result<()> {
        check_elements(array, first, data.len() as u64)?;
        let offset = first * size_of::<T>() as u64;
        self.write_bytes(array.buffer(), offset, bytemuck::cast_slice(data))
    }

    /// The elements of `array`.
    pub fn download<T: Pod>(&self, array: &Array<T>) -> Result<Vec<T>> {
        self.download_range(array, 0..array.len())
    }

    /// Some of the elements of `array`.
    pub fn download_range<T: Pod>(&self, array: &Array<T>, range: Range<u64>) -> Result<Vec<T>> {
        let len = range.end.saturating_sub(range.start);
        check_elements(array, range.start, len)?;
        let mut data = zeroed(array.buffer(), len)?;
        self.read_bytes(
            array.buffer(),
            range.start * size_of::<T>() as u64,
            bytemuck::cast_slice_mut(&mut data),
        )?;
        Ok(data)
    }

    /// Copies the elements of `array` into `data`, which has as many.
    pub fn download_into<T: Pod>(&self, array: &Array<T>, data: &mut [T]) -> Result<()> {
        check_lengths("data", data.len() as u64, "array", array.len())?;
        self.read_bytes(array.buffer(), 0, bytemuck::cast_slice_mut(data))
    }

    fn write_bytes(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<()> {
        buffer.check_device(&self.device)?;
        buffer.check_range(offset, bytes.len() as u64)?;
        if bytes.is_empty() {
            return Ok(());
        }
        let _span = tracing::debug_span!("upload", buffer = buffer.name(), bytes.len = bytes.len())
            .entered();
        let staging_size = self.staging_bytes().min(bytes.len() as u64);
        for (index, chunk) in bytes.chunks(staging_size as usize).enumerate() {
            let staging = self.staging_with(chunk)?;
            let region = vk::BufferCopy::default()
                .dst_offset(offset + index as u64 * staging_size)
                .size(chunk.len() as u64);
            self.copy(&staging, buffer, region)?;
        }
        Ok(())
    }

    fn read_bytes(&self, buffer: &Buffer, offset: u64, bytes: &mut [u8]) -> Result<()> {
        let size = bytes.len() as u64;
        buffer.check_device(&self.device)?;
        buffer.check_range(offset, size)?;
        if size == 0 {
            return Ok(());
        }
        let _span = tracing::debug_span!("download", buffer = buffer.name(), size).entered();
        let staging_size = self.staging_bytes().min(size);
        let staging =
            Buffer::new(&self.device, "download.staging", staging_size, Location::Readback)?;
        for (index, chunk) in bytes.chunks_mut(staging_size as usize).enumerate() {
            let region = vk::BufferCopy::default()
                .src_offset(offset + index as u64 * staging_size)
                .size(chunk.len() as u64);
            self.copy(buffer, &staging, region)?;
            let mapped = staging.mapped().and_then(|m| m.get(..chunk.len()));
            chunk.copy_from_slice(mapped.ok_or(Error::OutOfMemory {
                name: "download.staging".into(),
                size: staging_size,
                reason: "memory for reading back is not mapped".into(),
            })?);
        }
        Ok(())
    }

    /// Bytes that one staging copy moves.
    fn staging_bytes(&self) -> u64 {
        match self.device.memory_limit {
            Some(limit) => (limit / STAGING_SHARE).clamp(MIN_STAGING_BYTES, STAGING_BYTES),
            None => STAGING_BYTES,
        }
    }

    fn staging_with(&self, bytes: &[u8]) -> Result<Buffer> {
        let size = bytes.len() as u64;
        let mut staging = Buffer::new(&self.device, "upload.staging", size, Location::Upload)?;
        let mapped = staging.mapped_mut().and_then(|mapped| mapped.get_mut(..bytes.len()));
        mapped
            .ok_or(Error::OutOfMemory {
                name: "upload.staging".into(),
                size,
                reason: "memory for uploading is not mapped".into(),
            })?
            .copy_from_slice(bytes);
        Ok(staging)
    }

    /// Copies by the transfer engine and waits; for staging only, device-to-device copies use
    /// the copy kernel.
    fn copy(&self, src: &Buffer, dst: &Buffer, region: vk::BufferCopy) -> Result<()> {
        run_once(&self.device, |commands| {
            // What earlier submissions did with the buffers is ordered before this one; what is
            // left is the host, which reads what was copied for it.
            let after = vk::MemoryBarrier2::default()
                .src_stage_mask(vk::PipelineStageFlags2::COPY)
                .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
                .dst_stage_mask(vk::PipelineStageFlags2::HOST)
                .dst_access_mask(vk::AccessFlags2::HOST_READ);
            // SAFETY: recording; the buffers live until the wait in `run` is over.
            unsafe {
                self.device.raw.cmd_copy_buffer(commands, src.raw(), dst.raw(), &[region]);
                self.device.pipeline_barrier(commands, &[after]);
            }
            Ok(())
        })
    }
}

/// There are `len` elements from element `first` on.
fn check_elements<T>(array: &Array<T>, first: u64, len: u64) -> Result<()> {
    match first.checked_add(len) {
        Some(end) if end <= array.len() => Ok(()),
        _ => Err(Error::OutOfBounds { first, len, array: array.len() }),
    }
}

/// Two arrays that belong together have as many elements.
pub(crate) fn check_lengths(
    name: &'static str,
    len: u64,
    other: &'static str,
    other_len: u64,
) -> Result<()> {
    if len == other_len {
        return Ok(());
    }
    Err(Error::LengthMismatch { name, len, other, other_len })
}

/// Room on the host for `len` elements of `buffer`, of which the device may hold more than it.
fn zeroed<T: Pod>(buffer: &Buffer, len: u64) -> Result<Vec<T>> {
    let mut data = Vec::new();
    let room = usize::try_from(len).ok().filter(|&len| data.try_reserve_exact(len).is_ok());
    let len = room.ok_or_else(|| Error::OutOfMemory {
        name: buffer.name().to_owned(),
        size: len.saturating_mul(size_of::<T>() as u64),
        reason: "the host has no memory to download it to".into(),
    })?;
    data.resize(len, T::zeroed());
    Ok(data)
}
