import torch


class M(torch.nn.Module):
    @torch.jit.export
    def f(self, x):
        return x + 1

    def g(self, x):
        return x + 2
