//! Arrays of matrices in buffers of user shaders: each element is at the offset that its GLSL
//! layout defines.

use multisplit_tests::prelude::*;

tests!(matrices: arrays_of_matrices_match_the_cpu);

/// Length of the unsized arrays.
const COUNT: usize = 37;

/// An array of matrices in a buffer.
struct Case {
    /// `mat{columns}x{rows}`, as in GLSL.
    columns: usize,
    rows: usize,
    row_major: bool,
    std140: bool,
    form: Form,
}

#[derive(Clone, Copy)]
enum Form {
    /// `M at[]`
    Unsized,
    /// `M at[3]`
    Sized,
    /// `M at[][2]`
    Nested,
    /// `struct { float tag; M m[2]; } at[]`
    InStruct,
}

const CASES: &[Case] = &[
    Case { columns: 4, rows: 4, row_major: false, std140: false, form: Form::Unsized },
    Case { columns: 4, rows: 4, row_major: true, std140: false, form: Form::Nested },
    Case { columns: 3, rows: 3, row_major: false, std140: false, form: Form::Unsized },
    Case { columns: 3, rows: 4, row_major: true, std140: false, form: Form::InStruct },
    Case { columns: 2, rows: 3, row_major: false, std140: false, form: Form::Sized },
    Case { columns: 2, rows: 2, row_major: false, std140: false, form: Form::InStruct },
    Case { columns: 2, rows: 2, row_major: true, std140: true, form: Form::Unsized },
    Case { columns: 3, rows: 2, row_major: false, std140: true, form: Form::Nested },
];

impl Case {
    /// Words between columns, or between rows if row-major.
    fn stride(&self) -> usize {
        let vector = if self.row_major { self.columns } else { self.rows };
        if self.std140 || vector > 2 { 4 } else { vector }
    }

    fn matrix_words(&self) -> usize {
        self.stride() * if self.row_major { self.rows } else { self.columns }
    }

    /// The length of the outer array, the words per element, and the offset of each matrix in an
    /// element.
    fn layout(&self) -> (usize, usize, Vec<usize>) {
        let (stride, words) = (self.stride(), self.matrix_words());
        match self.form {
            Form::Unsized => (COUNT, words, vec![0]),
            Form::Sized => (3, words, vec![0]),
            Form::Nested => (COUNT, 2 * words, vec![0, words]),
            // The array of matrices begins at the first multiple of its alignment, which is the
            // alignment of a vector.
            Form::InStruct => (COUNT, stride + 2 * words, vec![stride, stride + words]),
        }
    }

    fn word(&self, column: usize, row: usize) -> usize {
        match self.row_major {
            true => row * self.stride() + column,
            false => column * self.stride() + row,
        }
    }

    fn source(&self) -> String {
        let ty = format!("mat{}x{}", self.columns, self.rows);
        let order = if self.row_major { "row_major" } else { "column_major" };
        let layout = if self.std140 { "std140" } else { "std430" };
        let (declaration, member, inner) = match self.form {
            Form::Unsized => (String::new(), format!("{ty} at[]"), "at[i]"),
            Form::Sized => (String::new(), format!("{ty} at[3]"), "at[i]"),
            Form::Nested => (String::new(), format!("{ty} at[][2]"), "at[i][k]"),
            Form::InStruct => {
                let declaration = format!("struct Item {{ float tag; {ty} m[2]; }};");
                (declaration, "Item at[]".to_owned(), "at[i].m[k]")
            }
        };
        // The last read of each iteration is out of bounds, and is clamped to the last element.
        format!(
            "#version 460
layout(local_size_x = 64) in;
{declaration}
layout(set = 0, binding = 0, {layout}, {order}) readonly buffer Src {{ {member}; }} src;
layout(set = 0, binding = 1, {layout}, {order}) buffer Dst {{ {member}; }} dst;
layout(push_constant) uniform Push {{ uint count; uint matrices; }} push;
{ty} get(uint i, uint k) {{ return src.{inner}; }}
void main() {{
    uint i = gl_GlobalInvocationID.x;
    if (i >= push.count) return;
    for (uint k = 0; k < push.matrices; k++) {{
        dst.{inner} = get(i, k) * 2.0;
        for (uint c = 0; c < {columns}; c++)
            for (uint r = 0; r < {rows}; r++) dst.{inner}[c][r] += float(10 * c + r);
        dst.{inner}[1] += get(i + push.count, k)[0];
    }}
}}",
            columns = self.columns,
            rows = self.rows,
        )
    }

    fn expected(&self, src: &[f32]) -> Vec<f32> {
        let (count, words, matrices) = self.layout();
        let mut dst = vec![0.0; src.len()];
        for i in 0..count {
            for &at in &matrices {
                for column in 0..self.columns {
                    for row in 0..self.rows {
                        let word = i * words + at + self.word(column, row);
                        dst[word] = src[word] * 2.0 + (10 * column + row) as f32;
                        if column == 1 {
                            dst[word] += src[(count - 1) * words + at + self.word(0, row)];
                        }
                    }
                }
            }
        }
        dst
    }

    /// Whether a word belongs to a matrix element, rather than to padding.
    fn is_element(&self, word: usize) -> bool {
        let (_, words, matrices) = self.layout();
        let in_matrix = matrices.iter().find_map(|at| {
            let offset = (word % words).checked_sub(*at)?;
            (offset < self.matrix_words()).then_some(offset)
        });
        let vector = if self.row_major { self.columns } else { self.rows };
        in_matrix.is_some_and(|offset| offset % self.stride() < vector)
    }
}

fn arrays_of_matrices_match_the_cpu(gpu: &Gpu) -> Result<()> {
    for case in CASES {
        let source = case.source();
        let (count, words, matrices) = case.layout();
        let values: Vec<f32> = (0..count * words).map(|i| (i * 7 % 101) as f32).collect();
        let (src, dst) = (gpu.upload(&values)?, gpu.zeroed::<f32>(values.len() as u64)?);
        let mut work = gpu.work("matrices");
        work.glsl("user.matrices", &source)
            .with_context(|| source.clone())?
            .bind("src", &src)
            .bind("dst", &dst)
            .push(&[count as u32, matrices.len() as u32])
            .dispatch(threads(count as u64, 64));
        run_once(work)?;
        let elements = |all: &[f32]| -> Vec<f32> {
            (0..all.len()).filter(|&word| case.is_element(word)).map(|word| all[word]).collect()
        };
        let found = elements(&gpu.download(&dst)?);
        expect_equal(&found, &elements(&case.expected(&values))).with_context(|| source)?;
    }
    Ok(())
}
