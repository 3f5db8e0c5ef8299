// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

//! Muster decides which task runs on which node. It takes a cluster (nodes, queues, jobs with their
//! tasks) and returns a plan: binds, evictions, and a reason for everything that stays pending.
//!
//! ```
//! # fn main() -> Result<(), muster::Error> {
//! let mut cluster = muster::Cluster::new()?;
//! cluster.read_scenario(
//!     r#"{"muster": 1,
//!         "nodes": [{"name": "n0", "capacity": {"cpu": 8, "memory": "32Gi", "pods": 110}}],
//!         "jobs": [{"name": "web", "min_available": 1, "groups": [
//!           {"name": "w", "count": 2, "shape": {"request": {"cpu": 2}}}]}]}"#,
//! )?;
//! let plan = cluster.schedule("volcano")?;
//! assert_eq!(plan.binds()?, [("web-w-0", "n0"), ("web-w-1", "n0")]);
//! cluster.apply(&plan)?; // the next cycle starts from here
//! # Ok(())
//! # }
//! ```
//!
//! These are the calls of `muster/c.h` that a scheduler's loop makes, declared by hand, behind types
//! that free what they hold. Structs of the C interface hold their size and only grow at the end. So
//! a declaration may stop where its user stops reading: `PlanView` ends after the columns of
//! decisions.
//!
//! A [`Cluster`] and a [`Table`] are used by one thread at a time and may move between threads. A
//! [`Plan`] never changes: any number of threads may read it. Every failed call returns an
//! [`Error`] that names the row and the rule, and leaves everything as it was.

#![warn(missing_docs)]

use std::ffi::{CStr, CString};
use std::marker::{PhantomData, PhantomPinned};
use std::os::raw::c_char;
use std::{fmt, mem, ptr, slice};

mod c {
    use super::*;

    /// An object of the library, seen only through pointers; used by one thread at a time.
    #[repr(C)]
    pub struct Opaque {
        _nothing: [u8; 0],
        _no_thread: PhantomData<(*mut u8, PhantomPinned)>,
    }

    #[repr(C)]
    pub struct Error {
        pub struct_size: u32,
        pub code: i32,
        pub user_code: i32,
        pub reserved: i32,
        pub message: [c_char; 496],
    }

    #[repr(C)]
    pub struct PlanView {
        pub struct_size: u32,
        pub dimensions: i32,
        pub complete: i32,
        pub cursor: u32,
        pub work: i64,
        pub version: u64,
        pub decision_count: i64,
        pub decision_kind: *const i32,
        pub decision_task: *const i32,
        pub decision_node: *const i32,
    }

    // As tests/capi/layout_c_test.cc pins them.
    const _: () = assert!(mem::size_of::<Error>() == 512);
    const _: () = assert!(mem::size_of::<PlanView>() == 64);

