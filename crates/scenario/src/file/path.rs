//! The wired part: servers, gateway, cell.

use airpath_base::{BitRate, Bytes, Duration};
use airpath_schema::units::Rate;
use airpath_schema::{above, between, choice, record};

use super::{
    Capacity, DropTailConfig, EcnField, EcnOption, EcnTunnel, Pattern, Proxy, QueueConfig,
};

record! {
    /// The wired part of the path.
    pub struct Path {
        /// Rule by which the ECN field crosses tunnels (RFC 6040, 4.1). Default: "normal", the mode
        /// that RFC 6040 wants unless a tunnel end is older.
        ecn_tunnel: EcnTunnel = EcnTunnel::Normal;
        /// Time that each packet takes in the gateway. Default: 0 s; no
        /// specification has a value.
        gateway_delay: Duration = Duration::ZERO;
        /// The link between the servers and the gateway (SGi in LTE, N6 in NR); without a
        /// radio, that between the servers and the hosts.
        sgi: Link;
        /// A link between PGW and SGW (S5, GTP-U), for paths where both are apart.
        /// Default: none, as both are one gateway.
        s5: Option<Link>;
        /// The link between the gateway and the cell (S1-U in LTE, N3 in NR), on
        /// which packets are inside GTP-U (TS 29.281); none without a radio.
        s1: Option<Link>;
        /// ESP (RFC 4303) around GTP-U between gateway and cell (TS 33.401, 12).
        /// Default: none.
        ipsec: Option<Ipsec>;
        /// A proxy that splits TCP connections. Default: none.
        proxy: Option<Proxy>;
    }
}

record! {
    /// A wired link. Both directions are alike unless `up` says otherwise.
    pub struct Link {
        /// Bit rate. Default: "unlimited", so that the link is no bottleneck.
        rate: Rate = Rate::Unlimited => above(BitRate::from_bps(0));
        /// Propagation delay. Default: 0 s.
        delay: Duration = Duration::ZERO;
        /// Recorded capacity instead of a rate: a file in mahimahi's format, by its path relative
        /// to this file's. Each line is a millisecond at which 1500 bytes can be delivered, and the
        /// file repeats. "builtin:lte-down" and "builtin:lte-up" are recordings that come with
        /// airpath. A table { light = "FILE", heavy = "FILE" } names the recordings of CellReplay.
        /// Default: none.
        capacity: Option<Capacity>;
        /// Queue in front of the link: a limit, as "100 packets", "64 KiB" or "unlimited". Or a
        /// kind of queue, as "codel", or a table with its kind and options. Default: drop-tail with
        /// 1000 packets (Linux, `DEFAULT_TX_QUEUE_LEN`).
        queue: QueueConfig = QueueConfig::DropTail(DropTailConfig::default());
        /// Bytes that the link layer adds to each packet, which take time to send but no room in
        /// the queue. Ethernet with preamble and gap has "38 B" (IEEE 802.3, 3.1.1 and 4.4.2).
        /// Default: 0 B, so that the rate is that of IP.
        layer2: Bytes = Bytes::ZERO => between(Bytes::ZERO, Bytes(10_000));
        /// Packets that are lost on the wire: a probability, as 0.01, or a period, as
        /// { every = 1000 }. Default: 0.
        loss: Pattern = Pattern::Random(0.0);
        /// ECN-capable packets that the wire marks with congestion experienced, whatever waits in
        /// front of it: a probability, or a period of these. Default: 0.
        mark: Pattern = Pattern::Random(0.0);
        /// Treatment of the ECN field of the header that the link sees. Default: "keep".
        ecn: EcnField = EcnField::Keep;
        /// Treatment of TCP's option AccECN (RFC 9768, 3.2.3) by a device at the link's beginning.
        /// The option can be seen outside GTP-U only: at `path.sgi` and `path.proxy.link`. Default:
        /// "keep".
        ecn_option: EcnOption = EcnOption::Keep;
        /// Differences of the direction from gateway to servers, or from cell to gateway.
        up: UpLink;
    }
}

record! {
    /// Differences of a link in the direction from the UEs. A key that is not there is as in the
    /// direction to them.
    pub struct UpLink {
        /// Bit rate in the direction from the UEs.
        rate: Option<Rate> => above(BitRate::from_bps(0));
        /// Recorded capacity in the direction from the UEs.
        capacity: Option<Capacity>;
        /// Propagation delay in the direction from the UEs.
        delay: Option<Duration>;
        /// Queue in front of the link.
        queue: Option<QueueConfig>;
        /// Bytes that the link layer adds to each packet.
        layer2: Option<Bytes> => between(Bytes::ZERO, Bytes(10_000));
        /// Packets that are lost on the wire.
        loss: Option<Pattern>;
        /// Packets that the wire marks with congestion experienced.
        mark: Option<Pattern>;
        /// Treatment of the ECN field.
        ecn: Option<EcnField>;
        /// Treatment of TCP's option AccECN by a device at the link's beginning.
        ecn_option: Option<EcnOption>;
    }
}

