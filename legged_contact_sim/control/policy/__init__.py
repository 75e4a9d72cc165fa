"""Learned policies as controllers: an ONNX file, and a layout that says what it sees and what its answer means."""

from .layout import Layout, layouts, load_layout, policies
from .observing import Observer, Readings, readings_of
from .policy import Policy

__all__ = ["Layout", "Observer", "Policy", "Readings", "layouts", "load_layout", "policies", "readings_of"]