    // build.rs names the library.
    extern "C" {
        pub fn muster_cluster_new(options: *const Opaque, out: *mut *mut Opaque, error: *mut Error) -> i32;
        pub fn muster_cluster_free(cluster: *mut Opaque);
        pub fn muster_cluster_read_scenario(
            cluster: *mut Opaque, json: *const c_char, size: i64, profile: *mut *mut Opaque, error: *mut Error,
        ) -> i32;
        pub fn muster_cluster_write_scenario(
            cluster: *const Opaque, profile: *const c_char, out: *mut *mut Opaque, error: *mut Error,
        ) -> i32;
        pub fn muster_cluster_remove(
            cluster: *mut Opaque, kind: i32, name: *const c_char, size: i64, error: *mut Error,
        ) -> i32;
        pub fn muster_cluster_set_task(
            cluster: *mut Opaque, name: *const c_char, size: i64, status: i32, node: *const c_char, node_size: i64,
            error: *mut Error,
        ) -> i32;
        pub fn muster_cluster_report_bind_failed(
            cluster: *mut Opaque, name: *const c_char, size: i64, error: *mut Error,
        ) -> i32;
        pub fn muster_cluster_put(cluster: *mut Opaque, mode: i32, table: *const Opaque, error: *mut Error) -> i32;
        pub fn muster_cluster_schedule(
            cluster: *mut Opaque, profile: *const c_char, options: *const Opaque, out: *mut *mut Opaque, error: *mut Error,
        ) -> i32;
        pub fn muster_cluster_apply(
            cluster: *mut Opaque, plan: *const Opaque, applied: *mut i64, refused: *mut *mut Opaque, error: *mut Error,
        ) -> i32;
        pub fn muster_table_new(
            kind: i32, rows: i64, allocator: *const Opaque, out: *mut *mut Opaque, error: *mut Error,
        ) -> i32;
        pub fn muster_table_free(table: *mut Opaque);
        pub fn muster_table_set_numbers(
            table: *mut Opaque, column: *const c_char, values: *const i64, count: i64, error: *mut Error,
        ) -> i32;
        pub fn muster_table_set_texts(
            table: *mut Opaque, column: *const c_char, offsets: *const i64, count: i64, bytes: *const c_char, size: i64,
            error: *mut Error,
        ) -> i32;
        pub fn muster_plan_free(plan: *mut Opaque);
        pub fn muster_plan_get_view(plan: *const Opaque, view: *mut PlanView, error: *mut Error) -> i32;
        pub fn muster_plan_name(plan: *const Opaque, kind: i32, index: i32, size: *mut i64) -> *const c_char;
        pub fn muster_plan_explain(
            plan: *const Opaque, name: *const c_char, size: i64, out: *mut *mut Opaque, error: *mut Error,
        ) -> i32;
        pub fn muster_plan_digest(plan: *const Opaque, out: *mut c_char, error: *mut Error) -> i32;
        pub fn muster_plan_to_text(plan: *const Opaque, out: *mut *mut Opaque, error: *mut Error) -> i32;
        pub fn muster_plan_to_json(plan: *const Opaque, out: *mut *mut Opaque, error: *mut Error) -> i32;
        pub fn muster_version_string() -> *const c_char;
        pub fn muster_text_data(text: *const Opaque) -> *const c_char;
        pub fn muster_text_free(text: *mut Opaque);
    }
}

/// The kind of a table's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Machines with a capacity.
    Nodes = 1,
    /// Queues with a weight, a guarantee and a limit.
    Queues = 2,
    /// Jobs with their groups of tasks.
    Jobs = 3,
    /// Tasks of jobs.
    Tasks = 4,
}

/// What a cluster is told of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Waits for a node.
    Pending = 0,
    /// Is on its node and has not started.
    Bound = 4,
    /// Runs on its node.
    Running = 5,
    /// Leaves its node.
    Releasing = 6,
    /// Has ended well.
    Succeeded = 7,
    /// Has ended badly.
    Failed = 8,
}

const ADD: i32 = 0;
const UPDATE: i32 = 1;
const BIND: i32 = 1;
const NOMINATE: i32 = 2;
const EVICT: i32 = 3;

/// A failed call: its number in `muster/c.h`, and words that name the row and the rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// `MUSTER_E_...`, below 0.
    pub code: i32,
    /// `<place>: <what is wrong>; <what would be right>`.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Makes a call that takes an error as its last argument.
fn call(function: impl FnOnce(*mut c::Error) -> i32) -> Result<(), Error> {
    // SAFETY: numbers and characters may all be 0.
    let mut error: c::Error = unsafe { mem::zeroed() };
    error.struct_size = mem::size_of::<c::Error>() as u32;
    match function(&mut error) {
        0 => Ok(()),
        // SAFETY: the library ends every message with a NUL.
        code => Err(Error { code, message: text(unsafe { CStr::from_ptr(error.message.as_ptr()) }) }),
    }
}

fn text(words: &CStr) -> String {
    words.to_string_lossy().into_owned()
}

