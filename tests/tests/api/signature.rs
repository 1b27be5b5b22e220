//! Formats types, bounds and functions of rustdoc's JSON as Rust.
//!
//! Names of this crate and of the standard library are written without a path (`Buffer`,
//! `Vec<u32>`), and names of other crates with the crate's name (`ash::Buffer`), regardless of the
//! imports of the source file.

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

/// Crates of the standard library.
const STANDARD: [&str; 3] = ["std", "core", "alloc"];

pub struct Signatures<'a> {
    paths: &'a Value,
}

/// The index key for a field that holds an id.
pub fn key(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

/// The elements of a list that may be missing.
pub fn each(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// The kind of an item or type, and its contents.
pub fn kind_of(value: &Value) -> Result<(&String, &Value)> {
    let inner = value.as_object().and_then(|value| value.iter().next());
    inner.with_context(|| format!("expected an object with one key: {value}"))
}

/// Formats a list in brackets. Returns an empty string for an empty list.
fn enclosed(open: &str, parts: &[String], close: &str) -> String {
    if parts.is_empty() { String::new() } else { format!("{open}{}{close}", parts.join(", ")) }
}

pub fn text<'v>(value: &'v Value, what: &str) -> Result<&'v str> {
    value.as_str().with_context(|| format!("{what} is not a string: {value}"))
}

impl<'a> Signatures<'a> {
    pub fn new(json: &'a Value) -> Self {
        Self { paths: &json["paths"] }
    }

    /// Formats a path with its generic arguments.
    pub fn path(&self, path: &Value) -> Result<String> {
        let written = text(&path["path"], "a path")?;
        let last = written.rsplit("::").next().unwrap_or(written);
        let entry = &self.paths[&key(&path["id"])];
        let from = entry["path"][0].as_str().unwrap_or_default();
        let name = entry["path"].as_array().and_then(|path| path.last()).and_then(Value::as_str);
        let name = name.unwrap_or(last);
        let foreign = entry["crate_id"] != 0 && !entry.is_null() && !STANDARD.contains(&from);
        let crate_name = if foreign { format!("{from}::") } else { String::new() };
        Ok(format!("{crate_name}{name}{}", self.arguments(&path["args"])?))
    }

    fn arguments(&self, arguments: &Value) -> Result<String> {
        if let Some(call) = arguments.get("parenthesized") {
            let inputs = self.types(&call["inputs"])?.join(", ");
            return Ok(format!("({inputs}){}", self.output(&call["output"])?));
        }
        let Some(angle) = arguments.get("angle_bracketed") else { return Ok(String::new()) };
        let mut parts = Vec::new();
        for argument in each(&angle["args"]) {
            parts.push(if let Some(lifetime) = argument["lifetime"].as_str() {
                lifetime.to_owned()
            } else if !argument["type"].is_null() {
                self.ty(&argument["type"])?
            } else if !argument["const"].is_null() {
                text(&argument["const"]["expr"], "a constant")?.to_owned()
            } else {
                "_".to_owned()
            });
        }
        for constraint in each(&angle["constraints"]) {
            let name = text(&constraint["name"], "a constraint")?;
            let binding = &constraint["binding"];
            let equal = &binding["equality"]["type"];
            parts.push(if equal.is_null() {
                format!("{name}: {}", self.bounds(&binding["constraint"])?)
            } else {
                format!("{name} = {}", self.ty(equal)?)
            });
        }
        Ok(enclosed("<", &parts, ">"))
    }

    fn types(&self, list: &Value) -> Result<Vec<String>> {
        each(list).map(|ty| self.ty(ty)).collect()
    }

    fn output(&self, output: &Value) -> Result<String> {
        if output.is_null() { Ok(String::new()) } else { Ok(format!(" -> {}", self.ty(output)?)) }
    }

