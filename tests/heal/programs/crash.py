"""A crash, in a program that special.py lets meet healing sides of all kinds."""
import sys


def look(table):
    value = table['b']
    return value


print('value', look({}))
