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
    unrolled: bool = False

    @property
    def features(self):
        """Within a dense layer; an expert has half of them."""
        return 4 * self.d

    def sharding(self, *axes):
        return NamedSharding(self.mesh, PartitionSpec(*axes))

    def keep(self, x, *axes):
        return jax.lax.with_sharding_constraint(x, self.sharding(*axes))

    def repeat(self, pair, x, weights):
        """Runs all pairs of layers, one after the other."""
        if not self.unrolled:
            return jax.lax.scan(lambda x, w: (pair(x, w), None), x, weights)[0]
        for n in range(self.pairs):
            with jax.named_scope(f"layers_{n}"):
                x = pair(x, jax.tree.map(lambda w: w[n], weights))
        return x
