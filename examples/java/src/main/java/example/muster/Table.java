// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package example.muster;

import java.io.ByteArrayOutputStream;

/**
 * Rows on their way into a cluster, as columns; {@code muster/c_tables.h} names the columns of each
 * kind. Values are copied. May be used by any number of threads.
 */
public final class Table implements AutoCloseable {
  private final Handle handle;

  /** Makes a table of {@code rows} rows without columns. */
  public Table(Kind kind, long rows) {
    handle = new Handle(this, Native.newTable(kind.number, rows), Native::freeTable);
  }

  /** Sets a column of numbers: one value a row. */
  public synchronized Table numbers(String column, long... values) {
    Native.setNumbers(handle.get(), Native.bytes(column), values);
    return this;
  }

  /** Sets a column of texts: one value a row. */
  public synchronized Table texts(String column, String... values) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    long[] offsets = new long[values.length + 1];
    for (int i = 0; i < values.length; ++i) {
      all.writeBytes(Native.bytes(values[i]));
      offsets[i + 1] = all.size();
    }
    Native.setTexts(handle.get(), Native.bytes(column), offsets, all.toByteArray());
    return this;
  }

  synchronized void put(long cluster, int mode) {
    Native.put(cluster, mode, handle.get());
  }

  @Override
  public synchronized void close() {
    handle.close();
  }
}
