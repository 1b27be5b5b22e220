//! `--trace`: a timeline of host and device in the format of Chrome (chrome://tracing) and Perfetto
//! (ui.perfetto.dev).
//!
//! The device clock has a different origin than the host clock. A run cannot begin before its submission or
//! end after the host observed its completion, so each run gives a lower and an upper bound of the offset
//! between the clocks. The trace uses the middle of the intersection of all bounds. On tested devices its
//! error is at most the time of a submission, about fifty microseconds.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use multisplit::{Observer, Run};
use serde_json::{Map, Value, json};
use tracing::span::{Attributes, Id};
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use crate::phase;

/// Collects events; clones share them.
#[derive(Clone)]
pub struct Trace(Arc<Inner>);

struct Inner {
    start: Instant,
    spans: Mutex<Vec<Value>>,
    runs: Mutex<Vec<Run>>,
}

/// Process ids for the host and the device in the trace.
const HOST: u32 = 1;
const DEVICE: u32 = 2;

impl Trace {
    pub fn new() -> Self {
        let (spans, runs) = (Mutex::default(), Mutex::default());
        Self(Arc::new(Inner { start: Instant::now(), spans, runs }))
    }

    /// Returns an observer that records device runs.
    pub fn observer(&self) -> Observer {
        let trace = self.clone();
        Observer::new(move |run| {
            phase::add_device_time(run.nanoseconds);
            lock(&trace.0.runs).push(run);
        })
    }

    /// Returns a tracing layer that records host spans.
    pub fn layer<S: Subscriber + for<'s> LookupSpan<'s>>(&self) -> impl Layer<S> + use<S> {
        Spans(self.clone())
    }

    /// The content of the trace file so far.
    pub fn text(&self) -> String {
        let named = |pid: u32, name: &str| json!({"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}});
        let mut events = vec![named(HOST, "host"), named(DEVICE, "device")];
        events.extend(lock(&self.0.spans).iter().cloned());
        events.extend(self.device_events(&lock(&self.0.runs)));
        // One event per line, so that the file is easy to read and compare.
        let mut text = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n".to_owned();
        for (index, event) in events.iter().enumerate() {
            let comma = if index + 1 < events.len() { "," } else { "" };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{event}{comma}");
        }
        text + "]}\n"
    }

    fn device_events(&self, runs: &[Run]) -> Vec<Value> {
        let offset = clock_offset(self.0.start, runs);
        let mut events = Vec::new();
        for run in runs {
            let begin = device_nanoseconds(runs, run) + offset;
            events.push(complete(&run.plan, DEVICE, begin, run.nanoseconds, &Map::new()));
            let mut pass_begin = begin;
            for pass in &run.passes {
                let time = pass.nanoseconds;
                events.push(complete(&pass.label, DEVICE, pass_begin, time, &Map::new()));
                pass_begin += time;
            }
        }
        events
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn nanoseconds(from: Instant, to: Instant) -> f64 {
    to.saturating_duration_since(from).as_secs_f64() * 1e9
}

/// Start of `run` by the device clock, relative to the first run, because absolute ticks may exceed the
/// precision of a float.
fn device_nanoseconds(runs: &[Run], run: &Run) -> f64 {
    let first = runs.first().map_or(0, |first| first.begin_ticks);
    run.begin_ticks.wrapping_sub(first) as f64 * run.tick_nanoseconds
}

/// Offset to add to device time to get host time.
fn clock_offset(start: Instant, runs: &[Run]) -> f64 {
    let (mut min, mut max) = (f64::NEG_INFINITY, f64::INFINITY);
    for run in runs {
        let begin = device_nanoseconds(runs, run);
        min = min.max(nanoseconds(start, run.before) - begin);
        max = max.min(nanoseconds(start, run.after) - (begin + run.nanoseconds));
    }
    // If the clocks drift, the bounds may contradict each other; the middle is still a good estimate.
    if runs.is_empty() { 0.0 } else { (min + max) / 2.0 }
}

/// Creates an event with a start and a duration, both in nanoseconds.
fn complete(name: &str, pid: u32, begin: f64, length: f64, args: &Map<String, Value>) -> Value {
    let microseconds = |nanoseconds: f64| (nanoseconds.max(0.0)).round() / 1e3;
    let (ts, dur) = (microseconds(begin), microseconds(length));
    json!({"ph": "X", "name": name, "pid": pid, "tid": 1, "ts": ts, "dur": dur, "args": args})
}

/// Records when spans are entered and exited.
struct Spans(Trace);

struct Open {
    fields: Map<String, Value>,
    entered: Option<Instant>,
}

struct Fields<'f>(&'f mut Map<String, Value>);

impl tracing::field::Visit for Fields<'_> {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").into());
    }

    fn record_u64(&mut self, field: &tracing::field::Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_str(&mut self, field: &tracing::field::Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Spans {
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        metadata.is_span() && metadata.level() <= &Level::DEBUG
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            let mut fields = Map::new();
            attributes.record(&mut Fields(&mut fields));
            span.extensions_mut().insert(Open { fields, entered: None });
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(open) = span.extensions_mut().get_mut::<Open>()
        {
            open.entered = Some(Instant::now());
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let now = Instant::now();
        if let Some(span) = context.span(id)
            && let Some(open) = span.extensions_mut().get_mut::<Open>()
            && let Some(entered) = open.entered.take()
        {
            let (begin, length) = (nanoseconds(self.0.0.start, entered), nanoseconds(entered, now));
            let event = complete(span.name(), HOST, begin, length, &open.fields);
            lock(&self.0.0.spans).push(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Trace, clock_offset};
    use multisplit::{PassTime, Run};
    use std::time::{Duration, Instant};

    fn run(start: Instant, before: u64, after: u64, begin_ticks: u64, length: f64) -> Run {
        let at = |nanoseconds| start + Duration::from_nanos(nanoseconds);
        let passes = vec![PassTime { label: "scan.spine".into(), nanoseconds: length }];
        let (before, after, tick_nanoseconds) = (at(before), at(after), 2.0);
        let plan = "scan".to_owned();
        Run { plan, before, after, begin_ticks, tick_nanoseconds, nanoseconds: length, passes }
    }

    #[test]
    fn clock_offset_places_runs_between_submission_and_completion() {
        let start = Instant::now();
        // Host time 1000 ns is device tick 5000, and a tick takes 2 ns. The second run gives
        // tighter bounds.
        let runs = [run(start, 900, 3000, 5000, 1000.0), run(start, 4990, 6010, 7000, 1000.0)];
        let offset = clock_offset(start, &runs);
        assert!((offset - 1000.0).abs() <= 10.0, "{offset} ns, expected 990 to 1010 ns");
        assert_eq!(clock_offset(start, &[]), 0.0);
    }

    #[test]
    fn trace_is_json_with_every_pass() {
        let trace = Trace::new();
        let start = trace.0.start;
        super::lock(&trace.0.runs).push(run(start, 100, 2000, 7, 1000.0));
        let value: serde_json::Value =
            serde_json::from_str(&trace.text()).expect("the text is JSON");
        let events = value["traceEvents"].as_array().expect("the trace has a list of events");
        let pass = events
            .iter()
            .find(|event| event["name"] == "scan.spine")
            .expect("the trace contains the pass");
        assert_eq!(pass["dur"], 1.0);
        assert_eq!(pass["ph"], "X");
    }
}