    /// Formats a type.
    pub fn ty(&self, ty: &Value) -> Result<String> {
        if ty == "infer" {
            return Ok("_".to_owned());
        }
        let (kind, inner) = kind_of(ty)?;
        Ok(match kind.as_str() {
            "resolved_path" => self.path(inner)?,
            "generic" | "primitive" => text(inner, "a type")?.to_owned(),
            "tuple" => match self.types(inner)?.as_slice() {
                [one] => format!("({one},)"),
                several => format!("({})", several.join(", ")),
            },
            "slice" => format!("[{}]", self.ty(inner)?),
            "array" => {
                format!("[{}; {}]", self.ty(&inner["type"])?, text(&inner["len"], "a length")?)
            }
            "impl_trait" => format!("impl {}", self.bounds(inner)?),
            "borrowed_ref" => {
                let lifetime =
                    inner["lifetime"].as_str().map(|l| format!("{l} ")).unwrap_or_default();
                let mutable = if inner["is_mutable"] == true { "mut " } else { "" };
                format!("&{lifetime}{mutable}{}", self.ty(&inner["type"])?)
            }
            "raw_pointer" => {
                let mutable = if inner["is_mutable"] == true { "mut" } else { "const" };
                format!("*{mutable} {}", self.ty(&inner["type"])?)
            }
            "qualified_path" => self.qualified(inner)?,
            "dyn_trait" => {
                let traits = each(&inner["traits"]).map(|of| self.bound(of));
                let mut traits = traits.collect::<Result<Vec<_>>>()?;
                traits.extend(inner["lifetime"].as_str().map(str::to_owned));
                format!("dyn {}", traits.join(" + "))
            }
            "function_pointer" => {
                let inputs: Result<Vec<String>> =
                    each(&inner["sig"]["inputs"]).map(|input| self.ty(&input[1])).collect();
                let output = self.output(&inner["sig"]["output"])?;
                format!("{}fn({}){output}", qualifiers(&inner["header"]), inputs?.join(", "))
            }
            other => bail!("this test does not support types of kind {other}"),
        })
    }

    /// `T::Key` for an associated type of a parameter, otherwise the full path.
    fn qualified(&self, inner: &Value) -> Result<String> {
        let of = self.ty(&inner["self_type"])?;
        let name = text(&inner["name"], "an associated type")?;
        let generic = !inner["self_type"]["generic"].is_null();
        Ok(if generic || inner["trait"].is_null() {
            format!("{of}::{name}")
        } else {
            format!("<{of} as {}>::{name}", self.path(&inner["trait"])?)
        })
    }

    /// Formats bounds, joined by `+`.
    pub fn bounds(&self, bounds: &Value) -> Result<String> {
        let mut parts = Vec::new();
        for bound in each(bounds) {
            if let Some(lifetime) = bound["outlives"].as_str() {
                parts.push(lifetime.to_owned());
            } else if let Some(of) = bound.get("trait_bound") {
                let maybe = if of["modifier"] == "maybe" { "?" } else { "" };
                parts.push(format!("{maybe}{}", self.bound(of)?));
            } else if bound.get("use").is_none() {
                bail!("this test does not support this bound: {bound}");
            }
        }
        Ok(parts.join(" + "))
    }

    fn bound(&self, of: &Value) -> Result<String> {
        Ok(self.binder(&of["generic_params"])? + &self.path(&of["trait"])?)
    }

    fn binder(&self, parameters: &Value) -> Result<String> {
        let names = each(parameters).map(|p| Ok(text(&p["name"], "a lifetime")?.to_owned()));
        Ok(enclosed("for<", &names.collect::<Result<Vec<_>>>()?, "> "))
    }

