"""`python -m locomo_run`."""

from locomo_run.cli import main

if __name__ == "__main__":
    main()
