//! Files that the program reads whole.

use std::path::Path;
use std::{fs, io};

/// The bytes of a regular file. A device might never end.
pub(crate) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    if fs::metadata(path)?.is_file() {
        fs::read(path)
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}
