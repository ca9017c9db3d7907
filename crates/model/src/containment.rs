//! Breakdowns that do not end everything: where several search for one answer, a panic of one is its own.
//!
//! Whoever installs a panic hook asks here whether somebody catches the panic, and leaves it to them.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Whether somebody catches the panics of this thread.
pub fn is_contained() -> bool {
    CONTAINED.get()
}

/// Does some work; what a panic says, where there was one.
pub fn contained<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let before = CONTAINED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    CONTAINED.set(before);
    done.map_err(|panic| words(&*panic))
}

/// The same work for another thread, whose panics are caught if those of this thread are.
pub fn inherited<T>(work: impl FnOnce() -> T + Send) -> impl FnOnce() -> T + Send {
    let contained = is_contained();
    move || {
        CONTAINED.set(contained);
        work()
    }
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_value_and_its_thread_goes_on() {
        assert_eq!(contained(|| 1), Ok(1));
        assert_eq!(contained(|| panic!("broken {}", 2)), Err::<(), _>("broken 2".to_owned()));
        assert!(!is_contained());
    }

    #[test]
    fn a_thread_inherits_whether_somebody_catches() {
        let inside = || std::thread::spawn(inherited(is_contained)).join().unwrap();
        assert_eq!((inside(), contained(inside)), (false, Ok(true)));
    }
}
