//! How tests run on a real driver: one process for each subgroup width, one device per process, and
//! any message of the validation layers fails the test that caused it.
//!
//! The software driver takes its width from the environment when it is loaded, so the test binary
//! starts itself again once for each width. Within a process the tests run one after another and
//! share the device and its compiled pipelines. A missing driver or a missing validation layer is
//! a failure, never a skip.

use std::ffi::OsString;
use std::process::{Command, ExitCode};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, anyhow, bail, ensure};
use libtest_mimic::{Arguments, Trial};
use multisplit::ash::vk;
use multisplit::primitives::multisplit::Lockstep;
use multisplit::primitives::probe;
use multisplit::{Config, Context, DEVICE_VARIABLE, DeviceChoice, PipelineCache, ValidationConfig};

use crate::extent::{Extent, Part};

/// Set in the process that runs the tests: which device, and what its subgroup size must be.
const CHILD_VARIABLE: &str = "MULTISPLIT_TEST_CHILD";
/// Vector widths in bits at which lavapipe is right, with the subgroup sizes they give.
const LAVAPIPE_WIDTHS: [(u32, u32); 3] = [(128, 4), (256, 8), (512, 16)];

/// What a test is given.
pub struct Gpu {
    /// The shared device, validation on.
    pub context: Context,
    /// Whether to run every case.
    pub full: bool,
    part: Part,
}

impl Gpu {
    /// Opens another device the same way, for a test that needs its own. `change` adjusts how.
    pub fn open_with(&self, change: impl FnOnce(&mut Config)) -> Result<Context> {
        let mut config = config();
        change(&mut config);
        Ok(Context::open(&config)?)
    }

    /// Says of one case of a product after another whether it is this process's to run: of every
    /// case, unless the run is one part of a full one. Ask once for each case, skipped or not.
    pub fn mine(&self) -> impl FnMut() -> bool {
        self.part.turns()
    }

    /// Whether the device is a software driver, which is slow.
    pub fn is_software(&self) -> bool {
        self.context.properties().device_type == vk::PhysicalDeviceType::CPU
    }

    /// As much order among atomics as the device can be relied on to have: what its policy says, and
    /// on other devices what it turns out to do.
    pub fn lockstep(&self) -> Result<Lockstep> {
        let ordered = probe::lane_order(&self.context, 7)?;
        Ok(if ordered { Lockstep::LaneOrder } else { self.context.policy().split.lockstep })
    }

    /// Runs `body`, and expects the validation layers to object to what it does: the rules that
    /// they name.
    pub fn expect_messages(&self, body: impl FnOnce() -> Result<()>) -> Result<Vec<String>> {
        let messages = self.context.messages();
        ensure!(messages.take().is_empty(), "messages before the body");
        body()?;
        Ok(messages.take().into_iter().map(|m| m.id).collect())
    }
}

/// What a test does.
type Body = Box<dyn FnOnce(&Gpu) -> Result<()> + Send>;

/// A test: a name and what it does.
pub struct Test {
    name: String,
    body: Body,
}

impl Test {
    /// A test called `name`.
    pub fn new(
        name: impl Into<String>,
        body: impl FnOnce(&Gpu) -> Result<()> + Send + 'static,
    ) -> Self {
        Self { name: name.into(), body: Box::new(body) }
    }
}

/// The functions of a module as tests named after them: `tests!(scan: small, large)`.
#[macro_export]
macro_rules! tests {
    ($subject:ident: $($name:ident),* $(,)?) => {
        /// The tests of this file.
        pub fn tests() -> Vec<$crate::harness::Test> {
            vec![$( $crate::harness::Test::new(
                concat!(stringify!($subject), "::", stringify!($name)),
                $name,
            ) ),*]
        }
    };
}

