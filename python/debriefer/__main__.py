"""`python -m debriefer`."""

from debriefer.cli import main

if __name__ == "__main__":
    main()
