#!/bin/sh
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# tools/mutate.sh ROOM N [SEED]: mutation testing; tools/mutation/mutate.py says how.
exec nice -n 19 python3 -u "$(dirname "$0")/mutation/mutate.py" "$@"
