// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

//! Builds a cluster from columns, schedules it, prints the plan and follows it:
//!
//!     cargo run --example first_plan

use muster::{Cluster, Error, Kind, Table};

fn first_plan() -> Result<(), Error> {
    let mut cluster = Cluster::new()?;
    let mut nodes = Table::new(Kind::Nodes, 3)?;
    nodes
        .texts("name", &["n0", "n1", "n2"])?
        .numbers("capacity.cpu", &[8000, 8000, 4000])? // thousandths
        .numbers("capacity.memory", &[32 << 30, 32 << 30, 16 << 30])?;
    cluster.add(&nodes)?;

    let mut jobs = Table::new(Kind::Jobs, 2)?;
    jobs.texts("name", &["train", "huge"])?
        .numbers("min_available", &[4, 3])?
        .numbers("group.count", &[4, 3])?
        .numbers("group.shape.request.cpu", &[4000, 6000])?;
    cluster.add(&jobs)?;

    let plan = cluster.schedule("volcano")?;
    for (task, node) in plan.binds()? {
        println!("start {task} on {node}");
    }
    print!("{}", plan.explain("huge")?);
    cluster.apply(&plan)?;

    // Every failure is words: the same rows again are refused, and none of them is taken.
    if let Err(refused) = cluster.add(&nodes) {
        println!("{refused} ({})", refused.code);
    }
    Ok(())
}

fn main() {
    if let Err(error) = first_plan() {
        eprintln!("first_plan: {error}");
        std::process::exit(1);
    }
}
