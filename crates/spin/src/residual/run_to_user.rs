//! From a run of a text with folded processes to a run of the user's program.
