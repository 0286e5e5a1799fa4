"""compatibility."""
