//! Finds the declared parameter and result types of a function in its source. Used only for messages.

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Signature {
    pub returns: String,
    /// The type of each parameter, without its name and irrelevant qualifiers.
    pub parameters: Vec<String>,
}

/// Finds the first declaration of a function named `name` in the source.
pub(super) fn find(source: &str, name: &str) -> Option<Signature> {
    let tokens = tokens(source);
    let is_word = |token: &str| token.chars().all(is_word_char);
    for at in 1..tokens.len() {
        let before = tokens[at - 1].as_str();
        if tokens[at] != name
            || tokens.get(at + 1).is_none_or(|t| t != "(")
            || !is_word(before)
            || matches!(before, "return" | "else")
        {
            continue;
        }
        let end = at + 2 + tokens[at + 2..].iter().position(|t| t == ")")?;
        let list = tokens[at + 2..end].split(|t| t == ",");
        let parameters = list.filter(|p| !p.is_empty() && *p != ["void"]).map(parameter).collect();
        return Some(Signature { returns: before.to_owned(), parameters });
    }
    None
}

/// Returns the type of a parameter, without its name and irrelevant qualifiers.
fn parameter(tokens: &[String]) -> String {
    const WITHOUT_EFFECT: [&str; 5] = ["const", "in", "highp", "mediump", "lowp"];
    let kept: Vec<&str> =
        tokens.iter().map(String::as_str).filter(|t| !WITHOUT_EFFECT.contains(t)).collect();
    let qualified = matches!(kept.first(), Some(&("out" | "inout")));
    let type_tokens = if qualified { 2 } else { 1 };
    // The remaining tokens are the parameter's name, and array brackets before or after it.
    let array = kept.contains(&"[");
    let text = kept.iter().take(type_tokens).copied().collect::<Vec<_>>().join(" ");
    if array { format!("{text}[]") } else { text }
}

fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Splits the source into words and other characters. Drops whitespace and comments.
fn tokens(source: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if rest.starts_with("/*") {
            rest = rest.find("*/").map_or("", |end| &rest[end + 2..]);
        } else if is_word_char(c) {
            let end = rest.find(|c| !is_word_char(c)).unwrap_or(rest.len());
            tokens.push(rest[..end].to_owned());
            rest = &rest[end..];
        } else {
            if !c.is_whitespace() {
                tokens.push(c.to_string());
            }
            rest = &rest[c.len_utf8()..];
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_signatures_are_parsed() {
        let read = |source| find(source, "f").map(|s| (s.returns, s.parameters.join(", ")));
        let is =
            |returns: &str, parameters: &str| Some((returns.to_owned(), parameters.to_owned()));
        assert_eq!(read("uint f(uint key) { return key; }"), is("uint", "uint"));
        assert_eq!(read("// int f(int k)\nuint f(const in highp float);"), is("uint", "float"));
        assert_eq!(
            read("void g() { x = f(3); } int f(inout vec2 v, int[3] w)"),
            is("int", "inout vec2, int[]")
        );
        assert_eq!(read("uint f(void)"), is("uint", ""));
        assert_eq!(read("uint g(uint f) { return f(1); }"), None);
        assert_eq!(read("uint /* f( */ g"), None);
    }
}
