"""What a command's exit code means; documented in `docs/command-line.md`."""

OK = 0
# Some task failed although its input could be read, or this program is at fault.
FAILED = 1
# The command line or the input is wrong; the message says what.
BAD_INPUT = 2
# No confident reading of the question: no prediction was written.
ABSTAINED = 3
# The run was stopped by SIGTERM or SIGINT; what was done is delivered.
STOPPED = 4
# A program was compiled and its state saved, and the tasks do not support that it is better.
NOT_SUPPORTED = 5
# Another command was broken off by Ctrl-C: there is no result (128 + SIGINT, as shells have it).
INTERRUPTED = 130
