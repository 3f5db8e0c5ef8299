// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

import example.muster.Cluster;
import example.muster.Plan;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Schedules a scenario file, as {@code muster run} does, and prints the plan and its digest:
 *
 * <pre>java -cp muster.jar RunScenario.java FILE [PROFILE]</pre>
 */
public final class RunScenario {
  public static void main(String[] arguments) throws Exception {
    try (Cluster cluster = new Cluster()) {
      String named = cluster.readScenario(Files.readString(Path.of(arguments[0])));
      String profile = arguments.length > 1 ? arguments[1] : named.isEmpty() ? "muster" : named;
      try (Plan plan = cluster.schedule(profile)) {
        System.out.print(plan);
        System.out.println(
            plan.binds().size() + " binds, " + plan.evictions().size() + " evictions, digest "
                + plan.digest());
      }
    }
  }
}
