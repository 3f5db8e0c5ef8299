// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package example.muster;

import java.util.ArrayList;
import java.util.List;

/**
 * The decisions of a cycle. A plan never changes and may outlive its cluster. May be used by any
 * number of threads.
 */
public final class Plan implements AutoCloseable {
  private static final int BIND = 1, NOMINATE = 2, EVICT = 3;

  private final Handle handle;

  Plan(long address) {
    handle = new Handle(this, address, Native::freePlan);
  }

  /** Returns the tasks that start now and their nodes, in the order of decision. */
  public List<Placement> binds() {
    return decisions(BIND);
  }

  /** Returns the tasks that are promised room which others still leave, and their nodes. */
  public List<Placement> nominations() {
    return decisions(NOMINATE);
  }

  /** Returns the tasks that leave their nodes, and these, in the order of decision. */
  public List<Placement> evictions() {
    return decisions(EVICT);
  }

  private synchronized List<Placement> decisions(int kind) {
    int[] columns = Native.decisions(handle.get());
    List<Placement> found = new ArrayList<>();
    for (int i = 0; i < columns.length; i += 3) {
      if (columns[i] != kind) continue;
      found.add(new Placement(name(Kind.TASKS, columns[i + 1]), name(Kind.NODES, columns[i + 2])));
    }
    return found;
  }

  private String name(Kind kind, int index) {
    return Native.text(Native.name(handle.get(), kind.number, index));
  }

  /** Returns why a job or a task is not, or not wholly, placed. */
  public synchronized String explain(String name) {
    return Native.text(Native.explain(handle.get(), Native.bytes(name)));
  }

  /** Returns 32 hexadecimal digits of all that was decided. Equal inputs give equal digests. */
  public synchronized String digest() {
    return Native.text(Native.digest(handle.get()));
  }

  /** Returns the plan as JSON, with names. */
  public synchronized String toJson() {
    return Native.text(Native.planJson(handle.get()));
  }

  /** Returns the plan as text for people, a line a decision and reason. */
  @Override
  public synchronized String toString() {
    return Native.text(Native.planText(handle.get()));
  }

  synchronized ApplyReport apply(long cluster) {
    long[] applied = new long[1];
    String refused = Native.text(Native.apply(cluster, handle.get(), applied));
    return new ApplyReport(applied[0], refused.lines().toList());
  }

  @Override
  public synchronized void close() {
    handle.close();
  }
}
