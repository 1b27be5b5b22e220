//! How tests run on a real driver: one process for each subgroup width, one device per process, and
//! any message of the validation layers fails the test that caused it.
//!
//! The software driver takes its width from the environment when it is loaded, so the test binary
//! starts itself again once for each width. Within a process the tests run one after another and
//! share the device and its compiled pipelines. A missing driver or a missing validation layer is
//! a failure, never a skip.
//!
//! A plain run takes a sample of the cases. Where there are several widths, the sample is that of all
//! of them together: each has its share of every product of cases, tests that are hardly about the width
//! take turns, and what does not depend on it is run at one of them.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::ops::Deref;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ScopedJoinHandle;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use libtest_mimic::{Arguments, Trial};
use multisplit::ash::vk;
use multisplit::{
    Config, Context, DEVICE_VARIABLE, DeviceChoice, PipelineCache, Policy, ValidationConfig,
};

use crate::extent::{Extent, Part};
use crate::slowest::{Slowest, Stopwatch};

/// Set in the process that runs the tests: what the subgroup size must be, and the process's share of
/// a sample, as a part.
const CHILD_VARIABLE: &str = "MULTISPLIT_TEST_CHILD";
/// Vector widths in bits at which lavapipe is right, with the subgroup sizes they give.
const LAVAPIPE_WIDTHS: [(u32, u32); 3] = [(128, 4), (256, 8), (512, 16)];

/// What a test is given.
pub struct Gpu {
    /// The shared device, validation on.
    pub context: Context,
    /// Whether to run every case.
    pub full: bool,
    /// Of a full run, its part; of a sample, the share that this width has of the test's cases.
    part: Part,
}

impl Gpu {
    /// Opens another device the same way, for a test that needs its own. `change` adjusts how.
    pub fn open_with(&self, change: impl FnOnce(&mut Config)) -> Result<Context> {
        let mut config = config();
        change(&mut config);
        Ok(Context::open(&config)?)
    }

    /// Returns, for one case after another, whether this process runs it: in a full run every case, or
    /// those of its part; in a sample, the share of this width. Call it once for each case, also for
    /// those that are skipped.
    pub fn mine(&self) -> Box<dyn FnMut() -> bool> {
        if self.full { Box::new(self.part.turns()) } else { Box::new(self.part.sampled_turns()) }
    }

    /// Whether the device is a software driver, which is slow.
    pub fn is_software(&self) -> bool {
        self.context.properties().device_type == vk::PhysicalDeviceType::CPU
    }

    /// The largest array of a whole product. A software driver takes seconds for 2^20 elements, and there are
    /// a thousand cases of them.
    pub fn large_length(&self) -> usize {
        if self.is_software() { (1 << 17) + 3 } else { (1 << 20) + 3 }
    }

    /// The policy of the device, with ranking by lane order where the device turns out to keep it,
    /// whether or not that is known of it.
    pub fn probed_policy(&self) -> Result<Policy> {
        Ok(self.context.probed_policy(7)?)
    }

    /// The device with another policy, until the result is dropped.
    pub fn with_policy(&self, policy: Policy) -> Result<WithPolicy<'_>> {
        self.context.replace_policy(Some(policy))?;
        Ok(WithPolicy(&self.context))
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

/// A device with another policy.
pub struct WithPolicy<'g>(&'g Context);

impl Deref for WithPolicy<'_> {
    type Target = Context;

    fn deref(&self) -> &Context {
        self.0
    }
}

impl Drop for WithPolicy<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.0.replace_policy(None) {
            eprintln!("the device's own policy is not restored: {error}");
        }
    }
}

/// What a test does.
type Body = Box<dyn FnOnce(&Gpu) -> Result<()> + Send>;

/// A test: a name and what it does.
pub struct Test {
    name: String,
    body: Body,
    in_turn: bool,
}

impl Test {
    /// A test called `name`.
    pub fn new(
        name: impl Into<String>,
        body: impl FnOnce(&Gpu) -> Result<()> + Send + 'static,
    ) -> Self {
        Self { name: name.into(), body: Box::new(body), in_turn: false }
    }

    /// One that widths take turns at, in a file of which the others are run at every width.
    #[must_use]
    pub fn in_turn(self) -> Self {
        Self { in_turn: true, ..self }
    }
}

/// The tests of a file.
pub struct Subject {
    tests: Vec<Test>,
    widths: Widths,
}

/// At which widths a sample runs the tests of a file. A full run has all of them at every width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Widths {
    Every,
    InTurn,
    One,
}

/// Tests of what depends on the subgroup width: each width runs its share of their cases.
pub fn every_width(tests: Vec<Test>) -> Subject {
    Subject { tests, widths: Widths::Every }
}

