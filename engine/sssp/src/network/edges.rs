//! A list of edges, with weights of one kind or none: what a network is made from.

/// Edges in the order they came, each with its two ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EdgeList {
    /// Where each edge begins.
    pub from: Vec<u32>,
    /// Where each edge ends.
    pub to: Vec<u32>,
    /// What each edge costs.
    pub weights: EdgeWeights,
}

/// The weights of a list of edges.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum EdgeWeights {
    /// None: every edge costs 1.
    #[default]
    Ones,
    /// Whole numbers.
    U32(Vec<u32>),
    /// Floats; finite, not negative.
    F32(Vec<f32>),
}

impl EdgeList {
    /// An empty list of edges that all cost 1.
    pub fn unweighted() -> Self {
        Self::default()
    }

    /// An empty list of edges whose weights are whole numbers.
    pub fn weighted() -> Self {
        Self { weights: EdgeWeights::U32(Vec::new()), ..Self::default() }
    }

    /// An empty list of edges whose weights are floats.
    pub fn weighted_f32() -> Self {
        Self { weights: EdgeWeights::F32(Vec::new()), ..Self::default() }
    }

    /// How many edges there are.
    pub fn len(&self) -> usize {
        self.from.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.from.is_empty()
    }

    /// Appends an edge. In a list of floats the weight is converted; in one without weights it is
    /// dropped.
    pub fn push(&mut self, from: u32, to: u32, weight: u32) {
        self.from.push(from);
        self.to.push(to);
        match &mut self.weights {
            EdgeWeights::Ones => {}
            EdgeWeights::U32(weights) => weights.push(weight),
            EdgeWeights::F32(weights) => weights.push(weight as f32),
        }
    }

    /// Appends an edge to a list of floats. In a list of whole numbers the weight is cut off; in
    /// one without weights it is dropped.
    pub fn push_f32(&mut self, from: u32, to: u32, weight: f32) {
        self.from.push(from);
        self.to.push(to);
        match &mut self.weights {
            EdgeWeights::Ones => {}
            EdgeWeights::U32(weights) => weights.push(weight as u32),
            EdgeWeights::F32(weights) => weights.push(weight),
        }
    }
}
