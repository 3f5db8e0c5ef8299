// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package example.muster;

/**
 * The living tables of a cluster: nodes, queues, jobs and tasks.
 *
 * <pre>{@code
 * try (Cluster cluster = new Cluster()) {
 *   String profile = cluster.readScenario(json);
 *   try (Plan plan = cluster.schedule(profile.isEmpty() ? "muster" : profile)) {
 *     for (Placement bind : plan.binds()) start(bind.task(), bind.node());
 *     cluster.apply(plan);
 *   }
 * }
 * }</pre>
 *
 * <p>A failed call throws a {@link MusterException} that names the row and the rule, and leaves
 * everything as it was. May be used by any number of threads, which wait for each other.
 */
public final class Cluster implements AutoCloseable {
  private static final int ADD = 0, UPDATE = 1;

  private final Handle handle;

  /** Makes a cluster without rows. */
  public Cluster() {
    handle = new Handle(this, Native.newCluster(), Native::freeCluster);
  }

  /** Returns the version of the library. */
  public static String version() {
    return Native.text(Native.version());
  }

  /** Adds all rows of the table, or none. */
  public synchronized void add(Table table) {
    table.put(handle.get(), ADD);
  }

  /** Updates the rows of those names, or none. */
  public synchronized void update(Table table) {
    table.put(handle.get(), UPDATE);
  }

  /**
   * Replaces all rows by those of a scenario document, and returns the profile that it names, which
   * is empty if it names none.
   */
  public synchronized String readScenario(String json) {
    return Native.text(Native.readScenario(handle.get(), Native.bytes(json)));
  }

  /** Returns the rows as a scenario document, which {@code muster run} reads. */
  public synchronized String writeScenario() {
    return Native.text(Native.writeScenario(handle.get()));
  }

  /** Removes the row of that name. A job goes with its tasks. */
  public synchronized void remove(Kind kind, String name) {
    Native.remove(handle.get(), kind.number, Native.bytes(name));
  }

  /** Sets the status of a task and its node, which is null where the status needs none. */
  public synchronized void setTask(String name, Status status, String node) {
    Native.setTask(
        handle.get(), Native.bytes(name), status.number, node == null ? null : Native.bytes(node));
  }

  /** Reports that a bind of an applied plan failed: the task is pending again. */
  public synchronized void bindFailed(String task) {
    Native.bindFailed(handle.get(), Native.bytes(task));
  }

  /** Runs a cycle at time 0. */
  public Plan schedule(String profile) {
    return schedule(profile, 0);
  }

  /**
   * Runs a cycle at {@code now}, in seconds. The cluster does not change. The profile is a name with
   * changes, such as {@code volcano:binpack(weight=5),+preempt}.
   */
  public synchronized Plan schedule(String profile, long now) {
    return new Plan(Native.schedule(handle.get(), Native.bytes(profile), now));
  }

  /**
   * Makes the tables follow the plan, and returns the number of its decisions that are applied. Those
   * that a change since the plan made impossible are left out: {@link #applyReport} lists them.
   */
  public synchronized long apply(Plan plan) {
    return plan.apply(handle.get()).applied();
  }

  /** Does as {@link #apply}, and also returns what is left out. */
  public synchronized ApplyReport applyReport(Plan plan) {
    return plan.apply(handle.get());
  }

  @Override
  public synchronized void close() {
    handle.close();
  }
}