/// Tests of what is built on kernels that have tests of their own: each is run, whole, at the next width.
pub fn in_turn(tests: Vec<Test>) -> Subject {
    Subject { tests, widths: Widths::InTurn }
}

/// Tests of what the host does, which is the same at every width: a file of them is run at one.
pub fn one_width(tests: Vec<Test>) -> Subject {
    Subject { tests, widths: Widths::One }
}

/// The tests that this process runs, and of each the share of its cases.
fn chosen(subjects: Vec<Subject>, full: bool, part: Part) -> Vec<(Test, Part)> {
    let (mut next_file, mut next_test) = (part.turns(), part.turns());
    let mut chosen = Vec::new();
    for Subject { tests, widths } in subjects {
        let file = widths == Widths::One && next_file();
        for test in tests {
            let share = match widths {
                _ if full => Some(part),
                Widths::Every if !test.in_turn => Some(part),
                Widths::Every | Widths::InTurn => next_test().then_some(Part::WHOLE),
                Widths::One => file.then_some(Part::WHOLE),
            };
            chosen.extend(share.map(|share| (test, share)));
        }
    }
    chosen
}

/// The functions of a module as tests named after them: `tests!(scan: small, large)`. Those behind
/// `in turn` are run at one width each.
#[macro_export]
macro_rules! tests {
    ($subject:ident: $($name:ident),* $(; in turn: $($turn:ident),*)? $(,)?) => {
        /// The tests of this file.
        pub fn tests() -> Vec<$crate::harness::Test> {
            vec![
                $( $crate::harness::Test::new(
                    concat!(stringify!($subject), "::", stringify!($name)),
                    $name,
                ), )*
                $($( $crate::harness::Test::new(
                    concat!(stringify!($subject), "::", stringify!($turn)),
                    $turn,
                ).in_turn(), )*)?
            ]
        }
    };
}

