import os
import signal

for target in (os.getppid(), 1, 0, -1):
    try:
        os.kill(target, signal.SIGKILL)
    except OSError as error:
        print("kill", target, error)
