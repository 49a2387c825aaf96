"""`python -m reactor`: the same as the command `reactor`."""

from reactor.cli import main

if __name__ == "__main__":
    main()