/// The main function of a test binary.
pub fn main(subjects: Vec<Subject>) -> ExitCode {
    let mut arguments = std::env::args_os().collect();
    let extent = Extent::take(&mut arguments, |name| std::env::var(name).ok());
    let run = extent.and_then(|extent| match std::env::var(CHILD_VARIABLE) {
        Ok(child) => run_here(subjects, &child, extent, arguments),
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
        // Messages are checked after each test, and controls cause some.
        validation: Some(ValidationConfig { fail_on_error: false, ..ValidationConfig::default() }),
        // Tests must see what the driver compiles today.
        pipeline_cache: PipelineCache::Off,
        ..Config::default()
    }
}

/// Starts this binary again, once for each subgroup width of the device under test.
///
/// The tests of a process run one after another on one core, so processes run side by side. What
/// one says is kept together: that of a process that fails is printed when it ends, that of the
/// others at the end, so that failures come first.
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
    let shares = Part::all(widths.len());
    let child = |((bits, size), share): ((Option<u32>, u32), Part)| -> Result<Command> {
        println!("{}: subgroups of {size}, {extent}", properties.name);
        let mut child = Command::new(std::env::current_exe()?);
        child
            .args(arguments.iter().skip(1))
            .envs(extent.variables())
            .env(CHILD_VARIABLE, format!("{size} {share}"))
            // Old layers check hazards between submissions only when this is set,
            .env("VK_LAYER_ENABLES", QUEUE_SUBMIT_VALIDATION)
            // and new ones accesses of shaders, for instances that a test creates itself.
            .env("VK_KHRONOS_VALIDATION_SYNCVAL_SHADER_ACCESSES_HEURISTIC", "true");
        if let Some(bits) = bits {
            child.env("LP_NATIVE_VECTOR_WIDTH", bits.to_string()).envs(shader_cache(bits)?);
        }
        Ok(child)
    };
    let mut children = widths.into_iter().zip(shares).map(child).collect::<Result<Vec<_>>>()?;
    let all_good = match children.as_mut_slice() {
        // Nothing to keep apart.
        [only] => only.status()?.success(),
        several => run_side_by_side(several)?,
    };
    Ok(if all_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Where Mesa keeps compiled kernels: its cache ignores the width and hands back code of another one, so that
/// each width has a folder of its own, in the build's `mesa`, or where there is none beside the binary.
fn shader_cache(bits: u32) -> Result<[(&'static str, OsString); 2]> {
    let binary = std::env::current_exe()?;
    let beside = binary.parent().context("the binary lies in no folder")?;
    // Cargo puts tests two folders below the build's, by profile.
    let built = beside.ends_with("deps").then(|| beside.ancestors().nth(2)).flatten();
    let folder = built.unwrap_or(beside).join("mesa").join(bits.to_string());
    std::fs::create_dir_all(&folder)?;
    Ok([("MESA_SHADER_CACHE_DIR", folder.into()), ("MESA_SHADER_CACHE_DISABLE", "false".into())])
}

/// Runs all of them at once, also where there are more of them than cores: three that share two
/// cores end sooner than two and then one. Gives whether all succeeded.
fn run_side_by_side(children: &mut [Command]) -> Result<bool> {
    let ends = std::thread::scope(|scope| {
        let running: Vec<_> =
            children.iter_mut().map(|child| scope.spawn(|| run_and_print_failure(child))).collect();
        running.into_iter().map(ScopedJoinHandle::join).collect::<Vec<_>>()
    });
    let mut all_good = true;
    for end in ends {
        match end.map_err(|_| anyhow!("the thread that reads a child's output has panicked"))?? {
            Some(output) => std::io::stdout().write_all(&output)?,
            None => all_good = false,
        }
    }
    Ok(all_good)
}

/// Runs a child to its end. Gives what it said if it succeeded, and prints it otherwise.
fn run_and_print_failure(command: &mut Command) -> Result<Option<Vec<u8>>> {
    // One pipe for both, so that lines keep their order.
    let (mut reader, writer) = std::io::pipe()?;
    let mut child = command.stdout(writer.try_clone()?).stderr(writer).spawn()?;
    // The command holds the ends that write: while it does, there is no end of file.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut output = Vec::new();
    reader.read_to_end(&mut output)?;
    let status = child.wait()?;
    if status.success() {
        return Ok(Some(output));
    }
    // One that a signal ended has said nothing of it.
    let mut out = std::io::stdout().lock();
    out.write_all(&output)?;
    writeln!(out, "error: the process of one width ended with {status}")?;
    Ok(None)
}

const QUEUE_SUBMIT_VALIDATION: &str =
    "VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT";

fn run_here(
    subjects: Vec<Subject>,
    child: &str,
    extent: Extent,
    arguments: Vec<OsString>,
) -> Result<ExitCode> {
    let mut arguments = Arguments::from_iter(arguments);
    // One at a time: a message must belong to the test that is running.
    arguments.test_threads = Some(1);
    let context = Context::open(&config())?;
    let size = context.properties().subgroup_size.to_string();
    let (expected_size, share) = child.split_once(' ').unwrap_or((child, "1/1"));
    ensure!(size == expected_size, "subgroups of {size}, expected {expected_size}");
    let messages = context.messages();
    let Extent { full, part } = extent;
    let part = if full { part } else { share.parse()? };
    let gpu = Arc::new(Mutex::new(Some(Gpu { context, full, part })));
    let slowest = Arc::new(Mutex::new(Slowest::default()));
    let prefix = format!("subgroup{size}::");

    let mut trials: Vec<Trial> = chosen(subjects, full, part)
        .into_iter()
        .map(|(test, part)| {
            let (gpu, messages, slowest) = (gpu.clone(), messages.clone(), slowest.clone());
            Trial::test(format!("{prefix}{}", test.name), move || {
                let mut gpu = gpu.lock().unwrap_or_else(PoisonError::into_inner);
                let gpu = gpu.as_mut().ok_or("the device is gone")?;
                gpu.part = part;
                let stopwatch = Stopwatch::start();
                let outcome = (test.body)(gpu).and_then(|()| expect_silence(&messages));
                messages.take();
                let mut slowest = slowest.lock().unwrap_or_else(PoisonError::into_inner);
                slowest.add(&test.name, stopwatch.spent());
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
    let conclusion = libtest_mimic::run(&arguments, trials);
    let slowest = slowest.lock().unwrap_or_else(PoisonError::into_inner);
    if !slowest.is_empty() {
        println!("subgroups of {size}: {slowest}");
    }
    Ok(conclusion.exit_code())
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

/// The same with few workgroups in x, so that dispatches are folded into y and their last row is not full.
pub fn few_groups(policy: Policy) -> Policy {
    const FEW: u32 = 7;
    let mut policy = Policy { max_groups: FEW, ..policy };
    policy.sort.histogram_groups = policy.sort.histogram_groups.min(FEW.into());
    policy.histogram.min_groups = policy.histogram.min_groups.min(FEW);
    policy.sssp.max_groups = policy.sssp.max_groups.min(FEW);
    policy.sssp.residents.groups = policy.sssp.residents.groups.min(FEW);
    policy
}

/// Calls a generic function for each type of elements, until one fails.
#[macro_export]
macro_rules! of_every_type {
    ($function:ident($gpu:expr, $mine:expr)) => {{
        $function::<u32>($gpu, $mine)?;
        $function::<i32>($gpu, $mine)?;
        $function::<f32>($gpu, $mine)?;
        $function::<u64>($gpu, $mine)?;
        $function::<i64>($gpu, $mine)?;
        $function::<f64>($gpu, $mine)
    }};
}
