"""All tests of run.py share these: the build's folder, the parts of a cluster, and the cluster once it runs."""
from pathlib import Path

from cluster import Cluster

BUILD = None
PARTS = None
IMAGE = Path(__file__).resolve().parents[2] / "build/image/xsched.tar"  # make image
CLUSTER = None


def cluster():
    """The cluster, which is started when the first test needs it. All tests have the same."""
    global CLUSTER
    if CLUSTER is None:
        CLUSTER = Cluster(PARTS)
        CLUSTER.start_all()
    return CLUSTER
