"""The dashboard: what words mean, what is stored, what is asked, what is drawn, and how it is served."""
