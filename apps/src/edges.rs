//! Bin edges. They are exact: samples are compared with the same edges that `--json` and `--csv` write.

use std::cmp::Ordering;
use std::fmt;

use serde::{Serialize, Serializer};

/// A bin edge: an integer or a float.
#[derive(Clone, Copy, Debug)]
pub enum Edge {
    Whole(i128),
    Real(f64),
}

impl Edge {
    /// Approximate value.
    pub fn value(self) -> f64 {
        match self {
            Self::Whole(edge) => edge as f64,
            Self::Real(edge) => edge,
        }
    }
}

impl PartialEq for Edge {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

/// Compares exactly, also an integer with a float. `None` if one of them is NaN.
impl PartialOrd for Edge {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (*self, *other) {
            (Self::Whole(a), Self::Whole(b)) => a.partial_cmp(&b),
            (Self::Real(a), Self::Real(b)) => a.partial_cmp(&b),
            (Self::Real(_), Self::Whole(_)) => other.partial_cmp(self).map(Ordering::reverse),
            (Self::Whole(_), Self::Real(b)) if b.is_nan() => None,
            (Self::Whole(a), Self::Real(b)) => {
                // The cast saturates. This is correct, because integer edges are far from the limits of i128.
                let floor = b.floor();
                let rest = if b > floor { Ordering::Less } else { Ordering::Equal };
                Some(a.cmp(&(floor as i128)).then(rest))
            }
        }
    }
}

/// Formats the edge so that it parses back to the same number.
impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(edge) => edge.fmt(f),
            Self::Real(edge) => fmt::Debug::fmt(edge, f),
        }
    }
}

impl Serialize for Edge {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            // JSON integers may have any length.
            Self::Whole(edge) => serializer.serialize_i128(*edge),
            Self::Real(edge) if edge.is_finite() => serializer.serialize_f64(*edge),
            // JSON has no infinity.
            Self::Real(edge) => serializer.serialize_str(if *edge > 0.0 { "inf" } else { "-inf" }),
        }
    }
}

/// The m + 1 edges that divide an integer range into m bins of equal width. Bin k begins at the first integer at or
/// above lo + k (hi - lo) / m.
pub fn even_whole(lo: i128, hi: i128, m: u32) -> Vec<Edge> {
    // This cannot overflow: the span is at most 2^65, and k and m have 32 bits.
    let (span, m) = (hi - lo, i128::from(m));
    (0..=m).map(|k| Edge::Whole(lo + (span * k + m - 1).div_euclid(m))).collect()
}

/// The m + 1 edges of m bins whose edges have equal ratios. `narrow` rounds a float edge to the sample type.
pub fn logarithmic(lo: Edge, hi: Edge, m: u32, narrow: impl Fn(f64) -> f64) -> Vec<Edge> {
    let (from, to) = (lo.value(), hi.value());
    let (begin, factor) = (from.ln(), (to / from).ln());
    let edge = |k: u32| {
        let value = (begin + factor * (f64::from(k) / f64::from(m))).exp();
        match (k, lo) {
            (0, _) => lo,
            (k, _) if k == m => hi,
            // Round up to an integer, with a tolerance for powers that are almost exact integers.
            (_, Edge::Whole(_)) => Edge::Whole((value * (1.0 - 1e-12)).ceil() as i128),
            _ => Edge::Real(narrow(value.clamp(from, to))),
        }
    };
    let mut edges: Vec<Edge> = (0..=m).map(edge).collect();
    // Rounding may make adjacent edges equal, but must not reverse their order.
    for k in 1..edges.len() {
        if edges[k] < edges[k - 1] {
            edges[k] = edges[k - 1];
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::{Edge, even_whole, logarithmic};

    #[test]
    fn integer_ranges_have_integer_edges() {
        let whole =
            |edges: &[i128]| edges.iter().map(|&edge| Edge::Whole(edge)).collect::<Vec<_>>();
        let edges = even_whole(0, 10, 3);
        assert_eq!(edges, whole(&[0, 4, 7, 10]));
        let edges = even_whole(-5, 1 << 64, 2);
        assert_eq!(edges, whole(&[-5, (1 << 63) - 2, 1 << 64]));
        let text = serde_json::to_string(&edges).expect("the edges can be serialized");
        assert_eq!(text, "[-5,9223372036854775806,18446744073709551616]");
        let edges = logarithmic(Edge::Whole(1), Edge::Whole(1000), 3, |x| x);
        assert_eq!(edges, whole(&[1, 10, 100, 1000]));
    }

    #[test]
    fn infinite_edges_are_serialized_as_text() {
        let text = serde_json::to_string(&[Edge::Real(f64::NEG_INFINITY), Edge::Real(0.5)]);
        assert_eq!(text.expect("the edges can be serialized"), "[\"-inf\",0.5]");
        assert_eq!(Edge::Whole(5).to_string(), "5");
        assert_eq!(Edge::Real(5.0).to_string(), "5.0");
    }
}
