import os, sys as system
from a.b import (
    c,
    d as e,
)
from . import sibling
from ..up import *
