//! Edge lists, the input of [`Network::new`](super::Network::new).

/// A list of edges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EdgeList {
    /// Start vertex of each edge.
    pub from: Vec<u32>,
    /// End vertex of each edge.
    pub to: Vec<u32>,
    /// Weight of each edge.
    pub weights: EdgeWeights,
}

/// Weights of an edge list.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum EdgeWeights {
    /// All edges have weight 1, and no weights are stored.
    #[default]
    Ones,
    /// Integer weights.
    U32(Vec<u32>),
    /// Float weights; finite and not negative.
    F32(Vec<f32>),
}

impl EdgeList {
    /// Creates an empty list of edges of weight 1.
    pub fn unweighted() -> Self {
        Self::default()
    }

    /// Creates an empty list of edges with integer weights.
    pub fn weighted() -> Self {
        Self { weights: EdgeWeights::U32(Vec::new()), ..Self::default() }
    }

    /// Creates an empty list of edges with float weights.
    pub fn weighted_f32() -> Self {
        Self { weights: EdgeWeights::F32(Vec::new()), ..Self::default() }
    }

    /// Number of edges.
    pub fn len(&self) -> usize {
        self.from.len()
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.from.is_empty()
    }

    /// Appends an edge. The weight is converted if the list has float weights, and ignored if the
    /// list has no weights.
    pub fn push(&mut self, from: u32, to: u32, weight: u32) {
        self.push_either(from, to, weight, weight as f32);
    }

    /// Appends an edge with a float weight. The weight is truncated if the list has integer
    /// weights, and ignored if the list has no weights.
    pub fn push_f32(&mut self, from: u32, to: u32, weight: f32) {
        self.push_either(from, to, weight as u32, weight);
    }

    fn push_either(&mut self, from: u32, to: u32, integer: u32, float: f32) {
        self.from.push(from);
        self.to.push(to);
        match &mut self.weights {
            EdgeWeights::Ones => {}
            EdgeWeights::U32(weights) => weights.push(integer),
            EdgeWeights::F32(weights) => weights.push(float),
        }
    }
}
