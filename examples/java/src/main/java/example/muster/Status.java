// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package example.muster;

/** What a cluster is told of a task. */
public enum Status {
  /** Waits for a node. */
  PENDING(0),
  /** Is on its node and has not started. */
  BOUND(4),
  /** Runs on its node. */
  RUNNING(5),
  /** Leaves its node. */
  RELEASING(6),
  /** Has ended well. */
  SUCCEEDED(7),
  /** Has ended badly. */
  FAILED(8);

  final int number;

  Status(int number) {
    this.number = number;
  }
}
