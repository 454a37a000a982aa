"""Documents: prose and PDF into lines and tables with the place of each."""