    /// Formats generic parameters with their bounds, in angle brackets. Returns an empty string if
    /// there are no parameters.
    pub fn generics(&self, generics: &Value) -> Result<String> {
        let mut parts = Vec::new();
        for parameter in each(&generics["params"]) {
            let name = text(&parameter["name"], "a parameter")?;
            let kind = &parameter["kind"];
            // For `impl Trait` arguments the compiler adds a synthetic parameter, which is not part
            // of the source.
            if kind["type"]["is_synthetic"] == true {
                continue;
            }
            let mut part = if kind["const"].is_null() {
                name.to_owned()
            } else {
                format!("const {name}: {}", self.ty(&kind["const"]["type"])?)
            };
            let bounds = self.bounds(&kind["type"]["bounds"])?;
            if !bounds.is_empty() {
                part += &format!(": {bounds}");
            }
            if !kind["type"]["default"].is_null() {
                part += &format!(" = {}", self.ty(&kind["type"]["default"])?);
            }
            parts.push(part);
        }
        Ok(enclosed("<", &parts, ">"))
    }

    /// Formats the `where` clause. Returns an empty string if there is no such clause.
    pub fn conditions(&self, generics: &Value) -> Result<String> {
        let mut parts = Vec::new();
        for predicate in each(&generics["where_predicates"]) {
            if let Some(bound) = predicate.get("bound_predicate") {
                let binder = self.binder(&bound["generic_params"])?;
                let (ty, bounds) = (self.ty(&bound["type"])?, self.bounds(&bound["bounds"])?);
                parts.push(format!("{binder}{ty}: {bounds}"));
            } else if let Some(lifetime) = predicate.get("lifetime_predicate") {
                let outlives = each(&lifetime["outlives"]).filter_map(Value::as_str);
                let outlives = outlives.collect::<Vec<_>>().join(" + ");
                let name = text(&lifetime["lifetime"], "a lifetime")?;
                parts.push(format!("{name}: {outlives}"));
            }
        }
        Ok(enclosed(" where ", &parts, ""))
    }

    /// Formats the bounds or arguments that restrict an implementation to some instances of its
    /// type. Returns an empty string if it applies to all.
    pub fn special(&self, implementation: &Value) -> Result<String> {
        let generics = self.generics(&implementation["generics"])?;
        let bounds = self.conditions(&implementation["generics"])?;
        let arguments = self.arguments(&implementation["for"]["resolved_path"]["args"])?;
        let plain = !generics.contains(": ") && bounds.is_empty();
        // `impl<T> Array<T>` is unrestricted; `impl Array<u32>` and `impl<T: Key> Array<T>` are
        // restricted.
        Ok(match (plain, generics == arguments) {
            (true, true) => String::new(),
            (true, false) => arguments,
            (false, _) => format!("{generics}{bounds}"),
        })
    }

    /// Formats the signature of a function, with its path.
    pub fn function(&self, function: &Value, path: &str) -> Result<String> {
        let generics = self.generics(&function["generics"])?;
        let bounds = self.conditions(&function["generics"])?;
        let mut inputs = Vec::new();
        for input in each(&function["sig"]["inputs"]) {
            let (name, ty) = (text(&input[0], "a parameter")?, self.ty(&input[1])?);
            inputs.push(match (name, ty.as_str()) {
                ("self", "Self") => "self".to_owned(),
                ("self", "&Self") => "&self".to_owned(),
                ("self", "&mut Self") => "&mut self".to_owned(),
                _ => format!("{name}: {ty}"),
            });
        }
        let output = self.output(&function["sig"]["output"])?;
        let qualifiers = qualifiers(&function["header"]);
        Ok(format!("{qualifiers}fn {path}{generics}({}){output}{bounds}", inputs.join(", ")))
    }
}

/// Formats `const`, `async`, `unsafe` and the calling convention of a function.
fn qualifiers(header: &Value) -> String {
    let mut text = String::new();
    for (key, word) in [("is_const", "const "), ("is_async", "async "), ("is_unsafe", "unsafe ")] {
        if header[key] == true {
            text += word;
        }
    }
    match &header["abi"] {
        Value::String(_) | Value::Null => {}
        other => {
            let name =
                other.as_object().and_then(|abi| abi.keys().next()).map_or("", String::as_str);
            text += &format!("extern \"{name}\" ");
        }
    }
    text
}
