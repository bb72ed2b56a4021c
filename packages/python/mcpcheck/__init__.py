"""Where the programs mcpcheck and mockserver are, which come with this package."""

import os
import shutil
import sys
import sysconfig

__all__ = ["program"]


def program(name: str) -> str:
    """The path of a program, "mcpcheck" or "mockserver", of this installation."""
    file = name + (".exe" if sys.platform == "win32" else "")
    user = sysconfig.get_path("scripts", f"{os.name}_user")
    for directory in (sysconfig.get_path("scripts"), os.path.dirname(sys.executable), user):
        path = os.path.join(directory, file)
        if os.path.isfile(path):
            return path
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"the program {name} is not where the scripts of this Python are; install mcpcheck again")
    return found
