"""What is stored, and the only code that speaks SQL."""
