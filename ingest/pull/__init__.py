"""Results fetched from where others publish them: politely, in steps that can be taken up again."""
