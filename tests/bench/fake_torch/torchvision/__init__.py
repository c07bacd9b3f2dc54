"""torchvision, of which there is one model."""
from . import models  # noqa: F401
