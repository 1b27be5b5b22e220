//! Runs kernels on the software driver, so that tests can compare the machine with it.

use anyhow::{Context as _, Result};
use multisplit::graph::{Graph, Groups};
use multisplit::shaders::Kernel;
use multisplit::{Config, Context, DeviceChoice, PipelineCache};

pub struct Driver {
    context: Context,
}

impl Driver {
    pub fn open() -> Result<Self> {
        let config = Config {
            device: DeviceChoice::Software,
            pipeline_cache: PipelineCache::Off,
            ..Config::default()
        };
        Ok(Self { context: Context::open(&config).context("cannot open the software driver")? })
    }

    pub fn width(&self) -> u32 {
        self.context.properties().subgroup_size
    }

    /// Runs three workgroups of a kernel. Returns the contents of the second and third buffer.
    pub fn run(
        &self,
        kernel: &std::sync::Arc<Kernel>,
        inputs: &[Vec<u32>; 3],
    ) -> Result<[Vec<u32>; 2]> {
        let mut graph = Graph::new("program");
        let names = ["src", "dst", "sums"];
        let mut imports = Vec::new();
        for (name, words) in names.iter().zip(inputs) {
            imports.push(graph.import::<u32>(*name, words.len() as u64));
        }
        let mut pass = graph.pass("program", kernel);
        for binding in &kernel.interface().bindings {
            let at = names
                .iter()
                .position(|name| *name == binding.name)
                .context("the kernel has a binding other than src, dst and sums")?;
            pass = pass.bind(binding.name.clone(), imports[at]);
        }
        let pass = pass.dispatch(Groups::linear(3));
        graph.keep(pass);
        let plan = graph.compile(&self.context.limits())?;
        let options = multisplit::ExecutableOptions::default();
        // SAFETY: the test programs access only their buffers.
        let executable = unsafe { self.context.instantiate_foreign(plan, options)? };
        let mut arrays = Vec::new();
        for words in inputs {
            arrays.push(self.context.upload(words.as_slice())?);
        }
        let bound: Vec<_> = imports.iter().copied().zip(&arrays).collect();
        self.context.run(&executable, &bound)?;
        Ok([self.context.download(&arrays[1])?, self.context.download(&arrays[2])?])
    }
}