/// The main function of a test binary.
pub fn main(tests: Vec<Test>) -> ExitCode {
    let mut arguments = std::env::args_os().collect();
    let extent = Extent::take(&mut arguments, |name| std::env::var(name).ok());
    let run = extent.and_then(|extent| match std::env::var(CHILD_VARIABLE) {
        Ok(expected) => run_here(tests, &expected, extent, arguments),
        Err(_) => run_on_every_width(extent, &arguments),
    });
    run.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

/// The device under test: `MULTISPLIT_DEVICE`, else the software driver, else what there is.
fn config() -> Config {
    let software = || {
        let devices = Context::devices().unwrap_or_default();
        devices.iter().any(|d| d.properties.device_type == vk::PhysicalDeviceType::CPU)
    };
    let named = std::env::var(DEVICE_VARIABLE).is_ok_and(|v| !v.is_empty());
    Config {
        device: if !named && software() { DeviceChoice::Software } else { DeviceChoice::Auto },
        validation: Some(ValidationConfig::default()),
        // Tests must see what the driver compiles today.
        pipeline_cache: PipelineCache::Off,
        ..Config::default()
    }
}

/// Starts this binary again, once for each subgroup width of the device under test.
fn run_on_every_width(extent: Extent, arguments: &[OsString]) -> Result<ExitCode> {
    let context = Context::open(&config())?;
    let properties = context.properties().clone();
    drop(context);
    let lavapipe = properties.name.contains("llvmpipe");
    let widths: Vec<(Option<u32>, u32)> = if lavapipe {
        LAVAPIPE_WIDTHS.iter().map(|&(bits, size)| (Some(bits), size)).collect()
    } else {
        vec![(None, properties.subgroup_size)]
    };
    let mut all_good = true;
    for (bits, size) in widths {
        println!("\n{}: subgroups of {size}, {extent}", properties.name);
        let mut child = Command::new(std::env::current_exe()?);
        child
            .args(arguments.iter().skip(1))
            .envs(extent.variables())
            .env(CHILD_VARIABLE, size.to_string())
            // Mesa's disk cache ignores the width and hands back code of another one.
            .env("MESA_SHADER_CACHE_DISABLE", "true")
            // Hazards between submissions are checked only when this is set.
            .env("VK_LAYER_ENABLES", QUEUE_SUBMIT_VALIDATION);
        if let Some(bits) = bits {
            child.env("LP_NATIVE_VECTOR_WIDTH", bits.to_string());
        }
        all_good &= child.status()?.success();
    }
    Ok(if all_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

const QUEUE_SUBMIT_VALIDATION: &str =
    "VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT";

fn run_here(
    tests: Vec<Test>,
    expected_size: &str,
    extent: Extent,
    arguments: Vec<OsString>,
) -> Result<ExitCode> {
    let mut arguments = Arguments::from_iter(arguments);
    // One at a time: a message must belong to the test that is running.
    arguments.test_threads = Some(1);
    let context = Context::open(&config())?;
    let size = context.properties().subgroup_size.to_string();
    ensure!(size == expected_size, "subgroups of {size}, expected {expected_size}");
    let messages = context.messages();
    let Extent { full, part } = extent;
    let gpu = Arc::new(Mutex::new(Some(Gpu { context, full, part })));
    let prefix = format!("subgroup{size}::");

    let mut trials: Vec<Trial> = tests
        .into_iter()
        .map(|test| {
            let (gpu, messages) = (gpu.clone(), messages.clone());
            Trial::test(format!("{prefix}{}", test.name), move || {
                let gpu = gpu.lock().unwrap_or_else(PoisonError::into_inner);
                let gpu = gpu.as_ref().ok_or("the device is gone")?;
                let outcome = (test.body)(gpu).and_then(|()| expect_silence(&messages));
                messages.take();
                Ok(outcome.map_err(|e| format!("{e:#}"))?)
            })
        })
        .collect();
    // Last, so that whatever a test leaked is noticed by the layer's object tracking.
    trials.push(Trial::test(format!("{prefix}teardown::leaks_nothing"), move || {
        let gpu = gpu.lock().unwrap_or_else(PoisonError::into_inner).take();
        let context = gpu.ok_or("the device is gone")?.context;
        let bytes = context.memory_report().allocated_bytes;
        if bytes > 0 {
            return Err(format!("{bytes} bytes of device memory are still allocated").into());
        }
        let messages = context.messages();
        drop(context);
        Ok(expect_silence(&messages).map_err(|e| format!("{e:#}"))?)
    }));
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

fn expect_silence(messages: &multisplit::Messages) -> Result<()> {
    let said = messages.take();
    match said.first() {
        None => Ok(()),
        Some(first) => bail!("{} validation messages, the first: {}", said.len(), first.text),
    }
}

/// Fails with the first place where two arrays differ.
pub fn expect_equal<T: PartialEq + std::fmt::Debug>(got: &[T], expected: &[T]) -> Result<()> {
    ensure!(got.len() == expected.len(), "{} elements, expected {}", got.len(), expected.len());
    match got.iter().zip(expected).position(|(g, e)| g != e) {
        None => Ok(()),
        Some(at) => Err(anyhow!("element {at} is {:?}, expected {:?}", got[at], expected[at])),
    }
}
