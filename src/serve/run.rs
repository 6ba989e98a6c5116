//! A healing side for one command: `healc run`.
