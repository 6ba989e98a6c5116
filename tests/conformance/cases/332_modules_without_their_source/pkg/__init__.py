"""Package."""
import os as _os
