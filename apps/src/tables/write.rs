//! Writes rows of a table unchanged, in another order.

use std::io::{self, Write};

use csv::{ByteRecord, WriterBuilder};
use multisplit_bench::first_bytes::BYTE_ORDER_MARK;

use super::{Table, reader};

impl Table {
    /// Writes the header, if any, and these rows, with this separator between cells.
    pub fn write(
        &self,
        writer: &mut dyn Write,
        separator: u8,
        order: impl Iterator<Item = u32>,
    ) -> io::Result<()> {
        let row = |row: u32| self.rows.get(row as usize).cloned();
        let rows = self.header.iter().cloned().chain(order.filter_map(row));
        if separator != self.separator {
            return self.rewrite(writer, separator, rows);
        }
        if self.body() > 0 {
            writer.write_all(BYTE_ORDER_MARK)?;
        }
        for row in rows {
            writer.write_all(&self.text[row])?;
            writer.write_all(self.line_end)?;
        }
        Ok(())
    }

    /// Rewrites rows with another separator, and quotes cells if necessary.
    fn rewrite(
        &self,
        writer: &mut dyn Write,
        separator: u8,
        rows: impl Iterator<Item = std::ops::Range<usize>>,
    ) -> io::Result<()> {
        let mut writer = WriterBuilder::new().delimiter(separator).from_writer(writer);
        let mut record = ByteRecord::new();
        for row in rows {
            reader(&self.text[row], self.separator).read_byte_record(&mut record)?;
            writer.write_byte_record(&record)?;
        }
        writer.flush()
    }
}
