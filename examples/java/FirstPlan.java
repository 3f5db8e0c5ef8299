// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

import example.muster.Cluster;
import example.muster.Kind;
import example.muster.MusterException;
import example.muster.Placement;
import example.muster.Plan;
import example.muster.Table;

/**
 * Builds a cluster from columns, schedules it, prints the plan and follows it:
 *
 * <pre>java -cp muster.jar FirstPlan.java</pre>
 */
public final class FirstPlan {
  public static void main(String[] arguments) {
    try (Cluster cluster = new Cluster();
        Table nodes = new Table(Kind.NODES, 3);
        Table jobs = new Table(Kind.JOBS, 2)) {
      nodes
          .texts("name", "n0", "n1", "n2")
          .numbers("capacity.cpu", 8000, 8000, 4000) // thousandths
          .numbers("capacity.memory", 32L << 30, 32L << 30, 16L << 30);
      cluster.add(nodes);
      jobs.texts("name", "train", "huge")
          .numbers("min_available", 4, 3)
          .numbers("group.count", 4, 3)
          .numbers("group.shape.request.cpu", 4000, 6000);
      cluster.add(jobs);

      try (Plan plan = cluster.schedule("volcano")) {
        for (Placement bind : plan.binds()) {
          System.out.println("start " + bind.task() + " on " + bind.node());
        }
        System.out.print(plan.explain("huge"));
        cluster.apply(plan);
      }

      // Every failure is words: the same rows again are refused, and none of them is taken.
      try {
        cluster.add(nodes);
      } catch (MusterException refused) {
        System.out.println(refused.getMessage());
      }
    }
  }
}
