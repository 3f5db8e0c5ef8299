// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package example.muster;

/** A task and a node, by name: it starts there, leaves it, or is promised room there. */
public record Placement(String task, String node) {}
