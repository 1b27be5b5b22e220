//! Invalid calls return errors, and objects can be dropped in any order.

mod common;

use anyhow::{Context as _, Result, ensure};
use common::{device, noise, open, validated};
use multisplit_wgpu::{Count, Error, Multisplit, Sort};
use wgpu::BufferUsages;

#[test]
fn other_backends_are_rejected_by_name() -> Result<()> {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    let error = Multisplit::new(&device, &queue).err().context("an error")?;
    ensure!(matches!(error, Error::NotVulkan { backend: wgpu::Backend::Noop }), "{error:?}");
    let message = error.to_string();
    ensure!(message.contains("Noop") && message.contains("Backends::VULKAN"), "{message}");
    Ok(())
}

#[test]
fn wrong_buffers_are_rejected_and_later_commands_run() -> Result<()> {
    validated("wrong_buffers_are_rejected_and_later_commands_run", || {
        let gpu = open()?;
        let sort = gpu.multisplit.sort_pairs::<u32, u32>(1000, &Sort::ascending())?;
        let keys: Vec<u32> = (0..1000).map(noise).collect();
        let (key, value, small) = (gpu.filled(&keys), gpu.filled(&keys), gpu.empty::<u32>(999));
        let uniform = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 4000,
            usage: BufferUsages::UNIFORM,
            mapped_at_creation: false,
        });
        let mut commands = gpu.commands();
        let error = sort.encode(&mut commands, &key, &small, Count::All).err();
        let error = error.context("too small")?;
        ensure!(
            error.to_string() == "buffer `values` has 3996 bytes, but at least 4000 are needed",
            "{error}"
        );
        let error = sort.encode(&mut commands, &uniform, &value, Count::All).err();
        ensure!(matches!(error, Some(Error::Usage { name: "keys", .. })), "{error:?}");
        let error = sort.encode(&mut commands, &key, &value, Count::Host(1001)).err();
        ensure!(matches!(error, Some(Error::CountTooLarge { count: 1001, max: 1000 })));
        let error = sort.encode(&mut commands, &key, &key, Count::All).err();
        ensure!(matches!(error, Some(Error::Multisplit(_))), "{error:?}");
        // A buffer of another device.
        let (other, _queue) = device(&gpu.adapter)?;
        let foreign = other.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 4000,
            usage: BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        let error = sort.encode(&mut commands, &foreign, &value, Count::All).err();
        ensure!(matches!(error, Some(Error::Wgpu(_))), "{error:?}");
        // Commands and a buffer of another device.
        let elsewhere = open()?;
        let mut foreign_commands = elsewhere.commands();
        let theirs = elsewhere.filled(&keys);
        let error = sort.encode(&mut foreign_commands, &theirs, &theirs, Count::All).err();
        ensure!(matches!(error, Some(Error::OtherDevice { .. })), "{error:?}");
        // Valid commands still run after the errors.
        sort.encode(&mut commands, &key, &value, Count::All)?;
        commands.submit();
        let mut expected = keys;
        expected.sort_unstable();
        ensure!(gpu.read::<u32>(&key)? == expected);
        let too_many = gpu.multisplit.sort::<u32>(1 << 40, &Sort::ascending());
        ensure!(matches!(too_many.err(), Some(Error::Multisplit(_))));
        Ok(())
    })
}

/// Commands that are never submitted, and operations and devices dropped before their commands have finished.
#[test]
fn objects_can_be_dropped_in_any_order() -> Result<()> {
    validated("objects_can_be_dropped_in_any_order", || {
        let keys: Vec<u32> = (0..5000).map(noise).collect();
        let gpu = open()?;
        let sort = gpu.multisplit.sort::<u32>(5000, &Sort::ascending())?;
        let key = gpu.filled(&keys);
        let mut commands = gpu.commands();
        sort.encode(&mut commands, &key, Count::All)?;
        drop(commands);
        ensure!(sort.idle() == 1 && gpu.read::<u32>(&key)? == keys, "nothing was submitted");

        // Never submitted, and everything else is dropped first: the device is destroyed last.
        let left = {
            let gpu = open()?;
            let sort = gpu.multisplit.sort::<u32>(5000, &Sort::ascending())?;
            let mut commands = gpu.commands();
            sort.encode(&mut commands, &gpu.filled(&keys), Count::All)?;
            commands
        };
        drop(left);

        let mut commands = gpu.commands();
        sort.encode(&mut commands, &key, Count::All)?;
        // wgpu keeps the buffer alive, and the commands keep the rest.
        drop((key, sort));
        commands.submit();
        let common::Gpu { device, queue, multisplit, .. } = gpu;
        drop(multisplit);
        drop(device);
        drop(queue);
        Ok(())
    })
}
