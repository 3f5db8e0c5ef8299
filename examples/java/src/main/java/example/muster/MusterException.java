// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package example.muster;

import java.nio.charset.StandardCharsets;

/**
 * A failed call. The message names the row and the rule: {@code <place>: <what is wrong>; <what
 * would be right>}. The call had no effect.
 */
public final class MusterException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int code;

  MusterException(int code, byte[] message) {
    super(new String(message, StandardCharsets.UTF_8));
    this.code = code;
  }

  /** Returns {@code MUSTER_E_...} of {@code muster/c_base.h}, a number below 0. */
  public int code() {
    return code;
  }
}
