// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

import static jdk.incubator.foreign.CLinker.C_INT;
import static jdk.incubator.foreign.CLinker.C_LONG_LONG;
import static jdk.incubator.foreign.CLinker.C_POINTER;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import jdk.incubator.foreign.Addressable;
import jdk.incubator.foreign.CLinker;
import jdk.incubator.foreign.FunctionDescriptor;
import jdk.incubator.foreign.MemoryAddress;
import jdk.incubator.foreign.MemoryLayout;
import jdk.incubator.foreign.MemorySegment;
import jdk.incubator.foreign.ResourceScope;
import jdk.incubator.foreign.SegmentAllocator;
import jdk.incubator.foreign.SymbolLookup;

/**
 * Builds a cluster from columns, schedules it, prints the plan, by the foreign functions of JDK 17:
 *
 * <pre>
 * java --add-modules jdk.incubator.foreign --enable-native-access=ALL-UNNAMED -Djava.library.path=LIBDIR FirstPlan.java
 * </pre>
 *
 * Method handles made from C signatures call the library. Arguments lie in native memory of one
 * scope, which may be closed as soon as the calls have returned: the library copies.
 */
public final class FirstPlan {
  // muster/c.h
  private static final int NODES = 1, JOBS = 3, TASKS = 4, ADD = 0, BIND = 1;
  private static final int ERROR_BYTES = 512, ERROR_MESSAGE = 16;
  // Of muster_plan_view, which is read no further than its first decision columns.
  private static final int VIEW_BYTES = 64, DECISION_COUNT = 32, KIND = 40, TASK = 48, NODE = 56;
  private static final long TO_NUL = -1;

  private final ResourceScope scope;
  private final SegmentAllocator memory;
  private final MemorySegment error;

  private FirstPlan(ResourceScope scope) {
    this.scope = scope;
    memory = SegmentAllocator.arenaAllocator(4096, scope);
    error = memory.allocate(ERROR_BYTES, 8);
    bytes(error).putInt(0, ERROR_BYTES);
  }

  private static ByteBuffer bytes(MemorySegment segment) {
    return segment.asByteBuffer().order(ByteOrder.nativeOrder());
  }

  // What a value is on either side: an int, a long, or a pointer.
  private static Class<?> carrier(Object value) {
    return value instanceof Integer ? int.class : value instanceof Long ? long.class : MemoryAddress.class;
  }

  private static MemoryLayout layout(Class<?> carrier) {
    return carrier == int.class ? C_INT : carrier == long.class ? C_LONG_LONG : C_POINTER;
  }

  // Calls a function of the library; a program that calls often keeps the handles.
  private static Object invoke(Class<?> result, String name, Object... arguments) throws Throwable {
    Class<?>[] carriers = new Class<?>[arguments.length];
    MemoryLayout[] layouts = new MemoryLayout[arguments.length];
    for (int i = 0; i < arguments.length; ++i) {
      carriers[i] = carrier(arguments[i]);
      layouts[i] = layout(carriers[i]);
      if (arguments[i] instanceof Addressable) arguments[i] = ((Addressable) arguments[i]).address();
    }
    MemoryAddress function =
        SymbolLookup.loaderLookup().lookup(name).orElseThrow(() -> new UnsatisfiedLinkError(name));
    FunctionDescriptor descriptor =
        result == void.class ? FunctionDescriptor.ofVoid(layouts) : FunctionDescriptor.of(layout(result), layouts);
    MethodHandle handle =
        CLinker.getInstance().downcallHandle(function, MethodType.methodType(result, carriers), descriptor);
    return handle.invokeWithArguments(arguments);
  }

  // A call that returns a status and takes the error last.
  private void call(String name, Object... arguments) throws Throwable {
    Object[] all = java.util.Arrays.copyOf(arguments, arguments.length + 1);
    all[arguments.length] = error;
    if ((int) invoke(int.class, name, all) == 0) return;
    throw new IllegalStateException(CLinker.toJavaString(error.asSlice(ERROR_MESSAGE)));
  }

  // A call that hands something out, which is its last argument but for the error.
  private MemoryAddress make(String name, Object... arguments) throws Throwable {
    MemorySegment out = memory.allocate(8, 8);
    Object[] all = java.util.Arrays.copyOf(arguments, arguments.length + 1);
    all[arguments.length] = out;
    call(name, all);
    return MemoryAddress.ofLong(bytes(out).getLong(0));
  }

