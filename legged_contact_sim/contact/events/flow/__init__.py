"""Motion between two events: which contacts hold, how they are kept, how an event is found."""
