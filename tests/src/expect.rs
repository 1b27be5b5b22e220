//! Checks and short helpers that many tests use.

use std::fmt::{Debug, Display};

use anyhow::{Result, anyhow, bail, ensure};
use multisplit::{Context, Error, Key, Policy, Work};

use crate::harness::expect_silence;
use crate::terms::bits;

/// Fails unless two arrays are equal. Reports their lengths or the first element that differs.
pub fn expect_equal<T: PartialEq + Debug>(got: &[T], expected: &[T]) -> Result<()> {
    ensure!(got.len() == expected.len(), "{} elements, expected {}", got.len(), expected.len());
    match got.iter().zip(expected).position(|(g, e)| g != e) {
        None => Ok(()),
        Some(at) => Err(anyhow!("element {at} is {:?}, expected {:?}", got[at], expected[at])),
    }
}

/// Fails unless two values are equal. `what` is the subject of the message.
pub fn expect_value<T: PartialEq<U> + Debug, U: Debug>(
    what: impl Display,
    found: &T,
    expected: &U,
) -> Result<()> {
    ensure!(found == expected, "{what} is {found:?}, expected {expected:?}");
    Ok(())
}

/// Fails unless a sum of floats has at most this error, relative to sums greater than 1.
pub fn expect_near(found: f32, sum: f64, tolerance: f64) -> Result<()> {
    let error = (f64::from(found) - sum).abs() / sum.max(1.0);
    ensure!(error <= tolerance, "the sum is {found}, expected about {sum}");
    Ok(())
}

/// Fails unless keys have the same bits. (NaN is not equal to itself.)
pub fn expect_keys<K: Key>(got: &[K], expected: &[K]) -> Result<()> {
    expect_equal(&bits(got), &bits(expected))
}

/// Fails unless `outcome` is an error whose message contains `expected`.
pub fn expect_message<T, E: Display>(outcome: Result<T, E>, expected: &str) -> Result<()> {
    expect_message_parts(outcome, &[expected])
}

/// Fails unless `outcome` is an error whose message contains all `parts`.
pub fn expect_message_parts<T, E: Display>(outcome: Result<T, E>, parts: &[&str]) -> Result<()> {
    let Err(error) = outcome else { bail!("no error, expected one with: {}", parts.join(", ")) };
    let text = error.to_string();
    let missing = parts.iter().find(|part| !text.contains(**part));
    missing.map_or(Ok(()), |part| bail!("the error is: {text}\nexpected one with: {part}"))
}

/// Fails unless `outcome` is a compile error whose message contains all `parts`.
pub fn expect_compile_error<T>(outcome: Result<T, Error>, parts: &[&str]) -> Result<()> {
    if let Err(error) = &outcome {
        ensure!(matches!(error, Error::Compile(_)), "expected Error::Compile, found {error:?}");
    }
    expect_message_parts(outcome, parts)
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

/// All pairs of an element of `a` and an element of `b`, as of two nested loops.
pub fn pairs<A: Copy, B: Copy>(a: &[A], b: &[B]) -> Vec<(A, B)> {
    a.iter().flat_map(|&a| b.iter().map(move |&b| (a, b))).collect()
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

/// Calls a generic function for each 32-bit and 64-bit element type until a call fails.
#[macro_export]
macro_rules! of_every_type {
    ($function:ident($gpu:expr)) => {{
        $function::<u32>($gpu)?;
        $function::<i32>($gpu)?;
        $function::<f32>($gpu)?;
        $function::<u64>($gpu)?;
        $function::<i64>($gpu)?;
        $function::<f64>($gpu)
    }};
}

/// Checks that calls return the expected errors. Each line is `call() => Variant { field, .. },`;
/// errors that are not variants of [`multisplit::Error`] need a path.
#[macro_export]
macro_rules! expect_errors {
    ($($outcome:expr => $pattern:pat $(if $guard:expr)?),* $(,)?) => {$(
        $crate::expect_error!($outcome, $pattern $(if $guard)?, "{}", stringify!($outcome));
    )*};
}

/// Checks that a call returns the expected error, as [`expect_errors`]. The remaining arguments are
/// those of `format!` and describe the case: `expect_error!(call(n), Variant { .. }, "n = {n}")`.
#[macro_export]
macro_rules! expect_error {
    ($outcome:expr, $pattern:pat $(if $guard:expr)?, $($case:tt)+) => {{
        let outcome = $outcome;
        let found = {
            #[allow(unused_imports)]
            use multisplit::Error::*;
            match outcome {
                Err($pattern) $(if $guard)? => None,
                Err(error) => Some(error.to_string()),
                Ok(_) => Some("none".to_owned()),
            }
        };
        if let Some(found) = found {
            $crate::prelude::bail!(
                "{}: expected the error {}, found: {found}",
                format_args!($($case)+),
                stringify!($pattern $(if $guard)?)
            );
        }
    }};
}
