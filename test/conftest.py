"""What all tests share."""

import signal

# A shell without job control starts what runs in the background with SIGINT ignored, and every child inherits that:
# programs that a test interrupts would go on.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
