"""Contact models, one file each; a file that is put here is found."""
