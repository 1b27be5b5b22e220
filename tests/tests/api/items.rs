//! Lists the public items of a crate with their paths, from rustdoc's JSON.
//!
//! An item with several paths is listed under the shortest one; the other paths are `use` lines.
//! Auto trait and blanket implementations are omitted.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::signature::{Signatures, each, key, kind_of, text};

/// A crate as rustdoc describes it.
pub struct Crate<'a> {
    index: &'a Value,
    signatures: Signatures<'a>,
    /// The path of each item that is reachable through public modules and uses.
    public: BTreeMap<String, String>,
    /// Sort key and text of each line. Members follow their owner.
    lines: BTreeSet<(String, String)>,
    counts: BTreeMap<&'static str, usize>,
}

/// The text of a snapshot: the item counts, then sorted lines of items, uses and implementations.
pub fn list(json: &Value) -> Result<String> {
    let version = &json["format_version"];
    let mut listed = Crate {
        index: &json["index"],
        signatures: Signatures::new(json),
        public: BTreeMap::new(),
        lines: BTreeSet::new(),
        counts: BTreeMap::new(),
    };
    listed
        .walk(json)
        .with_context(|| format!("cannot read rustdoc's JSON, format version {version}"))?;
    let count =
        |kinds: &[&str]| -> usize { kinds.iter().filter_map(|kind| listed.counts.get(kind)).sum() };
    let mut text = format!(
        "# {} items: {} types, {} traits, {} functions\n",
        listed.counts.values().sum::<usize>(),
        count(&["struct", "enum", "union", "type"]),
        count(&["trait"]),
        count(&["fn"]),
    );
    for (_, line) in &listed.lines {
        text += line;
        text.push('\n');
    }
    Ok(text)
}

impl<'a> Crate<'a> {
    fn walk(&mut self, json: &'a Value) -> Result<()> {
        let root = key(&json["root"]);
        let name = self.index[&root]["name"].as_str().context("the crate has no name")?.to_owned();
        let mut queue = VecDeque::from([(root, name)]);
        let mut found = Vec::new();
        // Breadth-first, so that the first path to an item is the shortest.
        while let Some((id, path)) = queue.pop_front() {
            if let Some(first) = self.public.get(&id) {
                self.same(&path, first.clone().as_str());
                continue;
            }
            self.public.insert(id.clone(), path.clone());
            found.push((id.clone(), path.clone()));
            let inner = &self.index[&id]["inner"];
            let mut members: Vec<(String, String)> = Vec::new();
            for member in each(&inner["module"]["items"]) {
                self.member(&key(member), &path, &mut members)?;
            }
            members.sort_by(|a, b| a.1.cmp(&b.1));
            queue.extend(members);
        }
        for (id, path) in found {
            self.item(&id, &path)?;
        }
        Ok(())
    }

    /// Adds a member of a module: the item itself, the target of a `use`, or all members of a glob
    /// `use`.
    fn member(
        &mut self,
        id: &str,
        module: &str,
        members: &mut Vec<(String, String)>,
    ) -> Result<()> {
        let item = &self.index[id];
        let used = &item["inner"]["use"];
        if used.is_null() {
            let name = text(&item["name"], "an item's name")?;
            members.push((id.to_owned(), format!("{module}::{name}")));
            return Ok(());
        }
        let target = key(&used["id"]);
        let source = text(&used["source"], "the source of a use")?;
        let name = text(&used["name"], "the name of a use")?;
        let local = !self.index[&target].is_null();
        match (used["is_glob"].as_bool(), local) {
            (Some(true), true) => {
                let inner = &self.index[&target]["inner"];
                for member in
                    each(&inner["module"]["items"]).chain(each(&inner["enum"]["variants"]))
                {
                    self.member(&key(member), module, members)?;
                }
            }
            (Some(true), false) => self.same(&format!("{module}::*"), &format!("{source}::*")),
            (_, true) => members.push((target, format!("{module}::{name}"))),
            (_, false) => self.same(&format!("{module}::{name}"), source),
        }
        Ok(())
    }

    /// Adds a line for another path of an item.
    fn same(&mut self, path: &str, item: &str) {
        self.lines.insert((path.to_owned(), format!("use {path} = {item}")));
    }

    fn line(&mut self, kind: &'static str, path: &str, text: &str) {
        *self.counts.entry(kind).or_default() += 1;
        self.lines.insert((path.to_owned(), text.to_owned()));
    }

