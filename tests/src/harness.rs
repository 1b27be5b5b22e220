//! Test harness for real drivers: one process per subgroup width, one shared device per process.
//! Any unexpected validation message on that device fails the test that caused it.
//!
//! The software driver takes its width from the environment when it is loaded, so the test binary
//! starts itself again once for each width. Within a process the tests run one after another and
//! share the device and its compiled pipelines. A missing driver or a missing validation layer is
//! a failure, never a skip.
//!
//! A plain run executes a sample of the cases. If there are several widths, they share the sample:
//! each width runs its share of every product of cases, tests that barely depend on the width are
//! assigned to the widths in turn, and tests that do not depend on it run at one width.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::ops::Deref;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::ScopedJoinHandle;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use libtest_mimic::{Arguments, Trial};
use multisplit::ash::vk;
use multisplit::{
    Config, Context, DEVICE_VARIABLE, DeviceChoice, FaultyDevices, PipelineCache, Policy,
    ValidationConfig,
};

use crate::extent::{Extent, Part};
use crate::refusals::Refusals;
use crate::slowest::{Slowest, Stopwatch};

/// Set in child processes: the expected subgroup size, and the child's share of the sample as
/// `K/N`.
const CHILD_VARIABLE: &str = "MULTISPLIT_TEST_CHILD";
/// Vector widths in bits at which lavapipe is correct, and the resulting subgroup sizes.
const LAVAPIPE_WIDTHS: [(u32, u32); 3] = [(128, 4), (256, 8), (512, 16)];

/// Environment variable: the share of the sample that each process runs, as `K/N`. For slow drivers.
const SHARE_VARIABLE: &str = "MULTISPLIT_SHARE";

/// The argument of every test.
pub struct Gpu {
    /// The shared device, with validation enabled.
    pub context: Context,
    /// Whether to run every case instead of a sample.
    pub full: bool,
    /// The part of a full run, or the share of the sample that the running test executes.
    part: Part,
    refusals: Arc<Refusals>,
    /// The turns of the cases of the running test, of which this process may run only some. `None`
    /// before its first case.
    turns: Mutex<Option<Turns>>,
}

/// Reports, for one case after another, whether this process runs it.
type Turns = Box<dyn FnMut() -> bool + Send>;

impl Gpu {
    /// Opens another device with the same configuration, after `change` has modified it.
    pub fn open_with(&self, change: impl FnOnce(&mut Config)) -> Result<Context> {
        let mut config = config();
        change(&mut config);
        Ok(Context::open(&config)?)
    }

    /// Whether this process runs the next case of the running test: in a full run all cases or those
    /// of its part, in a sample its share. Call it once for each case, including cases that the test
    /// then skips. A test that calls `mine` must run each case that a device may refuse by
    /// [`Self::run_or_refuse`].
    pub fn mine(&self) -> bool {
        self.turns().get_or_insert_with(|| self.new_turns())()
    }

    /// Runs the next case of the running test if this process runs it, as [`Self::mine`].
    pub fn case(&self, case: impl FnOnce() -> Result<()>) -> Result<()> {
        if self.mine() { case() } else { Ok(()) }
    }

    /// The cases of a list that this process runs, as [`Self::mine`]. Each list begins with a new
    /// share.
    pub fn cases<T>(&self, all: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
        self.turns().get_or_insert_with(|| self.new_turns());
        let mut mine = self.new_turns();
        all.into_iter().filter(move |_| mine())
    }

    fn turns(&self) -> MutexGuard<'_, Option<Turns>> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn new_turns(&self) -> Turns {
        if self.full { Box::new(self.part.turns()) } else { Box::new(self.part.sampled_turns()) }
    }

    /// Runs a case. If the device refuses it because it lacks a feature, counts it and returns
    /// `Ok`, so that the test continues with its next case.
    pub fn run_or_refuse(&self, case: impl FnOnce() -> Result<()>) -> Result<()> {
        case().or_else(|error| self.refusals.accept_case(error, self.context.features()))
    }

    /// Runs a test. Counts it if the device refuses it as a whole.
    fn run_test(&self, test: Test) -> Result<()> {
        *self.turns() = None;
        (test.body)(self).or_else(|error| {
            let has_cases = self.turns().is_some();
            self.refusals.accept_test(&test.name, has_cases, error, self.context.features())
        })
    }

    /// Returns the array sizes at which this process runs a case. In a full run, these are its
    /// share of the sizes in `few` and `more`. In a sample, these are all sizes in `few` if the
    /// sample contains the case: on a software driver, compiling the pipelines of a case dominates
    /// its cost, and all sizes use the same pipelines.
    pub fn sizes<T: Copy>(&self, is_sampled: bool, few: &[T], more: &[T]) -> Vec<T> {
        match self.full {
            true => few.iter().chain(more).copied().filter(|_| self.mine()).collect(),
            false if is_sampled && self.mine() => few.to_vec(),
            false => Vec::new(),
        }
    }

    /// Whether the device is a (slow) software driver.
    pub fn is_software(&self) -> bool {
        self.context.properties().device_type == vk::PhysicalDeviceType::CPU
    }

    /// Length of the largest arrays in the products of sorts and splits. A software driver takes
    /// seconds for 2^20 elements, and there are more than two thousand such cases.
    pub fn large_length(&self) -> usize {
        if self.is_software() { (1 << 17) + 3 } else { (1 << 20) + 3 }
    }

    /// The policy of the device, with ranking by lane order enabled if the device passes the
    /// lane-order probe now.
    pub fn probed_policy(&self) -> Result<Policy> {
        Ok(self.context.probed_policy(7)?)
    }

    /// Replaces the device's policy until the result is dropped.
    pub fn with_policy(&self, policy: Policy) -> Result<WithPolicy<'_>> {
        self.context.replace_policy(Some(policy))?;
        Ok(WithPolicy(&self.context))
    }

    /// Runs `body`, which is expected to cause validation messages. Returns the ids of the violated
    /// rules.
    pub fn expect_messages(&self, body: impl FnOnce() -> Result<()>) -> Result<Vec<String>> {
        let messages = self.context.messages();
        ensure!(
            messages.take().is_empty(),
            "the layer reported messages before the tested code ran"
        );
        body()?;
        Ok(messages.take().into_iter().map(|m| m.id).collect())
    }
}

