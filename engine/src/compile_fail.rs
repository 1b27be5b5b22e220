//! Doc tests with incorrect programs that must not compile.
//!
//! Unsupported key types:
//! ```compile_fail,E0277
//! let gpu = multisplit::Context::new().unwrap();
//! gpu.sort(&['c', 'a', 'b']);
//! ```
//! ```compile_fail,E0277
//! let gpu = multisplit::Context::new().unwrap();
//! gpu.sort(&[[0u8; 4], [1; 4]]);
//! ```
//!
//! Buckets and bins of a different type than the keys and samples:
//! ```compile_fail,E0308
//! let gpu = multisplit::Context::new().unwrap();
//! gpu.split(&[0.5f32, 1.5], multisplit::Buckets::range(&[2u32]));
//! ```
//! ```compile_fail,E0308
//! let gpu = multisplit::Context::new().unwrap();
//! gpu.histogram(&[1u32, 2], multisplit::Bins::even(0.0f32..1.0, 8));
//! ```
//!
//! Values of an unsupported size (12 bytes):
//! ```compile_fail,E0080
//! let gpu = multisplit::Context::new().unwrap();
//! gpu.sort_pairs(&[1u32, 2], &[[0u32; 3], [1; 3]]).unwrap();
//! ```
//!
//! Keys on the host with values on the device:
//! ```compile_fail,E0271
//! let gpu = multisplit::Context::new().unwrap();
//! let values = gpu.upload(&[1u32, 2]).unwrap();
//! gpu.sort_pairs(&[1u32, 2], &values);
//! ```
//!
//! A copy between arrays of different types, and a scan of strings:
//! ```compile_fail,E0271
//! let gpu = multisplit::Context::new().unwrap();
//! let (a, b) = (gpu.upload(&[1u32]).unwrap(), gpu.upload(&[1.0f32]).unwrap());
//! gpu.work("copy").copy(&a, &b);
//! ```
//! ```compile_fail,E0271
//! let gpu = multisplit::Context::new().unwrap();
//! gpu.scan(&["one", "two"]);
//! ```
//!
//! A plan that is modified after it was compiled:
//! ```compile_fail,E0616
//! let mut plan = multisplit::graph::Graph::new("empty").compile(&Default::default()).unwrap();
//! plan.steps.clear();
//! ```
//!
//! Raw handles without `unsafe`:
//! ```compile_fail,E0133
//! use multisplit::ash;
//! fn look(instance: &ash::Instance, physical: ash::vk::PhysicalDevice) {
//!     multisplit::requirements::Requirements::of(instance, physical);
//! }
//! ```