  private MemorySegment text(String words) {
    return CLinker.toCString(words, scope);
  }

  private void numbers(MemoryAddress table, String column, long... values) throws Throwable {
    MemorySegment copy = memory.allocateArray(C_LONG_LONG, values);
    call("muster_table_set_numbers", table, text(column), copy, (long) values.length);
  }

  private void texts(MemoryAddress table, String column, String... values) throws Throwable {
    long[] offsets = new long[values.length + 1];
    byte[] all = String.join("", values).getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < values.length; ++i) {
      offsets[i + 1] = offsets[i] + values[i].getBytes(StandardCharsets.UTF_8).length;
    }
    MemorySegment copy = memory.allocateArray(CLinker.C_CHAR, all);
    call("muster_table_set_texts", table, text(column), memory.allocateArray(C_LONG_LONG, offsets),
        (long) values.length, copy, (long) all.length);
  }

  private String name(MemoryAddress plan, int kind, int index) throws Throwable {
    Object name = invoke(MemoryAddress.class, "muster_plan_name", plan, kind, index, MemoryAddress.NULL);
    return CLinker.toJavaString((MemoryAddress) name);
  }

  // A column of ints that the plan owns.
  private ByteBuffer column(ByteBuffer view, int at, long rows) {
    MemoryAddress first = MemoryAddress.ofLong(view.getLong(at));
    return bytes(first.asSegment(4 * rows, scope));
  }

  private void run() throws Throwable {
    MemoryAddress cluster = make("muster_cluster_new", MemoryAddress.NULL);
    MemoryAddress nodes = make("muster_table_new", NODES, 3L, MemoryAddress.NULL);
    texts(nodes, "name", "n0", "n1", "n2");
    numbers(nodes, "capacity.cpu", 8000, 8000, 4000); // thousandths
    numbers(nodes, "capacity.memory", 32L << 30, 32L << 30, 16L << 30);
    call("muster_cluster_put", cluster, ADD, nodes);

    MemoryAddress jobs = make("muster_table_new", JOBS, 2L, MemoryAddress.NULL);
    texts(jobs, "name", "train", "huge");
    numbers(jobs, "min_available", 4, 3);
    numbers(jobs, "group.count", 4, 3);
    numbers(jobs, "group.shape.request.cpu", 4000, 6000);
    call("muster_cluster_put", cluster, ADD, jobs);

    MemoryAddress plan = make("muster_cluster_schedule", cluster, text("volcano"), MemoryAddress.NULL);
    MemorySegment columns = memory.allocate(VIEW_BYTES, 8);
    ByteBuffer view = bytes(columns).putInt(0, VIEW_BYTES);
    call("muster_plan_get_view", plan, columns);
    long rows = view.getLong(DECISION_COUNT);
    ByteBuffer kinds = column(view, KIND, rows), tasks = column(view, TASK, rows), where = column(view, NODE, rows);
    for (int i = 0; i < rows; ++i) {
      if (kinds.getInt(4 * i) != BIND) continue;
      System.out.println("start " + name(plan, TASKS, tasks.getInt(4 * i)) + " on "
          + name(plan, NODES, where.getInt(4 * i)));
    }
    MemoryAddress why = make("muster_plan_explain", plan, text("huge"), TO_NUL);
    Object words = invoke(MemoryAddress.class, "muster_text_data", why);
    System.out.print(CLinker.toJavaString((MemoryAddress) words));

    // Every failure is words: the same rows again are refused, and none of them is taken.
    try {
      call("muster_cluster_put", cluster, ADD, nodes);
    } catch (IllegalStateException refused) {
      System.out.println(refused.getMessage());
    }
    for (Object[] made : new Object[][] {
        {"text", why}, {"plan", plan}, {"table", jobs}, {"table", nodes}, {"cluster", cluster}}) {
      invoke(void.class, "muster_" + made[0] + "_free", made[1]);
    }
  }

  public static void main(String[] arguments) throws Throwable {
    System.loadLibrary("muster_c");
    try (ResourceScope scope = ResourceScope.newConfinedScope()) {
      new FirstPlan(scope).run();
    }
  }
}
