# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""One module a peer: how its cases become scenarios, and what of its record is compared.

An adapter has
  skip(level, case)       -> why the case cannot be run yet, read from its content; None when it can
  scenario(case)          -> the scenario, a dict
  observed(case)          -> the outcomes that are right, a list of Outcome
  unit(case, probe)       -> of a case that is one function call, the differences, a list of text
  single(case, probe)     -> the same of every case that is no whole cycle, in place of unit
or, where a case is a sequence of questions to one part of a scheduler,
  check(level, case, probe) -> the differences, a list of text
and raise probe.Unanswerable where only the call itself shows that there is nothing to compare.
"""
