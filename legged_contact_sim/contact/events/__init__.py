"""Event-driven contact: flow between events, impact laws, and the loop that joins them."""
