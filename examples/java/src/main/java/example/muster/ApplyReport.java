// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package example.muster;

import java.util.List;

/**
 * What a cluster did with a plan that may be older than it: the number of decisions that are applied,
 * and a line for each other one, with the reason. Such a decision must not be carried out.
 */
public record ApplyReport(long applied, List<String> refused) {}