impl Deref for Gpu {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

/// A device whose policy is replaced until this is dropped.
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
            eprintln!("cannot restore the device's own policy: {error}");
        }
    }
}

/// The body of a test.
type Body = Box<dyn FnOnce(&Gpu) -> Result<()> + Send>;

/// A named test.
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

    /// In a sample, runs the test at one width even if its file runs at every width.
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

/// Widths at which a sample runs the tests of a file. A full run executes all tests at every width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Widths {
    Every,
    InTurn,
    One,
}

/// Tests that depend on the subgroup width. In a sample, each width runs its share of their cases.
pub fn every_width(tests: Vec<Test>) -> Subject {
    Subject { tests, widths: Widths::Every }
}

/// Tests that barely depend on the subgroup width. In a sample, each of them runs at one width,
/// with all its sampled cases; the widths take turns.
pub fn in_turn(tests: Vec<Test>) -> Subject {
    Subject { tests, widths: Widths::InTurn }
}

/// Tests of behaviour that does not depend on the subgroup width. In a sample, all tests of a file
/// run at one width.
pub fn one_width(tests: Vec<Test>) -> Subject {
    Subject { tests, widths: Widths::One }
}

/// The tests that this process runs, each with its share of the cases.
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

/// Declares the tests of a module from its functions: `tests!(scan: small, large)`. In a sample,
/// those listed after `in turn` run at one width each. A generic function marked `#[every_type]` is
/// called for every element type, as by `of_every_type!`.
#[macro_export]
macro_rules! tests {
    (
        $subject:ident: $($(#[$every:ident])? $name:ident),*
        $(; in turn: $($(#[$turn_every:ident])? $turn:ident),*)? $(,)?
    ) => {
        /// The tests of this file.
        pub fn tests() -> Vec<$crate::harness::Test> {
            vec![
                $( $crate::tests!(@test $subject $(#[$every])? $name), )*
                $($( $crate::tests!(@test $subject $(#[$turn_every])? $turn).in_turn(), )*)?
            ]
        }
    };
    (@test $subject:ident #[every_type] $name:ident) => {
        $crate::tests!(@named $subject $name, |gpu: &$crate::harness::Gpu| $crate::of_every_type!($name(gpu)))
    };
    (@test $subject:ident $name:ident) => { $crate::tests!(@named $subject $name, $name) };
    (@named $subject:ident $name:ident, $body:expr) => {
        $crate::harness::Test::new(concat!(stringify!($subject), "::", stringify!($name)), $body)
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

/// The device under test: `MULTISPLIT_DEVICE` if set, else the software driver, else any device.
fn config() -> Config {
    let software = || {
        let devices = Context::devices().unwrap_or_default();
        devices.iter().any(|d| d.properties.device_type == vk::PhysicalDeviceType::CPU)
    };
    let named = std::env::var(DEVICE_VARIABLE).is_ok_and(|v| !v.is_empty());
    Config {
        device: if !named && software() { DeviceChoice::Software } else { DeviceChoice::Auto },
        // Messages are checked after each test, and some tests cause messages on purpose.
        validation: Some(ValidationConfig { fail_on_error: false, ..ValidationConfig::default() }),
        // Tests must run the code that the current driver compiles.
        pipeline_cache: PipelineCache::Off,
        // Without a cache, every context would run the device probe, which has its own tests.
        faulty_devices: FaultyDevices::Used,
        ..Config::default()
    }
}

/// Starts this binary again, once for each subgroup width of the device under test.
///
/// The tests of a process run one after another, so several processes run in parallel. Their output
/// is buffered. The output of a process that fails is printed when it ends, and the output of the
/// others after all have ended, so that failures come first.
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
    let shares = match std::env::var(SHARE_VARIABLE) {
        Ok(share) => vec![share.parse()?; widths.len()],
        Err(_) => Part::all(widths.len()).collect(),
    };
    let child = |((bits, size), share): ((Option<u32>, u32), Part)| -> Result<Command> {
        println!("{}: subgroups of {size}, {extent}", properties.name);
        let mut child = Command::new(std::env::current_exe()?);
        child
            .args(arguments.iter().skip(1))
            .envs(extent.variables())
            .env(CHILD_VARIABLE, format!("{size} {share}"))
            // Old layers check hazards between submissions only if this is set.
            .env("VK_LAYER_ENABLES", QUEUE_SUBMIT_VALIDATION)
            // New layers check shader accesses only if this is set. It is needed for instances that
            // a test creates itself.
            .env("VK_KHRONOS_VALIDATION_SYNCVAL_SHADER_ACCESSES_HEURISTIC", "true");
        if let Some(bits) = bits {
            child.env("LP_NATIVE_VECTOR_WIDTH", bits.to_string()).envs(shader_cache(bits)?);
        }
        Ok(child)
    };
    let mut children = widths.into_iter().zip(shares).map(child).collect::<Result<Vec<_>>>()?;
    let all_good = match children.as_mut_slice() {
        // A single child can print directly.
        [only] => only.status()?.success(),
        several => run_side_by_side(several)?,
    };
    Ok(if all_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Environment variables for Mesa's shader cache. The cache ignores the subgroup width and would
/// return code compiled for another width, so each width gets its own folder in `mesa`, which is in
/// the target folder, or beside the binary if it was not built by cargo.
fn shader_cache(bits: u32) -> Result<[(&'static str, OsString); 2]> {
    let binary = std::env::current_exe()?;
    let beside = binary.parent().context("the test binary has no parent folder")?;
    // Cargo puts test binaries two levels below the target folder, in `PROFILE/deps`.
    let built = beside.ends_with("deps").then(|| beside.ancestors().nth(2)).flatten();
    let folder = built.unwrap_or(beside).join("mesa").join(bits.to_string());
    std::fs::create_dir_all(&folder)?;
    Ok([("MESA_SHADER_CACHE_DIR", folder.into()), ("MESA_SHADER_CACHE_DISABLE", "false".into())])
}

/// Runs all children at once, even if there are more of them than cores: three processes that share
/// two cores finish sooner than two followed by one. Returns whether all succeeded.
fn run_side_by_side(children: &mut [Command]) -> Result<bool> {
    let ends = std::thread::scope(|scope| {
        let running: Vec<_> =
            children.iter_mut().map(|child| scope.spawn(|| run_and_print_failure(child))).collect();
        running.into_iter().map(ScopedJoinHandle::join).collect::<Vec<_>>()
    });
    let mut all_good = true;
    for end in ends {
        match end.map_err(|_| anyhow!("the thread that reads a child's output panicked"))?? {
            Some(output) => std::io::stdout().write_all(&output)?,
            None => all_good = false,
        }
    }
    Ok(all_good)
}

/// Runs a child until it exits. Returns its output if it succeeded, and prints the output
/// otherwise.
fn run_and_print_failure(command: &mut Command) -> Result<Option<Vec<u8>>> {
    // One pipe for both streams, so that lines keep their order.
    let (mut reader, writer) = std::io::pipe()?;
    let mut child = command.stdout(writer.try_clone()?).stderr(writer).spawn()?;
    // Close the command's copies of the write end, or the reader would never reach the end of file.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut output = Vec::new();
    reader.read_to_end(&mut output)?;
    let status = child.wait()?;
    if status.success() {
        return Ok(Some(output));
    }
    // A process that is killed by a signal prints no error itself.
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
    // One test at a time, so that each message can be attributed to the running test.
    arguments.test_threads = Some(1);
    let context = Context::open(&config())?;
    let size = context.properties().subgroup_size.to_string();
    let (expected_size, share) = child.split_once(' ').unwrap_or((child, "1/1"));
    ensure!(size == expected_size, "the subgroup size is {size}, expected {expected_size}");
    let messages = context.messages();
    let Extent { full, part } = extent;
    let part = if full { part } else { share.parse()? };
    let refusals = Arc::new(Refusals::default());
    let gpu = Gpu { context, full, part, refusals: refusals.clone(), turns: Mutex::default() };
    let gpu = Arc::new(Mutex::new(Some(gpu)));
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
                let (name, stopwatch) = (test.name.clone(), Stopwatch::start());
                let outcome = gpu.run_test(test).and_then(|()| expect_silence(&messages));
                messages.take();
                let mut slowest = slowest.lock().unwrap_or_else(PoisonError::into_inner);
                slowest.add(&name, stopwatch.spent());
                Ok(outcome.map_err(|e| format!("{e:#}"))?)
            })
        })
        .collect();
    // This test runs last, so that the layer's object tracking reports every leaked object.
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
    if !refusals.is_empty() {
        println!("subgroups of {size}: {refusals}");
    }
    Ok(conclusion.exit_code())
}

pub(crate) fn expect_silence(messages: &multisplit::Messages) -> Result<()> {
    let reported = messages.take();
    match reported.first() {
        None => Ok(()),
        Some(first) => bail!("{} validation messages, the first: {}", reported.len(), first.text),
    }
}
