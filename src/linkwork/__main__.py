"""`python -m linkwork`: the same as the command."""

from linkwork.cli import main

if __name__ == "__main__":
    main()
