//! The first program of the README: sorts keys with their values on the best device there is.

use multisplit::graph::Graph;
use multisplit::primitives::multisplit::KeyType;
use multisplit::primitives::sort::{self, Sort, SortBuffers, SortPlace, SortValues};
use multisplit::{Config, Context};

fn main() -> Result<(), multisplit::Error> {
    let context = Context::open(&Config::default())?; // the best device there is

    let n = 1 << 16;
    let mut graph = Graph::new("first");
    let keys = graph.import::<f32>("keys", n); // our buffers, bound when it runs
    let values = graph.import::<u32>("values", n);
    let buffers = SortBuffers {
        n: n.into(),
        keys,
        values: SortValues::Values { buffer: values, bytes: 4 },
        place: SortPlace::InPlace,
    };
    sort::add(&mut graph, &context.policy(), &Sort::new(KeyType::F32), &buffers)?;
    let plan = graph.compile(&context.limits())?; // pure: order, barriers, memory
    println!("{} passes, {} bytes of workspace", plan.steps().len(), plan.workspace().size);

    let executable = context.instantiate(plan)?; // pipelines and workspace
    let depth: Vec<f32> = (0..n).map(|i| (i as f32 * 0.37).sin()).collect();
    let device_keys = context.upload("keys", &depth)?;
    let device_values = context.upload("values", &(0..n as u32).collect::<Vec<_>>())?;
    context.run(&executable, &[(keys, &device_keys), (values, &device_values)])?;

    let sorted: Vec<f32> = context.download(&device_keys)?;
    let order: Vec<u32> = context.download(&device_values)?;
    assert!(sorted.is_sorted());
    assert!(sorted.iter().zip(&order).all(|(&key, &i)| key == depth[i as usize]));
    println!("{} comes first, it was number {}", sorted[0], order[0]);
    Ok(())
}
