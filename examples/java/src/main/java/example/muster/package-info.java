// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

/**
 * Muster decides which task runs on which node of a cluster: {@link example.muster.Cluster} holds
 * the tables, {@link example.muster.Plan} what a cycle decided and why the rest waits.
 */
package example.muster;
