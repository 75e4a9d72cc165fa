"""Beside this file stand modules that tests share; pytest finds them because it is here."""
