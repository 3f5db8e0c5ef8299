// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package example.muster;

import java.lang.ref.Cleaner;
import java.util.function.LongConsumer;

/**
 * A pointer to an object of the library. It is freed by close, or once its owner is unreachable.
 * Owners call it with their own lock held, which keeps them reachable and close away.
 */
final class Handle {
  private static final Cleaner CLEANER = Cleaner.create();

  private final Pointer pointer;
  private final Cleaner.Cleanable cleanable;

  Handle(Object owner, long address, LongConsumer free) {
    pointer = new Pointer(address, free);
    cleanable = CLEANER.register(owner, pointer);
  }

  long get() {
    if (pointer.address == 0) throw new IllegalStateException("closed");
    return pointer.address;
  }

  void close() {
    cleanable.clean();
  }

  private static final class Pointer implements Runnable {
    private final LongConsumer free;
    private long address;

    Pointer(long address, LongConsumer free) {
      this.address = address;
      this.free = free;
    }

    @Override
    public void run() {
      free.accept(address);
      address = 0;
    }
  }
}
