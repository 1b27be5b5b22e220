//! Invalid calls return errors, and objects can be dropped in any order.

mod common;

use anyhow::{Context as _, Result, ensure};
use common::{adapter, device, device_with, noise, open, open_with, validated};
use multisplit_wgpu::{Buckets, Count, Error, Multisplit, Sort};
use wgpu::BufferUsages;

#[test]
fn error_for_other_backends_names_the_backend() -> Result<()> {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    let error = Multisplit::new(&device, &queue).err().context("the call must fail")?;
    ensure!(
        matches!(error, Error::NotVulkan { backend: wgpu::Backend::Noop }),
        "expected NotVulkan with the backend Noop, found {error:?}"
    );
    let message = error.to_string();
    ensure!(
        message.contains("Noop") && message.contains("Backends::VULKAN"),
        "the message must name Noop and Backends::VULKAN: {message}"
    );
    Ok(())
}

#[test]
fn wrong_buffers_are_rejected_and_later_commands_run() -> Result<()> {
    validated("wrong_buffers_are_rejected_and_later_commands_run", || {
        let gpu = open()?;
        let sort = gpu.multisplit.sort_pairs::<u32, u32>(1000, &Sort::ascending())?;
        let keys: Vec<u32> = (0..1000).map(noise).collect();
        let (key, value, small) = (gpu.filled(&keys), gpu.filled(&keys), gpu.empty::<u32>(999));
        let buffer = |device: &wgpu::Device, usage| {
            let (label, size, mapped_at_creation) = (None, 4000, false);
            let description = wgpu::BufferDescriptor { label, size, usage, mapped_at_creation };
            device.create_buffer(&description)
        };
        let uniform = buffer(&gpu.device, BufferUsages::UNIFORM);
        let mut commands = gpu.commands();
        let error = sort.encode(&mut commands, &key, &small, Count::All).err();
        let error = error.context("a buffer that is too small must be rejected")?;
        ensure!(
            error.to_string() == "buffer `values` has 3996 bytes, but at least 4000 are needed",
            "unexpected message: {error}"
        );
        let error = sort.encode(&mut commands, &uniform, &value, Count::All).err();
        ensure!(
            matches!(error, Some(Error::Usage { name: "keys", .. })),
            "expected Usage of `keys`, found {error:?}"
        );
        let error = sort.encode(&mut commands, &key, &value, Count::Host(1001)).err();
        ensure!(matches!(error, Some(Error::CountTooLarge { count: 1001, max: 1000 })));
        let error = sort.encode(&mut commands, &key, &key, Count::All).err();
        ensure!(
            matches!(error, Some(Error::Multisplit(_))),
            "one buffer as keys and values must be an error of the engine, not {error:?}"
        );
        // A buffer of another device.
        let (other, _queue) = device(&gpu.adapter)?;
        let foreign = buffer(&other, BufferUsages::STORAGE);
        let error = sort.encode(&mut commands, &foreign, &value, Count::All).err();
        ensure!(
            matches!(error, Some(Error::Wgpu(_))),
            "a buffer of another device must be an error of wgpu, not {error:?}"
        );
        // Commands and a buffer of another device.
        let elsewhere = open()?;
        let mut foreign_commands = elsewhere.commands();
        let theirs = elsewhere.filled(&keys);
        let error = sort.encode(&mut foreign_commands, &theirs, &theirs, Count::All).err();
        ensure!(
            matches!(error, Some(Error::OtherDevice { .. })),
            "expected OtherDevice, found {error:?}"
        );
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

/// Covers commands that are never submitted, and operations and devices that are dropped before their commands have
/// finished.
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
        ensure!(
            sort.idle() == 1 && gpu.read::<u32>(&key)? == keys,
            "dropped commands ran, or their scratch memory was not returned"
        );

        // These commands are never submitted. Everything else is dropped before them, so dropping them
        // destroys the device.
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
        // wgpu keeps the buffer alive until the commands have finished, and the commands keep the operation's
        // resources alive.
        drop((key, sort));
        commands.submit();
        let common::Gpu { device, queue, multisplit, .. } = gpu;
        drop(multisplit);
        drop(device);
        drop(queue);
        Ok(())
    })
}

