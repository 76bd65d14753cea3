"""A controller in Python, for tests and for the figures of parts."""

from __future__ import annotations

import airpath
from airpath import Ack, Loss


class Reno(airpath.Controller):
    """RFC 5681 as airpath's NewReno has it by default, but for HyStart."""

    def on_ack(self, ack: Ack) -> None:
        if ack.in_recovery or not ack.cwnd_limited or ack.acked == 0:
            return
        if self.cwnd < self.ssthresh:
            self.cwnd += min(ack.acked, self.segment)
        else:
            self.cwnd += self.segment * self.segment / self.cwnd

    def on_loss(self, loss: Loss) -> None:
        self.ssthresh = max(loss.in_flight / 2, 2 * self.segment)
        self.cwnd = self.ssthresh
