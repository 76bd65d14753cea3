//! One end of a path, as a script of the shell that `airpath emulate` starts there.
//!
//! TCP runs in a network namespace of its own behind a pair of veth, since the device of the
//! emulation has no offload. A capture beside TCP thus has merged segments or not, as wanted, while
//! the emulated path carries single packets.

use airpath_live::transfer::Transfer;

use super::draw::Taking;

/// Bytes that the token bucket of a host sends at once, and that may wait for it.
const BUCKET: [u32; 2] = [3_100, 300_000];

/// One end.
pub struct Side<'a> {
    /// Its address.
    pub address: &'a str,
    /// Its transfers.
    pub transfers: &'a [Transfer],
    /// The programs that carry transfers over TCP and media over UDP, and what they are given before
    /// the order.
    pub carriers: [String; 2],
    /// True if the first transfer is media.
    pub media: bool,
    /// Folder of captures and reports: `FOLDER/NAME.pcap`, `FOLDER/NAME-0.json`.
    pub folder: &'a str,
    /// Its name in files.
    pub name: &'a str,
    /// True if segments are merged.
    pub offload: bool,
    /// Rate of a token bucket in front of the device, in kbit/s.
    pub bucket_kbps: Option<u64>,
    /// Properties of the capture.
    pub taking: &'a Taking,
}

impl Side<'_> {
    /// The script.
    pub fn script(&self) -> String {
        let Side { address, folder, name, .. } = self;
        let orders = self.transfers.iter().enumerate().map(|(n, transfer)| {
            let order = serde_json::to_string(transfer).expect("an order is plain");
            let carrier = &self.carriers[usize::from(n == 0 && self.media)];
            format!("nice -n -15 $inside {carrier} '{order}' > '{folder}/{name}-{n}.json' & carried=\"$carried $!\"\n")
        });
        let orders: String = orders.collect();
        let switch = if self.offload { "on" } else { "off" };
        let [burst, limit] = BUCKET;
        let bucket = self.bucket_kbps.map(|kbps| {
            format!(
                "tc qdisc replace dev inner root tbf rate {kbps}kbit burst {burst} limit {limit}\n\
                 (while sleep 0.1; do date +%s%N; tc -s qdisc show dev inner; done) \
                 > \"{folder}/bucket.txt\" & echo $! > \"{folder}/bucket.pid\"\n"
            )
        });
        let bucket = bucket.unwrap_or_default();
        let (timestamps, snap) = (u8::from(self.taking.timestamps), self.taking.snap);
        format!(
            r#"exec 2> '{folder}/{name}.log'
trap '' TERM INT
unshare -n sleep 120 & holder=$!
until [ "$(readlink /proc/$holder/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do sleep 0.02; done
inside="nsenter --net=/proc/$holder/ns/net"
ip link add outer address 02:00:00:00:00:01 type veth peer name inner address 02:00:00:00:00:02 netns $holder
echo 1 > /proc/sys/net/ipv4/ip_forward
ip address flush dev airpath0
ip link set outer up
ip route replace default dev airpath0
ip route add {address}/32 dev outer
ip neighbour replace {address} lladdr 02:00:00:00:00:02 dev outer nud permanent
$inside sh -c 'echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6
echo 1 > /proc/sys/net/ipv4/tcp_no_metrics_save
echo {timestamps} > /proc/sys/net/ipv4/tcp_timestamps
ip link set lo up
ip address add {address}/32 dev inner
ip link set inner up
ip neighbour replace 169.254.0.1 lladdr 02:00:00:00:00:01 dev inner nud permanent
ip route add default via 169.254.0.1 dev inner onlink src {address}
ethtool -K inner tso {switch} gso {switch} gro {switch}
{bucket}'
nice -n -15 $inside tcpdump -i inner -n -s {snap} -B 4096 -U --immediate-mode -Z root -w '{folder}/{name}.pcap' tcp or udp & capture=$!
carried=
{orders}wait $carried
sleep 0.1
kill -INT $capture
wait $capture
[ -e '{folder}/bucket.pid' ] && kill $(cat '{folder}/bucket.pid')
kill -KILL $holder
"#
        )
    }
}
