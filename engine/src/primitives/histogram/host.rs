//! Histograms of host data in one call.

use multisplit_graph::Graph;

use super::{Histogram, HistogramBuffers, HistogramMethod, Sample, Weight, add};
use crate::device::context::Context;
use crate::error::{Error, Result};

/// What a histogram gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistogramResult {
    /// m counts for each channel that is counted, channel after channel.
    pub counts: Vec<u64>,
    /// One for each such channel: how many samples lie in no bin.
    pub dropped: Vec<u64>,
    /// How it was done.
    pub method: HistogramMethod,
}

impl Context {
    /// Counts `samples`: uploads them, counts them on the device, downloads 64-bit counts. Weights
    /// and accumulation are for graphs ([`add`]).
    pub fn histogram<S: Sample>(
        &self,
        histogram: &Histogram,
        samples: &[S],
    ) -> Result<HistogramResult> {
        let refuse = |problem: &str| {
            let sample = format!("{:?}", histogram.sample);
            Err(Error::Histogram { sample, problem: problem.to_owned() })
        };
        if S::TYPE != histogram.sample {
            return refuse("the samples are of another type");
        }
        if histogram.weight != Weight::None || histogram.accumulate {
            return refuse("one call has neither weights nor earlier counts");
        }
        histogram.layout.check(histogram.sample)?;
        let histogram = histogram.clone().wide();
        let bytes: &[u8] = bytemuck::cast_slice(samples);
        let (layout, sample) = (&histogram.layout, histogram.sample);
        let stride = u64::from(layout.stride(sample));
        let element = u64::from(layout.channels * sample.bytes());
        // The last element need not be followed by what lies between elements.
        let room = (bytes.len() as u64 + stride - element).saturating_sub(layout.offset);
        let n = room / stride;

        let mut graph = Graph::new("histogram");
        // Vulkan has no empty buffers, and kernels read words.
        let size = (bytes.len() as u64).max(1).next_multiple_of(4);
        let channels = u64::from(layout.active_channels());
        let input = graph.import_bytes("samples", size);
        let counts = graph.import::<u64>("counts", channels * u64::from(histogram.bins).max(1));
        let dropped = graph.import::<u64>("dropped", channels);
        let buffers =
            HistogramBuffers { dropped: Some(dropped), ..HistogramBuffers::new(n, input, counts) };
        let added = add(&mut graph, &self.policy(), &histogram, &buffers)?;
        let executable = self.instantiate(graph.compile(&self.limits())?)?;

        let device_input = self.buffer::<u8>("samples", size)?;
        self.write(&device_input, bytes)?;
        let device_counts = self.buffer::<u8>("counts", counts.size())?;
        let device_dropped = self.buffer::<u8>("dropped", dropped.size())?;
        let bound = [(input, &device_input), (counts, &device_counts), (dropped, &device_dropped)];
        self.run(&executable, &bound)?;
        Ok(HistogramResult {
            counts: self.download(&device_counts)?,
            dropped: self.download(&device_dropped)?,
            method: added.method,
        })
    }
}