    fn item(&mut self, id: &str, path: &str) -> Result<()> {
        let item = &self.index[id];
        let (kind, inner) = kind_of(&item["inner"]).with_context(|| path.to_owned())?;
        let generics = self.signatures.generics(&inner["generics"])?;
        let bounds = self.signatures.conditions(&inner["generics"])?;
        match kind.as_str() {
            "module" => self.line("mod", path, &format!("mod {path}")),
            "struct" | "union" => {
                self.line("struct", path, &format!("{kind} {path}{generics}{bounds}"));
                let kind = &inner["kind"];
                let fields = each(&kind["plain"]["fields"])
                    .chain(each(&kind["tuple"]))
                    .chain(each(&inner["fields"]));
                for field in fields {
                    self.field(field, path)?;
                }
                self.implementations(&inner["impls"], path)?;
            }
            "enum" => {
                self.line("enum", path, &format!("enum {path}{generics}{bounds}"));
                for variant in each(&inner["variants"]) {
                    self.variant(variant, path)?;
                }
                self.implementations(&inner["impls"], path)?;
            }
            "trait" => {
                let unsafely = if inner["is_unsafe"] == true { "unsafe " } else { "" };
                let over = self.signatures.bounds(&inner["bounds"])?;
                let over = if over.is_empty() { over } else { format!(": {over}") };
                let text = format!("{unsafely}trait {path}{generics}{over}{bounds}");
                self.line("trait", path, &text);
                for member in each(&inner["items"]) {
                    self.associated(member, path)?;
                }
                for id in each(&inner["implementations"]) {
                    self.implementor(&self.index[&key(id)]["inner"]["impl"])?;
                }
            }
            "function" => self.function(item, path)?,
            "type_alias" => {
                let is = self.signatures.ty(&inner["type"])?;
                self.line("type", path, &format!("type {path}{generics}{bounds} = {is}"));
            }
            "constant" | "static" => {
                let is = self.signatures.ty(&inner["type"])?;
                let kind = if kind == "static" { "static" } else { "const" };
                self.line(kind, path, &format!("{kind} {path}: {is}"));
            }
            "macro" | "proc_macro" => self.line("macro", path, &format!("macro {path}!")),
            // Variants that are re-exported by a glob `use` of an enum.
            "variant" => self.line("variant", path, &format!("variant {path}")),
            other => bail!("{path} is a {other}, which this test does not support"),
        }
        Ok(())
    }

    /// Adds a field. Skips private fields, which are missing from the index or not public.
    fn field(&mut self, id: &Value, owner: &str) -> Result<()> {
        let field = &self.index[&key(id)];
        let is = &field["inner"]["struct_field"];
        if is.is_null() || field["visibility"] != "public" {
            return Ok(());
        }
        let name = text(&field["name"], "a field's name")?;
        let is = self.signatures.ty(is)?;
        let path = format!("{owner}::{name}");
        self.line("field", &path, &format!("field {path}: {is}"));
        Ok(())
    }

    fn variant(&mut self, id: &Value, owner: &str) -> Result<()> {
        let variant = &self.index[&key(id)];
        let name = text(&variant["name"], "a variant's name")?;
        let kind = &variant["inner"]["variant"]["kind"];
        let mut fields = Vec::new();
        let named = each(&kind["struct"]["fields"]);
        for field in named.chain(each(&kind["tuple"])) {
            let field = &self.index[&key(field)];
            let is = self.signatures.ty(&field["inner"]["struct_field"])?;
            let label = field["name"].as_str().unwrap_or_default();
            fields.push(if kind["struct"].is_null() { is } else { format!("{label}: {is}") });
        }
        let fields = fields.join(", ");
        let text = if !kind["struct"].is_null() {
            format!("{name} {{ {fields} }}")
        } else if !kind["tuple"].is_null() {
            format!("{name}({fields})")
        } else {
            name.to_owned()
        };
        self.line("variant", &format!("{owner}::{name}"), &format!("variant {owner}::{text}"));
        Ok(())
    }

    fn function(&mut self, item: &Value, path: &str) -> Result<()> {
        let text = self.signatures.function(&item["inner"]["function"], path)?;
        self.line("fn", path, &text);
        Ok(())
    }

    /// Adds a member of a trait or an implementation.
    fn associated(&mut self, id: &Value, owner: &str) -> Result<()> {
        let item = &self.index[&key(id)];
        // Items that are hidden from the documentation are missing from the index.
        let Some(name) = item["name"].as_str() else { return Ok(()) };
        let path = format!("{owner}::{name}");
        let inner = &item["inner"];
        if !inner["function"].is_null() {
            return self.function(item, &path);
        }
        if !inner["assoc_const"].is_null() {
            let is = self.signatures.ty(&inner["assoc_const"]["type"])?;
            self.line("const", &path, &format!("const {path}: {is}"));
        } else {
            let bounds = self.signatures.bounds(&inner["assoc_type"]["bounds"])?;
            let bounds = if bounds.is_empty() { bounds } else { format!(": {bounds}") };
            self.line("associated type", &path, &format!("type {path}{bounds}"));
        }
        Ok(())
    }

    fn implementations(&mut self, ids: &Value, path: &str) -> Result<()> {
        for id in each(ids) {
            let implementation = &self.index[&key(id)]["inner"]["impl"];
            if !implementation["trait"].is_null() {
                self.implementor(implementation)?;
                continue;
            }
            // A method of `Array<u32>` must not be listed as a method of every `Array`.
            let conditions = self.signatures.special(implementation)?;
            for member in each(&implementation["items"]) {
                if self.index[&key(member)]["visibility"] == "public" {
                    self.associated(member, &format!("{path}{conditions}"))?;
                }
            }
        }
        Ok(())
    }

    /// Adds a line for the implementation of a trait.
    fn implementor(&mut self, implementation: &Value) -> Result<()> {
        let automatic =
            implementation["is_synthetic"] == true || !implementation["blanket_impl"].is_null();
        let of = &implementation["trait"];
        // A trait of this crate without a public path cannot be used by callers.
        let id = key(&of["id"]);
        let hidden = !self.index[&id].is_null() && !self.public.contains_key(&id);
        if implementation.is_null() || automatic || hidden || of["path"] == "StructuralPartialEq" {
            return Ok(());
        }
        let name = self.signatures.path(of)?;
        let target = self.signatures.ty(&implementation["for"])?;
        let generics = self.signatures.generics(&implementation["generics"])?;
        let bounds = self.signatures.conditions(&implementation["generics"])?;
        // `~` sorts after all paths, so implementations come last, sorted by type.
        self.lines
            .insert((format!("~{target}"), format!("impl{generics} {name} for {target}{bounds}")));
        Ok(())
    }
}
