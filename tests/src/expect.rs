//! Checks and short helpers that many tests use.

use anyhow::{Result, anyhow, bail, ensure};
use multisplit::{Context, Policy, Work};

use crate::harness::expect_silence;

/// Fails unless two arrays are equal. Reports their lengths or the first element that differs.
pub fn expect_equal<T: PartialEq + std::fmt::Debug>(got: &[T], expected: &[T]) -> Result<()> {
    ensure!(got.len() == expected.len(), "{} elements, expected {}", got.len(), expected.len());
    match got.iter().zip(expected).position(|(g, e)| g != e) {
        None => Ok(()),
        Some(at) => Err(anyhow!("element {at} is {:?}, expected {:?}", got[at], expected[at])),
    }
}

/// Fails unless `outcome` is an error whose message contains `expected`.
pub fn expect_message<T, E: std::fmt::Display>(
    outcome: Result<T, E>,
    expected: &str,
) -> Result<()> {
    let Err(error) = outcome else { bail!("no error, expected one with: {expected}") };
    let text = error.to_string();
    ensure!(text.contains(expected), "the error is: {text}\nexpected one with: {expected}");
    Ok(())
}

/// Closes a context. Fails if the validation layer has reported anything.
pub fn expect_no_messages(context: Context) -> Result<()> {
    let messages = context.messages();
    drop(context);
    expect_silence(&messages)
}

/// Calls `body` with each number from 0 to `count - 1`, each in its own thread.
pub fn in_threads(count: u64, body: impl Fn(u64) -> Result<()> + Sync) -> Result<()> {
    std::thread::scope(|scope| {
        let body = &body;
        let threads: Vec<_> = (0..count).map(|k| scope.spawn(move || body(k))).collect();
        threads.into_iter().try_for_each(|t| t.join().map_err(|_| anyhow!("a thread panicked"))?)
    })
}

/// Records work, submits it once, and waits for it.
pub fn run_once(work: Work) -> multisplit::Result<()> {
    let mut frame = work.record()?;
    frame.submit()?;
    frame.wait()
}

/// Limits dispatches of the policy to 7 workgroups in x. Larger dispatches are folded into y, and
/// usually have surplus workgroups in the last row.
pub fn few_groups(policy: Policy) -> Policy {
    policy.lowered(|facts| facts.max_groups = 7)
}

/// Calls a generic function for each 32-bit and 64-bit element type until a call fails. All calls
/// use the same [`mine`](crate::harness::Gpu::mine) closure, so the cases of all types form one
/// list.
#[macro_export]
macro_rules! of_every_type {
    ($function:ident($gpu:expr)) => {{
        let mine = &mut $gpu.mine();
        $function::<u32>($gpu, mine)?;
        $function::<i32>($gpu, mine)?;
        $function::<f32>($gpu, mine)?;
        $function::<u64>($gpu, mine)?;
        $function::<i64>($gpu, mine)?;
        $function::<f64>($gpu, mine)
    }};
}

/// Checks that calls return the expected errors. Each line is `call() => Variant { field, .. },`;
/// errors that are not variants of [`multisplit::Error`] need a path.
#[macro_export]
macro_rules! expect_errors {
    ($($outcome:expr => $pattern:pat $(if $guard:expr)?),* $(,)?) => {$({
        let outcome = $outcome;
        {
            #[allow(unused_imports)]
            use multisplit::Error::*;
            match outcome {
                Err($pattern) $(if $guard)? => {}
                Err(error) => $crate::prelude::bail!(
                    "{}: expected the error {}, found: {error}",
                    stringify!($outcome),
                    stringify!($pattern $(if $guard)?)
                ),
                Ok(_) => $crate::prelude::bail!(
                    "{}: expected the error {}, found none",
                    stringify!($outcome),
                    stringify!($pattern $(if $guard)?)
                ),
            }
        }
    })*};
}
