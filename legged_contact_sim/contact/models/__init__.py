"""Contact models, one file each; a file that is laid here is found."""