record! {
    /// ESP in tunnel mode around GTP-U.
    pub struct Ipsec {
        /// The cryptographic transform, from which the bytes it adds follow. Default:
        /// "aes-gcm" (TS 33.210, 5.3.3).
        transform: EspTransform = EspTransform::AesGcm;
        /// Bytes that the tunnel adds to each packet, all headers and trailers together. They
        /// replace those that follow from the transform and the packet's size. Default: none.
        overhead: Option<Bytes> => between(Bytes::ZERO, Bytes(1_000));
        /// Rule by which the ECN field crosses this tunnel. Default: that of `path.ecn_tunnel`.
        ecn_tunnel: Option<EcnTunnel>;
    }
}

choice! {
    /// A cryptographic transform of ESP.
    pub enum EspTransform {
        /// AES-GCM with an integrity check value of 16 bytes (RFC 4106).
        AesGcm = "aes-gcm",
        /// AES-CBC (RFC 3602) with HMAC-SHA-256-128 (RFC 4868).
        AesCbcSha256 = "aes-cbc-sha256",
    }
}

/// One direction of a [`Link`].
#[derive(Clone, Debug, PartialEq)]
pub struct Wire {
    /// Bit rate.
    pub rate: Rate,
    /// Recorded capacity, instead of the rate.
    pub capacity: Option<Capacity>,
    /// Propagation delay.
    pub delay: Duration,
    /// Queue in front of it.
    pub queue: QueueConfig,
    /// Bytes that the link layer adds to each packet.
    pub layer2: Bytes,
    /// Packets that are lost.
    pub loss: Pattern,
    /// Packets that are marked.
    pub mark: Pattern,
    /// Treatment of the ECN field.
    pub ecn: EcnField,
    /// Treatment of TCP's option AccECN.
    pub ecn_option: EcnOption,
}

impl Path {
    /// All links, in the order of a packet to a UE.
    pub(crate) fn links(&self) -> impl Iterator<Item = &Link> {
        let proxy = self.proxy.as_ref().and_then(|proxy| proxy.link.as_ref());
        [proxy, Some(&self.sgi), self.s5.as_ref(), self.s1.as_ref()].into_iter().flatten()
    }

    /// All links in the order of a packet to a UE, to be altered.
    pub(crate) fn links_mut(&mut self) -> impl Iterator<Item = &mut Link> {
        let proxy = self.proxy.as_mut().and_then(|proxy| proxy.link.as_mut());
        [proxy, Some(&mut self.sgi), self.s5.as_mut(), self.s1.as_mut()].into_iter().flatten()
    }

    /// Recorded capacities that the links name.
    pub(crate) fn capacities(&self) -> impl Iterator<Item = &Capacity> {
        self.links().flat_map(|link| [&link.capacity, &link.up.capacity]).flatten()
    }
}

impl Link {
    /// The direction towards the UEs.
    pub fn down(&self) -> Wire {
        Wire {
            rate: self.rate,
            capacity: self.capacity.clone(),
            delay: self.delay,
            queue: self.queue.clone(),
            layer2: self.layer2,
            loss: self.loss,
            mark: self.mark,
            ecn: self.ecn,
            ecn_option: self.ecn_option,
        }
    }

    /// The direction from the UEs.
    pub fn up(&self) -> Wire {
        let up = self.up.clone();
        let UpLink { rate, capacity, delay, queue, layer2, loss, mark, ecn, ecn_option } = up;
        // A key of this direction counts, be it rate or capacity.
        let usual = if rate.is_none() { self.capacity.clone() } else { None };
        Wire {
            rate: rate.unwrap_or(self.rate),
            capacity: capacity.or(usual),
            delay: delay.unwrap_or(self.delay),
            queue: queue.unwrap_or_else(|| self.queue.clone()),
            layer2: layer2.unwrap_or(self.layer2),
            loss: loss.unwrap_or(self.loss),
            mark: mark.unwrap_or(self.mark),
            ecn: ecn.unwrap_or(self.ecn),
            ecn_option: ecn_option.unwrap_or(self.ecn_option),
        }
    }
}
