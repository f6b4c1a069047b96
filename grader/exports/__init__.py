"""Reports -> the formats that other programs take; nothing is graded or run again for it.

A format is a function from reports to text or plain values, in a module of its own. What students
may see goes through ``students.for_students``, and what has no verdict is never a number.
"""
