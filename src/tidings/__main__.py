"""`python -m tidings` and the `tidings` command."""

from tidings.cli.main import main

if __name__ == "__main__":
    main()
