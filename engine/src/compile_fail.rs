//! Programs that must not compile, each as a doc test: what cannot be right is not accepted.
//!
//! Keys of a type that is none:
//! ```compile_fail,E0277
//! let gpu = multisplit::Context::new().unwrap();
//! gpu.sort(&['c', 'a', 'b']);
//! ```
//! ```compile_fail,E0277
//! let gpu = multisplit::Context::new().unwrap();
//! gpu.sort(&[[0u8; 4], [1; 4]]);
//! ```
//!
//! Parameters of another type than the keys:
//! ```compile_fail,E0308
//! let gpu = multisplit::Context::new().unwrap();
//! gpu.split(&[0.5f32, 1.5], multisplit::Buckets::range(&[2u32]));
//! ```
//! ```compile_fail,E0308
//! let gpu = multisplit::Context::new().unwrap();
//! gpu.histogram(&[1u32, 2], multisplit::Bins::even(0.0f32..1.0, 8));
//! ```
//!
//! Values of 12 bytes:
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
//! Arrays of different types in one copy, and a scan of something that is not a number:
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
//! A plan that is changed after it was compiled:
//! ```compile_fail,E0616
//! let mut plan = multisplit::graph::Graph::new("empty").compile(&Default::default()).unwrap();
//! plan.steps.clear();
//! ```
//!
//! Raw handles without `unsafe`:
//! ```compile_fail,E0133
//! use multisplit::ash;
//! fn look(instance: &ash::Instance, physical: ash::vk::PhysicalDevice) {
//!     multisplit::Requirements::of(instance, physical);
//! }
//! ```