/// A device with downlevel limits can bind 4 storage buffers per pass. A split of pairs uses 5, or 6 with a device
/// count.
#[test]
fn downlevel_devices_run_operations_with_many_buffers() -> Result<()> {
    validated("downlevel_devices_run_operations_with_many_buffers", || {
        let gpu = open_with(wgpu::Limits::downlevel_defaults())?;
        ensure!(gpu.device.limits().max_storage_buffers_per_shader_stage == 4);
        let keys: Vec<u32> = (0..5000).map(|i| noise(i) % 100).collect();
        let values: Vec<u32> = (0..5000).collect();
        let split = gpu.multisplit.split_pairs::<u32, u32>(5000, &Buckets::range(&[10u32, 60]))?;
        let (key, value) = (gpu.filled(&keys), gpu.filled(&values));
        let (key_out, value_out) = (gpu.empty::<u32>(5000), gpu.empty::<u32>(5000));
        let (offsets, count) = (gpu.empty::<u32>(4), gpu.filled(&[4000u32]));
        let bucket = |key: u32| u32::from(key >= 10) + u32::from(key >= 60);
        let counts = [(Count::All, 5000), (Count::Buffer { buffer: &count, word: 0 }, 4000)];
        for (given, n) in counts {
            let (from, to) = ((&key, &value), (&key_out, &value_out));
            gpu.run(|commands| split.encode(commands, from, to, &offsets, given))?;
            let mut expected = values[..n].to_vec();
            expected.sort_by_key(|&i| bucket(keys[i as usize]));
            ensure!(
                gpu.read::<u32>(&value_out)?[..n] == expected,
                "the values of {n} split pairs differ from the CPU's"
            );
            let sorted: Vec<u32> = expected.iter().map(|&i| keys[i as usize]).collect();
            ensure!(gpu.read::<u32>(&key_out)?[..n] == sorted);
            ensure!(gpu.read::<u32>(&offsets)?[3] == n as u32);
        }
        Ok(())
    })
}

#[test]
fn limit_errors_name_the_limit() -> Result<()> {
    let adapter = adapter()?;
    let limits = wgpu::Limits { max_storage_buffers_per_shader_stage: 0, ..Default::default() };
    let (device, queue) = device_with(&adapter, limits)?;
    let error = Multisplit::new(&device, &queue).err().context("the call must fail")?.to_string();
    ensure!(
        error.contains("max_storage_buffers_per_shader_stage of at least 1"),
        "the message must name max_storage_buffers_per_shader_stage: {error}"
    );
    let limits = wgpu::Limits { max_storage_buffer_binding_size: 1 << 20, ..Default::default() };
    let gpu = open_with(limits)?;
    gpu.multisplit.sort::<u32>(1 << 18, &Sort::ascending())?;
    let error = gpu.multisplit.sort::<u32>(1 << 19, &Sort::ascending()).err();
    let error = error.context("the call must fail")?;
    ensure!(
        error.to_string()
            == "the operation sort of at most 524288 elements needs max_storage_buffer_binding_size of at least 2097152, \
                but the device was requested with 1048576",
        "unexpected message: {error}"
    );
    Ok(())
}

#[test]
fn destroyed_buffers_and_devices_are_reported() -> Result<()> {
    let gpu = open()?;
    let sort = gpu.multisplit.sort_pairs::<u32, u32>(1000, &Sort::ascending())?;
    let (key, value) = (gpu.empty::<u32>(1000), gpu.empty::<u32>(1000));
    value.destroy();
    let mut commands = gpu.commands();
    let error =
        sort.encode(&mut commands, &key, &value, Count::All).err().context("the call must fail")?;
    ensure!(
        matches!(error, Error::BufferDestroyed { name: "values" }),
        "expected BufferDestroyed for `values`, found {error:?}"
    );
    let value = gpu.empty::<u32>(1000);
    sort.encode(&mut commands, &key, &value, Count::All)?;
    gpu.device.destroy();
    for mut commands in [commands, gpu.commands()] {
        let error = sort.encode(&mut commands, &key, &value, Count::All).err();
        let error = error.context("the call must fail")?;
        ensure!(matches!(error, Error::DeviceLost), "expected DeviceLost, found {error:?}");
        commands.submit();
    }
    let error = Multisplit::new(&gpu.device, &gpu.queue).err().context("the call must fail")?;
    ensure!(matches!(error, Error::DeviceLost), "expected DeviceLost, found {error:?}");
    Ok(())
}
