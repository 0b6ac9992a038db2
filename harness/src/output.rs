//! Files the program writes. Until one is complete, whatever was at its place stays untouched.

use std::fmt::Display;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{self, Path, PathBuf};

use tempfile::{SpooledTempFile, TempPath, spooled_tempfile, spooled_tempfile_in};

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::fault::{Fault, Outcome};

/// Links followed before they are called a circle, as Linux does.
const LINKS: usize = 40;

/// A file being written beside its final place; only `commit_all` puts it there, by renaming.
///
/// Through a symbolic link its target is written, and a replaced file's permissions stay. What
/// exists but is no regular file (a device, a pipe, the standard output by name) cannot be
/// replaced: it is written straight to. Write errors name the file.
pub(crate) struct Pending {
    /// As the user named it.
    path: PathBuf,
    file: BufWriter<File>,
    /// None where it is written straight to.
    beside: Option<Beside>,
}

/// A temporary file and what it shall become.
struct Beside {
    temporary: TempPath,
    target: PathBuf,
    /// Those of the file to be replaced.
    permissions: Option<Permissions>,
}

impl Pending {
    /// Checks at once that the place can be written.
    pub(crate) fn create(path: &Path) -> Outcome<Self> {
        let opened = open(path).map_err(|error| Fault::Input(trouble(path, &error)))?;
        let (file, beside) = (BufWriter::new(opened.0), opened.1);
        Ok(Self { path: path.to_owned(), file, beside })
    }

    /// Writes what is left; the file then waits to be put at its place.
    pub(crate) fn complete(self) -> Outcome<Complete> {
        let Self { path, file, beside } = self;
        let failed = |error: io::Error| Fault::Failed(trouble(&path, &error));
        let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
        if let Some(Beside { permissions: Some(permissions), .. }) = &beside {
            file.set_permissions(permissions.clone()).map_err(failed)?;
        }
        Ok(Complete { path, beside })
    }

    /// How the file is called in messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Room for data on the disk the file will be on; in memory up to `spill` bytes.
    pub(crate) fn scratch(&self, spill: usize) -> SpooledTempFile {
        match &self.beside {
            Some(beside) => spooled_tempfile_in(spill, directory(&beside.target)),
            None => spooled_tempfile(spill),
        }
    }
}

impl Write for Pending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).map_err(|error| named(&self.path, error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().map_err(|error| named(&self.path, error))
    }
}

/// The error with the file's name.
pub(crate) fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), trouble(path, error))
}

/// What is said of a file that cannot be written.
pub(crate) fn trouble(path: &Path, reason: impl Display) -> String {
    format!("cannot write {}: {reason}", path.display())
}

/// Refuses a file whose name ends otherwise than its contents would have it; a device may be called
/// anything.
pub(crate) fn require_extension(path: &Path, wanted: &str) -> Outcome {
    let found = path.extension().is_some_and(|found| found.eq_ignore_ascii_case(wanted));
    if found || is_special(path) { Ok(()) } else { Err(wrong_extension(path, wanted)) }
}

pub(crate) fn wrong_extension(path: &Path, wanted: &str) -> Fault {
    let found = path.extension().map(|found| found.to_string_lossy());
    let found = found.map_or("missing".to_owned(), |found| format!(".{found}"));
    Fault::Input(trouble(path, format!("its extension is {found}, not .{wanted}")))
}

/// Whether this exists and is no regular file.
pub(crate) fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

fn open(path: &Path) -> io::Result<(File, Option<Beside>)> {
    let target = follow(path)?;
    let found = fs::metadata(&target).ok();
    if found.as_ref().is_some_and(fs::Metadata::is_dir) || !names_a_file(path) {
        return Err(io::Error::other("it is a directory"));
    }
    if is_descriptor(&target) || found.as_ref().is_some_and(|found| !found.is_file()) {
        return Ok((open_straight(&target)?, None));
    }
    require_directory(directory(&target))?;
    if found.is_some() {
        // Renaming would get around a write protection.
        OpenOptions::new().write(true).open(&target)?;
    }
    let (file, temporary) = open_beside(&target)?;
    let permissions = found.map(|found| found.permissions());
    Ok((file, Some(Beside { temporary, target, permissions })))
}

fn names_a_file(path: &Path) -> bool {
    path.file_name().is_some() && !path.to_string_lossy().ends_with(path::is_separator)
}

fn require_directory(directory: &Path) -> io::Result<()> {
    let reason = match fs::metadata(directory) {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) => "is not a directory".to_owned(),
        Err(error) if error.kind() == ErrorKind::NotFound => "does not exist".to_owned(),
        Err(error) => format!("cannot be used: {error}"),
    };
    Err(io::Error::other(format!("{} {reason}", directory.display())))
}

/// One name for a file, however it is written and whether it exists or not.
pub(crate) fn whole_name(path: &Path) -> PathBuf {
    let target = follow(path).unwrap_or_else(|_| path.to_owned());
    let folder = fs::canonicalize(directory(&target));
    folder.map_or(target.clone(), |it| it.join(target.file_name().unwrap_or_default()))
}

