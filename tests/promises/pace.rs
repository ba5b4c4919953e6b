//! The pace of lists and watches, whatever the server does.
