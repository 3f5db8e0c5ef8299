// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
package example.muster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The calls of {@code src/main/c/muster_jni.c}. Texts are UTF-8; a failed call throws. */
final class Native {
  private static final String FOLDER = "/example/muster/linux-x86_64/";

  static {
    load();
  }

  private Native() {}

  /**
   * Loads what the jar brings along, the shared objects that its list names, each after those that
   * it needs. They are copied to a folder of their own, since only files can be loaded. With the
   * property {@code muster.library} the named file is loaded instead.
   */
  private static void load() {
    String library = System.getProperty("muster.library");
    if (library != null) {
      System.load(Path.of(library).toAbsolutePath().toString());
      return;
    }
    List<Path> copied = new ArrayList<>();
    try (InputStream list = Native.class.getResourceAsStream(FOLDER + "list")) {
      if (list == null) {
        throw new UnsatisfiedLinkError(
            "this jar has no library; must have " + FOLDER + ", or muster.library be set");
      }
      Path folder = Files.createTempDirectory("muster");
      copied.add(folder);
      for (String name : new String(list.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
        Path file = folder.resolve(name);
        try (InputStream object = Native.class.getResourceAsStream(FOLDER + name)) {
          Files.copy(object, file);
        }
        copied.add(file);
        System.load(file.toString());
      }
    } catch (IOException failure) {
      throw new UnsatisfiedLinkError("the library cannot be copied: " + failure);
    } finally {
      // What is loaded stays loaded without its file.
      for (int i = copied.size() - 1; i >= 0; --i) copied.get(i).toFile().delete();
    }
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  static native byte[] version();

  static native long newTable(int kind, long rows);

  static native void freeTable(long table);

  static native void setNumbers(long table, byte[] column, long[] values);

  static native void setTexts(long table, byte[] column, long[] offsets, byte[] bytes);

  static native long newCluster();

  static native void freeCluster(long cluster);

  static native void put(long cluster, int mode, long table);

  static native byte[] readScenario(long cluster, byte[] json);

  static native byte[] writeScenario(long cluster);

  static native void remove(long cluster, int kind, byte[] name);

  static native void setTask(long cluster, byte[] name, int status, byte[] node);

  static native void bindFailed(long cluster, byte[] task);

  static native long schedule(long cluster, byte[] profile, long now);

  /** The number of decisions goes into the array; returns a line for each that was refused. */
  static native byte[] apply(long cluster, long plan, long[] applied);

  static native void freePlan(long plan);

  /** Kind, task and node of each decision, in order. */
  static native int[] decisions(long plan);

  static native byte[] name(long plan, int kind, int index);

  static native byte[] explain(long plan, byte[] name);

  static native byte[] digest(long plan);

  static native byte[] planText(long plan);

  static native byte[] planJson(long plan);
}
