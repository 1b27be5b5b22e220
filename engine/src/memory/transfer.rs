//! How the contents of buffers come from and go to the host.

use ash::vk;
use bytemuck::Pod;

use super::buffer::{Buffer, Location};
use crate::device::commands::run_once;
use crate::device::context::Context;
use crate::error::{Error, Result};

/// Bytes that one staging copy moves; larger transfers take several.
const STAGING_BYTES: u64 = 64 << 20;

/// Under a memory limit, staging takes at most this part of it, and never less than a page.
const STAGING_SHARE: u64 = 8;
const LEAST_STAGING_BYTES: u64 = 4 << 10;

impl Context {
    /// A buffer of `len` elements in device memory, contents undefined.
    pub fn buffer<T: Pod>(&self, name: &str, len: u64) -> Result<Buffer> {
        let element = size_of::<T>() as u64;
        let size = len.checked_mul(element).ok_or_else(|| Error::TooLarge {
            what: "buffer length",
            asked: len,
            limit: u64::MAX / element,
        })?;
        Buffer::new(&self.device, name, size, Location::Device)
    }

    /// A buffer in device memory that holds `data`.
    pub fn upload<T: Pod>(&self, name: &str, data: &[T]) -> Result<Buffer> {
        let buffer = self.buffer::<T>(name, data.len() as u64)?;
        self.write(&buffer, data)?;
        Ok(buffer)
    }

    /// Copies `data` to the beginning of `buffer` and waits.
    pub fn write<T: Pod>(&self, buffer: &Buffer, data: &[T]) -> Result<()> {
        self.write_at(buffer, 0, data)
    }

    /// Copies `data` to `buffer`, from byte `offset` on, and waits. What lies before and after
    /// stays as it is.
    pub fn write_at<T: Pod>(&self, buffer: &Buffer, offset: u64, data: &[T]) -> Result<()> {
        let bytes: &[u8] = bytemuck::cast_slice(data);
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

    /// The whole of `buffer`, which is an array of `T`.
    pub fn download<T: Pod>(&self, buffer: &Buffer) -> Result<Vec<T>> {
        let len = buffer.size().checked_div(size_of::<T>() as u64).unwrap_or(0);
        self.download_first(buffer, len)
    }

    /// The first `len` elements of `buffer`.
    pub fn download_first<T: Pod>(&self, buffer: &Buffer, len: u64) -> Result<Vec<T>> {
        self.download_range(buffer, 0, len)
    }

    /// `len` elements of `buffer`, from byte `offset` on.
    pub fn download_range<T: Pod>(&self, buffer: &Buffer, offset: u64, len: u64) -> Result<Vec<T>> {
        let size = len.saturating_mul(size_of::<T>() as u64);
        buffer.check_device(&self.device)?;
        buffer.check_range(offset, size)?;
        let mut data = zeroed(buffer, len)?;
        if size == 0 {
            return Ok(data);
        }
        let _span = tracing::debug_span!("download", buffer = buffer.name(), size).entered();
        let staging_size = self.staging_bytes().min(size);
        let staging =
            Buffer::new(&self.device, "download.staging", staging_size, Location::Readback)?;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut data);
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
        Ok(data)
    }

    /// Bytes that one staging copy moves.
    fn staging_bytes(&self) -> u64 {
        match self.device.memory_limit {
            Some(limit) => (limit / STAGING_SHARE).clamp(LEAST_STAGING_BYTES, STAGING_BYTES),
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
            // What an earlier submission did with the buffers, to this copy; and this copy to
            // what the host or a later submission does with them.
            let before = vk::MemoryBarrier2::default()
                .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
                .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
                .dst_stage_mask(vk::PipelineStageFlags2::COPY)
                .dst_access_mask(
                    vk::AccessFlags2::TRANSFER_READ | vk::AccessFlags2::TRANSFER_WRITE,
                );
            let after = vk::MemoryBarrier2::default()
                .src_stage_mask(vk::PipelineStageFlags2::COPY)
                .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
                .dst_stage_mask(
                    vk::PipelineStageFlags2::ALL_COMMANDS | vk::PipelineStageFlags2::HOST,
                )
                .dst_access_mask(
                    vk::AccessFlags2::MEMORY_READ
                        | vk::AccessFlags2::MEMORY_WRITE
                        | vk::AccessFlags2::HOST_READ,
                );
            // SAFETY: recording; the buffers live until the wait in `run` is over.
            unsafe {
                self.device.pipeline_barrier(commands, &[before]);
                self.device.raw.cmd_copy_buffer(commands, src.raw(), dst.raw(), &[region]);
                self.device.pipeline_barrier(commands, &[after]);
            }
            Ok(())
        })
    }
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
