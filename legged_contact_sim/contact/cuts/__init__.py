"""Extended and maximal coordinates: joints cut open and closed again by bilateral rows."""
