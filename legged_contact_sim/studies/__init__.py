"""The published experiments, one module or package per study, and the frame that runs and reports them."""
