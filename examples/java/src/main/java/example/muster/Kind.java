// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package example.muster;

/** The kind of a table's rows, of a row that is removed and of a name in a plan. */
public enum Kind {
  /** Machines with a capacity. */
  NODES(1),
  /** Queues with a weight, a guarantee and a limit. */
  QUEUES(2),
  /** Jobs with their groups of tasks. */
  JOBS(3),
  /** Tasks of jobs. */
  TASKS(4);

  final int number;

  Kind(int number) {
    this.number = number;
  }
}
