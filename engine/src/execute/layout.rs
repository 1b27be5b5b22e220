//! Creates pipeline layouts. They depend on how the kernel accesses buffers.

use ash::vk;
use multisplit_shaders::address::push_bytes;
use multisplit_shaders::{BindingKind, Interface, Kernel};

use crate::device::Device;
use crate::error::{Error, Result, VkResultExt};

/// Method by which a kernel accesses its buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BufferAccess {
    /// By push descriptors.
    Pushed,
    /// By preallocated descriptor sets.
    Sets,
    /// By addresses in the push constants.
    Addresses,
}

impl BufferAccess {
    /// Bytes of push constants of a kernel, including any buffer addresses.
    pub fn push_bytes(self, interface: &Interface) -> u32 {
        match self {
            Self::Addresses => push_bytes(interface),
            Self::Pushed | Self::Sets => interface.push_constants.as_ref().map_or(0, |b| b.size),
        }
    }
}

/// A pipeline layout with its set layout. Dropping destroys both.
pub(crate) struct Layouts<'d> {
    device: &'d Device,
    pub layout: vk::PipelineLayout,
    /// Null if kernels access buffers by address.
    set_layout: vk::DescriptorSetLayout,
}

impl<'d> Layouts<'d> {
    pub fn new(device: &'d Device, kernel: &Kernel, access: BufferAccess) -> Result<Self> {
        let (layout, set_layout) = (vk::PipelineLayout::null(), vk::DescriptorSetLayout::null());
        // From here on, dropping `this` destroys the layouts.
        let mut this = Self { device, layout, set_layout };
        if access != BufferAccess::Addresses {
            this.set_layout = create_set_layout(device, kernel, access)?;
            device.name_object(this.set_layout, kernel.label());
        }
        this.layout = this.create_layout(kernel, access)?;
        device.name_object(this.layout, kernel.label());
        Ok(this)
    }

    /// Returns the handles. The caller must destroy them.
    pub fn into_handles(self) -> (vk::PipelineLayout, vk::DescriptorSetLayout) {
        let handles = (self.layout, self.set_layout);
        std::mem::forget(self);
        handles
    }

    fn create_layout(&self, kernel: &Kernel, access: BufferAccess) -> Result<vk::PipelineLayout> {
        let interface = kernel.interface();
        let size = access.push_bytes(interface);
        let set_layouts = match access {
            BufferAccess::Addresses => &[][..],
            BufferAccess::Pushed | BufferAccess::Sets => std::slice::from_ref(&self.set_layout),
        };
        let max_size = self.device.properties.limits.max_push_constants_size;
        if size > max_size {
            let problem = format!(
                "needs {size} bytes of push constants, including any buffer addresses, but maxPushConstantsSize is {max_size}"
            );
            return Err(Error::kernel(kernel, problem));
        }
        let ranges = [vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::COMPUTE)
            .size(size)];
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(set_layouts)
            .push_constant_ranges(if size > 0 { &ranges } else { &[] });
        // SAFETY: a live device and set layout.
        unsafe { self.device.raw.create_pipeline_layout(&info, self.device.callbacks()) }
            .during("vkCreatePipelineLayout")
    }
}

impl Drop for Layouts<'_> {
    fn drop(&mut self) {
        // SAFETY: the object is newly created and not in use. Destroying a null handle is a no-op.
        unsafe {
            self.device.raw.destroy_pipeline_layout(self.layout, self.device.callbacks());
            self.device.raw.destroy_descriptor_set_layout(self.set_layout, self.device.callbacks());
        }
    }
}

fn create_set_layout(
    device: &Device,
    kernel: &Kernel,
    access: BufferAccess,
) -> Result<vk::DescriptorSetLayout> {
    let bindings = kernel.interface().bindings.iter().map(|b| {
        vk::DescriptorSetLayoutBinding::default()
            .binding(b.binding)
            .descriptor_type(descriptor_type(b.kind))
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::COMPUTE)
    });
    let bindings: Vec<_> = bindings.collect();
    let flags = match access {
        BufferAccess::Pushed => vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR,
        _ => vk::DescriptorSetLayoutCreateFlags::empty(),
    };
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings).flags(flags);
    // SAFETY: the flag is used only if its extension is enabled.
    unsafe { device.raw.create_descriptor_set_layout(&info, device.callbacks()) }
        .during("vkCreateDescriptorSetLayout")
}

pub(crate) fn descriptor_type(kind: BindingKind) -> vk::DescriptorType {
    match kind {
        BindingKind::Storage => vk::DescriptorType::STORAGE_BUFFER,
        BindingKind::Uniform => vk::DescriptorType::UNIFORM_BUFFER,
    }
}
