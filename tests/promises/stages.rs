//! Reflector, queue, store and handlers under panics, lag and load.
