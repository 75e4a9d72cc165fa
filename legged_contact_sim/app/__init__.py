"""The command line and what serves it: scenarios started as processes, and a report on the machine."""
