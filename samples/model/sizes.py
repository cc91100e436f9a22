"""How large the model is, and over which axes of the mesh its arrays are sharded."""

from dataclasses import dataclass

import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

EXPERTS = 8
HEAD = 128
VOCABULARY = 32_000


@dataclass(frozen=True)
class Sizes:
    mesh: Mesh
    pairs: int
    d: int
    sequence: int
    batch: int

    @property
    def features(self):
        """Within a dense layer; an expert has half of them."""
        return 4 * self.d

    def sharding(self, *axes):
        return NamedSharding(self.mesh, PartitionSpec(*axes))

    def keep(self, x, *axes):
        return jax.lax.with_sharding_constraint(x, self.sharding(*axes))
