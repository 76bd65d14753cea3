"""A congestion controller of one's own for `python -m airpath evaluate own.py:FewWaiting`."""

import airpath


class FewWaiting(airpath.Controller):
    """Keeps a few segments waiting in the network (L. Brakmo and L. Peterson, "TCP Vegas", 1995)."""

    def on_ack(self, ack: airpath.Ack) -> None:
        if not ack.srtt or not ack.min_rtt or ack.in_recovery or not ack.cwnd_limited:
            return
        waiting = (1 - ack.min_rtt / ack.srtt) * self.cwnd / self.segment
        if self.cwnd < self.ssthresh:
            self.cwnd += ack.delivered
            if waiting > 4:
                self.ssthresh = self.cwnd
        elif waiting < 8:
            self.cwnd += self.segment * ack.delivered / self.cwnd
        elif waiting > 16:
            self.cwnd -= self.segment * ack.delivered / self.cwnd

    def on_loss(self, loss: airpath.Loss) -> None:
        self.ssthresh = self.cwnd = max(self.cwnd / 2, 2 * self.segment)
