//! Python literals in the headers of `.npy` files: strings, numbers, booleans, tuples, lists and
//! dictionaries.

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal<'t> {
    Text(&'t str),
    Number(u64),
    Bool(bool),
    /// A tuple or a list.
    Sequence(Vec<Literal<'t>>),
    /// Keys, values, and the source text of each value.
    Dictionary(Vec<(Literal<'t>, Literal<'t>, &'t str)>),
}

/// Maximum nesting depth; it limits the recursion. Deeper literals are rejected.
const MAX_DEPTH: u32 = 16;

/// Parses `text`, which must be one literal surrounded by optional whitespace.
pub fn parse(text: &str) -> Option<Literal<'_>> {
    let mut parser = Parser { text, at: 0 };
    let literal = parser.literal(0)?;
    parser.blanks();
    (parser.at == text.len()).then_some(literal)
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Consumes `mark` if it comes next, and returns whether it did.
    fn accept(&mut self, mark: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(mark);
        self.at += if found { mark.len() } else { 0 };
        found
    }

    fn literal(&mut self, depth: u32) -> Option<Literal<'t>> {
        self.blanks();
        let first = self.rest().chars().next().filter(|_| depth < MAX_DEPTH)?;
        match first {
            '\'' | '"' => self.quoted(first),
            '0'..='9' => self.number(),
            '(' => self.items("(", ")", |p| p.literal(depth + 1)).map(Literal::Sequence),
            '[' => self.items("[", "]", |p| p.literal(depth + 1)).map(Literal::Sequence),
            '{' => self.items("{", "}", |p| p.entry(depth + 1)).map(Literal::Dictionary),
            _ if self.accept("True") => Some(Literal::Bool(true)),
            _ if self.accept("False") => Some(Literal::Bool(false)),
            _ => None,
        }
    }

    fn quoted(&mut self, quote: char) -> Option<Literal<'t>> {
        let (inside, _) = self.rest()[1..].split_once(quote)?;
        // Field names may contain anything. Reject escapes, because they make the end of the string
        // ambiguous.
        if inside.contains('\\') {
            return None;
        }
        self.at += inside.len() + 2;
        Some(Literal::Text(inside))
    }

    fn number(&mut self) -> Option<Literal<'t>> {
        let rest = self.rest();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        self.at += digits;
        // Python 2 wrote long numbers with an L.
        self.accept("L");
        rest[..digits].parse().ok().map(Literal::Number)
    }

    /// Parses items separated by commas, with an optional comma after the last.
    fn items<T>(
        &mut self,
        open: &str,
        close: &str,
        item: impl Fn(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        self.accept(open);
        let mut items = Vec::new();
        while !self.accept(close) {
            items.push(item(self)?);
            if !self.accept(",") {
                return self.accept(close).then_some(items);
            }
        }
        Some(items)
    }

    /// Parses a key and a value of a dictionary.
    fn entry(&mut self, depth: u32) -> Option<(Literal<'t>, Literal<'t>, &'t str)> {
        let key = self.literal(depth)?;
        self.accept(":").then_some(())?;
        self.blanks();
        let begin = self.at;
        let value = self.literal(depth)?;
        Some((key, value, &self.text[begin..self.at]))
    }
}

#[cfg(test)]
mod tests {
    use super::{Literal, parse};

    #[test]
    fn python_literals_are_parsed() {
        use Literal::{Bool, Number, Sequence, Text};
        assert_eq!(parse(" 'a' "), Some(Text("a")));
        assert_eq!(parse("(3L,)"), Some(Sequence(vec![Number(3)])));
        assert_eq!(parse("()"), Some(Sequence(vec![])));
        assert_eq!(
            parse("[('x', \"<f4\"), ('', '|V4', (2, 3))]"),
            Some(Sequence(vec![
                Sequence(vec![Text("x"), Text("<f4")]),
                Sequence(vec![Text(""), Text("|V4"), Sequence(vec![Number(2), Number(3)])]),
            ]))
        );
        let dictionary = parse("{'descr': [ ], 'f': True, }");
        assert_eq!(
            dictionary,
            Some(Literal::Dictionary(vec![
                (Text("descr"), Sequence(vec![]), "[ ]"),
                (Text("f"), Bool(true), "True"),
            ]))
        );
    }

    #[test]
    fn invalid_literals_are_rejected() {
        let deep = "(".repeat(100_000);
        for text in ["", "{", "(1", "(1 2)", "'a", "{'a' 1}", "{'a': 1} x", "-1", "1e5", &deep] {
            assert_eq!(parse(text), None, "{}", &text[..text.len().min(40)]);
        }
        assert_eq!(parse("99999999999999999999999"), None);
    }
}