/// Makes a call that writes a text, and returns a copy of it.
fn written(function: impl FnOnce(*mut *mut c::Opaque, *mut c::Error) -> i32) -> Result<String, Error> {
    let mut words = ptr::null_mut();
    call(|e| function(&mut words, e))?;
    // SAFETY: the library ends every text with a NUL; it is freed here.
    unsafe {
        let copy = text(CStr::from_ptr(c::muster_text_data(words)));
        c::muster_text_free(words);
        Ok(copy)
    }
}

/// Returns the version of the library that is linked.
pub fn version() -> String {
    // SAFETY: the text is a constant of the library.
    text(unsafe { CStr::from_ptr(c::muster_version_string()) })
}

fn name(words: &str) -> Result<CString, Error> {
    CString::new(words).map_err(|_| Error { code: -3, message: format!("{words:?} has a NUL in it") })
}

/// Rows on their way into a cluster, as columns. Values are copied.
pub struct Table(*mut c::Opaque);

// SAFETY: a table belongs to no thread; it is used through &mut or by a call that only reads it.
unsafe impl Send for Table {}

impl Table {
    /// Makes a table of `rows` rows without columns.
    pub fn new(kind: Kind, rows: usize) -> Result<Table, Error> {
        let mut made = ptr::null_mut();
        // SAFETY: NULL is the allocator of the library's own choice.
        call(|e| unsafe { c::muster_table_new(kind as i32, rows as i64, ptr::null(), &mut made, e) })?;
        Ok(Table(made))
    }

    /// Sets a column of numbers: one value a row.
    pub fn numbers(&mut self, column: &str, values: &[i64]) -> Result<&mut Table, Error> {
        let column = name(column)?;
        // SAFETY: the slice's length is correct.
        call(|e| unsafe {
            c::muster_table_set_numbers(self.0, column.as_ptr(), values.as_ptr(), values.len() as i64, e)
        })?;
        Ok(self)
    }

    /// Sets a column of texts: one value a row.
    pub fn texts(&mut self, column: &str, texts: &[&str]) -> Result<&mut Table, Error> {
        let column = name(column)?;
        let bytes = texts.concat();
        let mut offsets = vec![0];
        offsets.extend(texts.iter().scan(0, |end, text| {
            *end += text.len() as i64;
            Some(*end)
        }));
        // SAFETY: offsets has one more number than texts, and the last is the length of bytes.
        call(|e| unsafe {
            c::muster_table_set_texts(
                self.0, column.as_ptr(), offsets.as_ptr(), texts.len() as i64, bytes.as_ptr().cast(), bytes.len() as i64, e,
            )
        })?;
        Ok(self)
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // SAFETY: made by muster_table_new.
        unsafe { c::muster_table_free(self.0) }
    }
}

/// The living tables.
pub struct Cluster(*mut c::Opaque);

// SAFETY: a cluster belongs to no thread; every call takes &mut or only reads.
unsafe impl Send for Cluster {}

impl Cluster {
    /// Makes a cluster without rows.
    pub fn new() -> Result<Cluster, Error> {
        let mut made = ptr::null_mut();
        // SAFETY: NULL is no options.
        call(|e| unsafe { c::muster_cluster_new(ptr::null(), &mut made, e) })?;
        Ok(Cluster(made))
    }

    /// Adds all rows of the table, or none.
    pub fn add(&mut self, table: &Table) -> Result<(), Error> {
        // SAFETY: both are alive.
        call(|e| unsafe { c::muster_cluster_put(self.0, ADD, table.0, e) })
    }

    /// Updates the rows of those names, or none.
    pub fn update(&mut self, table: &Table) -> Result<(), Error> {
        // SAFETY: both are alive.
        call(|e| unsafe { c::muster_cluster_put(self.0, UPDATE, table.0, e) })
    }

    /// Replaces all rows by those of a scenario document, and returns the profile that it names,
    /// which is empty if it names none.
    pub fn read_scenario(&mut self, json: &str) -> Result<String, Error> {
        // SAFETY: the text's length is correct.
        written(|out, e| unsafe {
            c::muster_cluster_read_scenario(self.0, json.as_ptr().cast(), json.len() as i64, out, e)
        })
    }