/// The file a path leads to through symbolic links; it need not exist.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..LINKS {
        // What such a link reads as is not always a path.
        if is_descriptor(&target) {
            return Ok(target);
        }
        let Ok(next) = fs::read_link(&target) else {
            return Ok(target);
        };
        target = directory(&target).join(next);
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Whether this is a name for an open file, such as /dev/stdout leads to.
fn is_descriptor(path: &Path) -> bool {
    fs::canonicalize(directory(path))
        .is_ok_and(|place| place.starts_with("/proc") || place == Path::new("/dev/fd"))
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(unix)]
fn open_straight(path: &Path) -> io::Result<File> {
    use std::os::fd::AsFd;
    // Opened anew, a redirected stream would start over at its beginning.
    let own = fs::canonicalize(directory(path)).ok() == fs::canonicalize("/dev/fd").ok();
    match path.file_name().and_then(|name| name.to_str()) {
        Some("1") if own => Ok(io::stdout().as_fd().try_clone_to_owned()?.into()),
        Some("2") if own => Ok(io::stderr().as_fd().try_clone_to_owned()?.into()),
        _ => OpenOptions::new().append(true).open(path),
    }
}

#[cfg(not(unix))]
fn open_straight(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).open(path)
}

fn open_beside(target: &Path) -> io::Result<(File, TempPath)> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".flockstep-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The umask takes away from them, as from those of any new file.
        builder.permissions(Permissions::from_mode(0o666));
    }
    // Only the kind: the error's text has the temporary file's name.
    let file = builder.tempfile_in(directory(target)).map_err(|error| error.kind())?;
    unfinished().push(file.path().to_owned());
    Ok(file.into_parts())
}

/// A file with all its data, still beside its final place.
pub(crate) struct Complete {
    path: PathBuf,
    beside: Option<Beside>,
}

/// Puts all files at their places, one right after the other.
pub(crate) fn commit_all(files: Vec<Complete>) -> Outcome {
    let _no_one_abandons = unfinished();
    for Complete { path, beside } in files {
        if let Some(Beside { temporary, target, .. }) = beside {
            let placed = temporary.persist(target);
            placed.map_err(|error| Fault::Failed(trouble(&path, error.error)))?;
        }
    }
    Ok(())
}

/// Temporary files made so far, whether they are still there or not.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every temporary file, for an end without clean-up. Waits for files that are being put at
/// their places.
pub(crate) fn abandon() {
    for path in unfinished().drain(..) {
        let _gone_already = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(pending: Pending) -> Outcome {
        commit_all(vec![pending.complete()?])
    }

    fn said(outcome: Outcome<impl Sized>) -> (u8, String) {
        let fault = outcome.err().expect("a fault");
        (fault.code(), fault.to_string())
    }

    fn put(path: &Path, text: &str) {
        let mut pending = Pending::create(path).unwrap();
        pending.write_all(text.as_bytes()).unwrap();
        commit(pending).unwrap();
    }

    #[test]
    fn only_a_commit_changes_anything() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("flock.csv");
        fs::write(&path, "before").unwrap();
        let mut pending = Pending::create(&path).unwrap();
        pending.write_all(&[b'x'; 100_000]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"before");
        drop(pending);
        assert_eq!(fs::read(&path).unwrap(), b"before");
        put(&path, "after");
        assert_eq!(fs::read(&path).unwrap(), b"after");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "nothing is left over");
    }

    #[test]
    fn a_place_that_cannot_be_written_is_bad_input_at_once() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("file"), "").unwrap();
        let at = |end: &str| format!("{}/{end}", place.path().display());
        for (path, reason) in [
            (at("no/x.csv"), format!("{} does not exist", at("no"))),
            (at("file/x.csv"), format!("{} is not a directory", at("file"))),
            (at(""), "it is a directory".to_owned()),
            (at("new/"), "it is a directory".to_owned()),
            (String::new(), "it is a directory".to_owned()),
        ] {
            let text = format!("cannot write {path}: {reason}");
            assert_eq!(said(Pending::create(Path::new(&path))), (2, text));
        }
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_of_any_new_file_or_of_the_one_replaced() {
        use std::os::unix::fs::PermissionsExt;
        let place = tempfile::tempdir().unwrap();
        let [path, plain] = ["a", "b"].map(|name| place.path().join(name));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        File::create(&plain).unwrap();
        put(&path, "");
        assert_eq!(mode(&path), mode(&plain));
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        put(&path, "");
        assert_eq!(mode(&path) & 0o777, 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_written_through() {
        use std::os::unix::fs::symlink;
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir(at("inner")).unwrap();
        symlink("inner/second", at("first")).unwrap();
        symlink("../file", at("inner/second")).unwrap();
        for text in ["dangling", "existing"] {
            put(&at("first"), text);
            assert_eq!(fs::read_to_string(at("file")).unwrap(), text);
            assert!(fs::symlink_metadata(at("inner/second")).unwrap().is_symlink());
        }
        symlink("circle", at("circle")).unwrap();
        let (code, text) = said(Pending::create(&at("circle")));
        assert_eq!((code, text.contains("too many symbolic links")), (2, true));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_are_written_straight_to() {
        put(Path::new("/dev/null"), "gone");
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        let mut pending = Pending::create(Path::new("/dev/full")).unwrap();
        let text = "cannot write /dev/full: No space left on device (os error 28)";
        assert_eq!(pending.write_all(&[0; 9_000]).unwrap_err().to_string(), text);
        let mut pending = Pending::create(Path::new("/dev/full")).unwrap();
        pending.write_all(b"short").unwrap();
        assert_eq!(said(commit(pending)), (1, text.to_owned()));
    }
}
