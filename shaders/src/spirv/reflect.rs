//! Reflection of a kernel's interface from its SPIR-V (with rspirv; also for user shaders at run time):
//! checks the framing, parses the declarations before the first function, and derives the interface from
//! them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rspirv::binary::{Consumer, ParseAction, ParseState, Parser};
use rspirv::dr::{Instruction, Loader, Module, ModuleHeader};
use rspirv::spirv::Op;

use crate::spirv::declarations::Declarations;
use crate::spirv::interface::{Interface, ReflectError};

/// Reads the interface of the compute shader in `spirv`.
pub fn reflect(spirv: &[u32]) -> Result<Interface, ReflectError> {
    check_framing(spirv)?;
    let declarations = parse_declarations(spirv)?;
    Declarations::index(&declarations).interface()
}

/// Checks the header and that the instruction lengths add up to the module size, before it is passed to
/// rspirv, which panics on some malformed streams.
fn check_framing(spirv: &[u32]) -> Result<(), ReflectError> {
    const MAGIC: u32 = 0x0723_0203;
    const HEADER_WORDS: usize = 5;
    if spirv.len() < HEADER_WORDS || spirv[0] != MAGIC {
        return Err(ReflectError::Malformed("no SPIR-V header".into()));
    }
    let mut at = HEADER_WORDS;
    while at < spirv.len() {
        let words = (spirv[at] >> 16) as usize;
        if words == 0 || at + words > spirv.len() {
            return Err(ReflectError::Malformed(format!("bad instruction length at word {at}")));
        }
        at += words;
    }
    Ok(())
}

/// Loads the module up to its first function, because function bodies do not affect the interface.
struct DeclarationLoader(Loader);

impl Consumer for DeclarationLoader {
    fn initialize(&mut self) -> ParseAction {
        self.0.initialize()
    }
    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }
    fn consume_header(&mut self, header: ModuleHeader) -> ParseAction {
        self.0.consume_header(header)
    }
    fn consume_instruction(&mut self, instruction: Instruction) -> ParseAction {
        if instruction.class.opcode == Op::Function {
            return ParseAction::Stop;
        }
        self.0.consume_instruction(instruction)
    }
}

fn parse_declarations(spirv: &[u32]) -> Result<Module, ReflectError> {
    let bytes: &[u8] = bytemuck::cast_slice(spirv);
    let parsed = catch_unwind(AssertUnwindSafe(|| {
        let mut loader = DeclarationLoader(Loader::new());
        match Parser::new(bytes, &mut loader).parse() {
            Ok(()) | Err(ParseState::ConsumerStopRequested) => Ok(loader.0.module()),
            Err(state) => Err(ReflectError::Malformed(state.to_string())),
        }
    }));
    parsed.unwrap_or_else(|_| Err(ReflectError::Malformed("the parser gave up".into())))
}
