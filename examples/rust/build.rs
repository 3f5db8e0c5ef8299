// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

//! Names the library that is linked: libmuster_c.so in MUSTER_LIB_DIR, if that is set; else, on
//! linux/x86_64, the archive that a released crate brings along; else the libmuster_c that the
//! linker finds.

use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-env-changed=MUSTER_LIB_DIR");
    println!("cargo:rerun-if-changed=build.rs");
    let bundled = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap()).join("lib/linux_amd64");
    let target = env::var("CARGO_CFG_TARGET_OS").unwrap() + "/" + &env::var("CARGO_CFG_TARGET_ARCH").unwrap();
    if let Ok(folder) = env::var("MUSTER_LIB_DIR") {
        println!("cargo:rustc-link-search=native={folder}");
        println!("cargo:rustc-link-lib=dylib=muster_c");
        // Of this package's examples and tests; a program sets its own.
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    } else if target == "linux/x86_64" && fs::metadata(bundled.join("libmuster.a")).is_ok() {
        println!("cargo:rustc-link-search=native={}", bundled.display());
        println!("cargo:rustc-link-lib=static=muster");
        println!("cargo:rustc-link-lib=dylib=m");
    } else {
        println!("cargo:rustc-link-lib=dylib=muster_c");
    }
}