    /// Returns the rows as a scenario document, which `muster run` reads.
    pub fn write_scenario(&self) -> Result<String, Error> {
        // SAFETY: NULL is no profile.
        written(|out, e| unsafe { c::muster_cluster_write_scenario(self.0, ptr::null(), out, e) })
    }

    /// Removes the row of that name. A job goes with its tasks.
    pub fn remove(&mut self, kind: Kind, name: &str) -> Result<(), Error> {
        // SAFETY: the name's length is correct.
        call(|e| unsafe { c::muster_cluster_remove(self.0, kind as i32, name.as_ptr().cast(), name.len() as i64, e) })
    }

    /// Sets the status of a task and, where the status needs one, its node.
    pub fn set_task(&mut self, name: &str, status: Status, node: Option<&str>) -> Result<(), Error> {
        let (first, size) = node.map_or((ptr::null(), 0), |node| (node.as_ptr(), node.len() as i64));
        // SAFETY: the names' lengths are correct.
        call(|e| unsafe {
            c::muster_cluster_set_task(
                self.0, name.as_ptr().cast(), name.len() as i64, status as i32, first.cast(), size, e,
            )
        })
    }

    /// Reports that a bind of an applied plan failed: the task is pending again.
    pub fn bind_failed(&mut self, task: &str) -> Result<(), Error> {
        // SAFETY: the name's length is correct.
        call(|e| unsafe {
            c::muster_cluster_report_bind_failed(self.0, task.as_ptr().cast(), task.len() as i64, e)
        })
    }

    /// Runs a cycle. The cluster does not change.
    pub fn schedule(&mut self, profile: &str) -> Result<Plan, Error> {
        let profile = name(profile)?;
        let mut made = ptr::null_mut();
        // SAFETY: NULL is no options.
        call(|e| unsafe { c::muster_cluster_schedule(self.0, profile.as_ptr(), ptr::null(), &mut made, e) })?;
        Ok(Plan(made))
    }

    /// Makes the tables follow the plan, and returns the number of decisions that are applied. Those
    /// that a change since the plan made impossible are left out: [`Cluster::apply_report`] lists them.
    pub fn apply(&mut self, plan: &Plan) -> Result<i64, Error> {
        let mut applied = 0;
        // SAFETY: both are alive.
        call(|e| unsafe { c::muster_cluster_apply(self.0, plan.0, &mut applied, ptr::null_mut(), e) })?;
        Ok(applied)
    }

    /// Does as [`Cluster::apply`], and also returns a line for each decision that is left out, with
    /// the reason. Such a decision must not be carried out.
    ///
    /// ```
    /// # fn main() -> Result<(), muster::Error> {
    /// # let mut cluster = muster::Cluster::new()?;
    /// # cluster.read_scenario(
    /// #     r#"{"muster": 1, "nodes": [{"name": "n0", "capacity": {"cpu": 8, "pods": 9}}],
    /// #         "jobs": [{"name": "web", "min_available": 1, "groups": [
    /// #           {"name": "w", "count": 2, "shape": {"request": {"cpu": 2}}}]}]}"#,
    /// # )?;
    /// let plan = cluster.schedule("volcano")?;
    /// cluster.remove(muster::Kind::Tasks, "web-w-1")?;
    /// let (_, refused) = cluster.apply_report(&plan)?;
    /// assert_eq!(refused, [r#"bind "web-w-1" to "n0": task is gone"#]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn apply_report(&mut self, plan: &Plan) -> Result<(i64, Vec<String>), Error> {
        let mut applied = 0;
        // SAFETY: both are alive.
        let lines = written(|out, e| unsafe { c::muster_cluster_apply(self.0, plan.0, &mut applied, out, e) })?;
        Ok((applied, lines.lines().map(str::to_owned).collect()))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // SAFETY: made by muster_cluster_new.
        unsafe { c::muster_cluster_free(self.0) }
    }
}

