# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# Completion of muster for fish; `muster completion fish` prints it.
function __muster
    set -l words (commandline -opc)[2..] (commandline -ct)
    for line in (muster complete -- $words 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c muster -f -a '(__muster)'
