// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

//! Schedules a scenario file, as `muster run` does, and prints the plan and its digest:
//!
//!     cargo run --example scenario -- FILE [PROFILE]

use std::{env, error, fs};

fn main() -> Result<(), Box<dyn error::Error>> {
    let mut arguments = env::args().skip(1);
    let file = arguments.next().ok_or("usage: scenario FILE [PROFILE]")?;
    let mut cluster = muster::Cluster::new()?;
    let named = cluster.read_scenario(&fs::read_to_string(&file)?)?;
    let profile = arguments.next().unwrap_or(if named.is_empty() { "muster".into() } else { named });
    let plan = cluster.schedule(&profile)?;
    print!("{}", plan.to_text()?);
    println!("{} binds, {} evictions, digest {}", plan.binds()?.len(), plan.evictions()?.len(), plan.digest()?);
    Ok(())
}
