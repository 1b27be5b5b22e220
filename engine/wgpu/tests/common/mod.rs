//! A plain wgpu device, buffers on it, and a runner for tests under the validation layer.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use bytemuck::Pod;
use multisplit_wgpu::{Commands, Multisplit};
use wgpu::BufferUsages;

/// A device with default features, and 64-bit integers if available.
pub struct Gpu {
    pub adapter: wgpu::Adapter,
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub multisplit: Multisplit,
}

pub fn open() -> Result<Gpu> {
    open_with(wgpu::Limits::default())
}

pub fn open_with(limits: wgpu::Limits) -> Result<Gpu> {
    let adapter = adapter()?;
    let (device, queue) = device_with(&adapter, limits)?;
    let multisplit = Multisplit::new(&device, &queue)?;
    Ok(Gpu { adapter, device, queue, multisplit })
}

pub fn adapter() -> Result<wgpu::Adapter> {
    let description = wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN,
        // Environment variables enable the validation layer, which prints its messages itself.
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    };
    let instance = wgpu::Instance::new(description);
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
    adapters.into_iter().next().context("no Vulkan device was found")
}

pub fn device(adapter: &wgpu::Adapter) -> Result<(wgpu::Device, wgpu::Queue)> {
    device_with(adapter, wgpu::Limits::default())
}

pub fn device_with(
    adapter: &wgpu::Adapter,
    required_limits: wgpu::Limits,
) -> Result<(wgpu::Device, wgpu::Queue)> {
    let description = wgpu::DeviceDescriptor {
        required_features: adapter.features() & wgpu::Features::SHADER_INT64,
        required_limits,
        ..wgpu::DeviceDescriptor::default()
    };
    Ok(pollster::block_on(adapter.request_device(&description))?)
}

impl Gpu {
    /// A buffer with these numbers.
    pub fn filled<T: Pod>(&self, numbers: &[T]) -> wgpu::Buffer {
        let buffer = self.empty::<T>(numbers.len());
        self.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(numbers));
        buffer
    }

    /// An uninitialised buffer.
    pub fn empty<T>(&self, len: usize) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: (len * size_of::<T>()).max(4) as u64,
            usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    pub fn commands(&self) -> Commands {
        self.multisplit.commands("test")
    }

    /// Submits the commands that `encode` adds.
    pub fn run(
        &self,
        encode: impl FnOnce(&mut Commands) -> multisplit_wgpu::Result<()>,
    ) -> Result<()> {
        let mut commands = self.commands();
        encode(&mut commands)?;
        commands.submit();
        Ok(())
    }

    /// The contents of a buffer after all submissions.
    pub fn read<T: Pod>(&self, buffer: &wgpu::Buffer) -> Result<Vec<T>> {
        let read = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read"),
            size: buffer.size(),
            usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &read, 0, buffer.size());
        self.queue.submit([encoder.finish()]);
        read.map_async(wgpu::MapMode::Read, .., |_| {});
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        let bytes = read.get_mapped_range(..)?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }
}

/// Reproducible pseudo-random numbers.
pub fn noise(i: u32) -> u32 {
    let x = (i ^ 61) ^ (i >> 16);
    let x = x.wrapping_mul(0x27d4_eb2d);
    x ^ (x >> 15)
}

const CHILD: &str = "MULTISPLIT_WGPU_UNDER_VALIDATION";

/// Runs a test of this binary in a separate process with the validation layer enabled, including
/// synchronization validation between command buffers. Fails if the layer reports an error.
pub fn validated(name: &str, test: impl FnOnce() -> Result<()>) -> Result<()> {
    if std::env::var_os(CHILD).is_some() {
        return test();
    }
    let output = run_validated(name)?;
    ensure!(!has_errors(&output), "the validation layer reports errors:\n{output}");
    Ok(())
}

/// Whether the output contains errors that the layer reports.
pub fn has_errors(output: &str) -> bool {
    ["VUID", "SYNC-HAZARD", "Validation Error"].iter().any(|word| output.contains(word))
}

pub fn run_validated(name: &str) -> Result<String> {
    let checks = [
        "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT",
        "VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT",
    ];
    let output = Command::new(std::env::current_exe()?)
        .args([name, "--exact", "--nocapture", "--include-ignored"])
        .env(CHILD, "1")
        .env("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation")
        .env("VK_LAYER_ENABLES", checks.join(":"))
        // Recent layers track shader accesses only if this is set.
        .env("VK_KHRONOS_VALIDATION_SYNCVAL_SHADER_ACCESSES_HEURISTIC", "true")
        // A Wayland library prints a warning if this is not set.
        .env("XDG_RUNTIME_DIR", std::env::temp_dir())
        // Mesa's shader cache ignores the subgroup size, so it could return code compiled for another size.
        .env("MESA_SHADER_CACHE_DISABLE", "true")
        .output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let log = text(&output.stdout) + &text(&output.stderr);
    ensure!(output.status.success() && log.contains("1 passed"), "the test {name} failed:\n{log}");
    Ok(log)
}