/// The decisions of a cycle. A plan may outlive its cluster.
pub struct Plan(*mut c::Opaque);

// SAFETY: plans never change and may be read by any number of threads.
unsafe impl Send for Plan {}
unsafe impl Sync for Plan {}

impl Plan {
    /// Returns the tasks that start now and their nodes, in the order of decision.
    pub fn binds(&self) -> Result<Vec<(&str, &str)>, Error> {
        self.decisions(BIND)
    }

    /// Returns the tasks that are promised room which others still leave, and their nodes.
    pub fn nominations(&self) -> Result<Vec<(&str, &str)>, Error> {
        self.decisions(NOMINATE)
    }

    /// Returns the tasks that leave their nodes, and these, in the order of decision.
    pub fn evictions(&self) -> Result<Vec<(&str, &str)>, Error> {
        self.decisions(EVICT)
    }

    fn decisions(&self, kind: i32) -> Result<Vec<(&str, &str)>, Error> {
        // SAFETY: numbers and pointers may all be 0.
        let mut view: c::PlanView = unsafe { mem::zeroed() };
        view.struct_size = mem::size_of::<c::PlanView>() as u32;
        // SAFETY: the library fills struct_size bytes of the view.
        call(|e| unsafe { c::muster_plan_get_view(self.0, &mut view, e) })?;
        // SAFETY: the columns live as long as the plan.
        let (kinds, tasks, nodes) = unsafe {
            let count = view.decision_count;
            (column(view.decision_kind, count), column(view.decision_task, count), column(view.decision_node, count))
        };
        let rows = (0..kinds.len()).filter(|&i| kinds[i] == kind);
        Ok(rows.map(|i| (self.name(Kind::Tasks, tasks[i]), self.name(Kind::Nodes, nodes[i]))).collect())
    }

    /// Returns the name of a row that the plan mentions, and otherwise an empty text.
    pub fn name(&self, kind: Kind, index: i32) -> &str {
        let mut size = 0;
        // SAFETY: the name lives as long as the plan. The library accepts only UTF-8.
        unsafe {
            let first: *const u8 = c::muster_plan_name(self.0, kind as i32, index, &mut size).cast();
            std::str::from_utf8_unchecked(column(first, size))
        }
    }

    /// Returns why a job or a task is not, or not wholly, placed.
    pub fn explain(&self, name: &str) -> Result<String, Error> {
        // SAFETY: the name's length is correct.
        written(|out, e| unsafe {
            c::muster_plan_explain(self.0, name.as_ptr().cast(), name.len() as i64, out, e)
        })
    }

    /// Returns 32 hexadecimal digits of all that was decided. Equal inputs give equal digests.
    pub fn digest(&self) -> Result<String, Error> {
        let mut digits: [c_char; 33] = [0; 33];
        // SAFETY: the library writes 33 characters, the last of them NUL.
        call(|e| unsafe { c::muster_plan_digest(self.0, digits.as_mut_ptr(), e) })?;
        Ok(text(unsafe { CStr::from_ptr(digits.as_ptr()) }))
    }

    /// Returns the plan as text for people, a line a decision and reason.
    pub fn to_text(&self) -> Result<String, Error> {
        // SAFETY: the plan is alive.
        written(|out, e| unsafe { c::muster_plan_to_text(self.0, out, e) })
    }

    /// Returns the plan as JSON, with names.
    pub fn to_json(&self) -> Result<String, Error> {
        // SAFETY: the plan is alive.
        written(|out, e| unsafe { c::muster_plan_to_json(self.0, out, e) })
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        // SAFETY: made by muster_cluster_schedule.
        unsafe { c::muster_plan_free(self.0) }
    }
}

/// A column without rows may be NULL, which no slice may be.
unsafe fn column<'a, T>(first: *const T, count: i64) -> &'a [T] {
    if first.is_null() {
        return &[];
    }
    slice::from_raw_parts(first, count as usize)
}
