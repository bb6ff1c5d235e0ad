"""What an object and all that belongs to it is doing, and why it does not work.

`inventory` keeps what was seen last, `kinds` know what it means, a file each; `trace`
folds records into pictures, and `transitions` tells two of them apart. All of it is
pure: the same records give the same pictures, live or from a recording.
"""
