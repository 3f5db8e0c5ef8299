// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

//! Muster from Rust: the calls of `muster/c.h` that a scheduler's loop makes, declared by hand,
//! behind types that free what they hold. No crate and no generator is needed: copy this file and
//! add what else of the header you use. Structs of the C interface hold their size and only grow at
//! the end. So a declaration may stop where its user stops reading: `PlanView` ends after the
//! columns of decisions.

use std::ffi::{c_char, CStr, CString};
use std::marker::{PhantomData, PhantomPinned};
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

    #[link(name = "muster_c")]
    extern "C" {
        pub fn muster_cluster_new(options: *const Opaque, out: *mut *mut Opaque, error: *mut Error) -> i32;
        pub fn muster_cluster_free(cluster: *mut Opaque);
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
        pub fn muster_text_data(text: *const Opaque) -> *const c_char;
        pub fn muster_text_free(text: *mut Opaque);
    }
}

/// The kind of a table's rows.
#[derive(Clone, Copy)]
pub enum Kind {
    Nodes = 1,
    Jobs = 3,
    Tasks = 4,
}

const ADD: i32 = 0;
const BIND: i32 = 1;

/// A failed call: its number in `muster/c.h`, and words that name the row and the rule.
#[derive(Debug)]
pub struct Error {
    pub code: i32,
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

fn name(words: &str) -> Result<CString, Error> {
    CString::new(words).map_err(|_| Error { code: -3, message: format!("{words:?} has a NUL in it") })
}

/// Rows on their way into a cluster, as columns. Values are copied.
pub struct Table(*mut c::Opaque);

impl Table {
    pub fn new(kind: Kind, rows: usize) -> Result<Table, Error> {
        let mut made = ptr::null_mut();
        // SAFETY: NULL is the allocator of the library's own choice.
        call(|e| unsafe { c::muster_table_new(kind as i32, rows as i64, ptr::null(), &mut made, e) })?;
        Ok(Table(made))
    }

    pub fn numbers(&mut self, column: &str, values: &[i64]) -> Result<&mut Table, Error> {
        let column = name(column)?;
        // SAFETY: the slice's length is correct.
        call(|e| unsafe {
            c::muster_table_set_numbers(self.0, column.as_ptr(), values.as_ptr(), values.len() as i64, e)
        })?;
        Ok(self)
    }

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

impl Cluster {
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

    /// Runs a cycle.
    pub fn schedule(&mut self, profile: &str) -> Result<Plan, Error> {
        let profile = name(profile)?;
        let mut made = ptr::null_mut();
        // SAFETY: NULL is no options.
        call(|e| unsafe { c::muster_cluster_schedule(self.0, profile.as_ptr(), ptr::null(), &mut made, e) })?;
        Ok(Plan(made))
    }

    /// Makes the tables follow the plan, and returns the number of its decisions.
    pub fn apply(&mut self, plan: &Plan) -> Result<i64, Error> {
        let mut applied = 0;
        // SAFETY: both are alive.
        call(|e| unsafe { c::muster_cluster_apply(self.0, plan.0, &mut applied, ptr::null_mut(), e) })?;
        Ok(applied)
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
        let binds = (0..kinds.len()).filter(|&i| kinds[i] == BIND);
        Ok(binds.map(|i| (self.name(Kind::Tasks, tasks[i]), self.name(Kind::Nodes, nodes[i]))).collect())
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
        let mut words = ptr::null_mut();
        // SAFETY: the name's length is correct; the text is freed here.
        unsafe {
            call(|e| c::muster_plan_explain(self.0, name.as_ptr().cast(), name.len() as i64, &mut words, e))?;
            let copy = text(CStr::from_ptr(c::muster_text_data(words)));
            c::muster_text_free(words);
            Ok(copy)
        }
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
