//! One end of a path, as a script of the shell that `airpath emulate` starts there.
//!
//! TCP runs in a network namespace of its own behind a pair of veth, since the device of the
//! emulation has no offload. A capture beside TCP thus has merged segments or not, as wanted, while
//! the emulated path carries single packets.

use airpath_live::transfer::Transfer;

/// Bytes that may wait for tokens: one packet, so that what is above the rate is dropped. Not all
/// kernels have the action "police"; the token bucket they have.
const ONE: u32 = 1514;

/// One end.
pub struct Side<'a> {
    /// Its address.
    pub address: &'a str,
    /// Its transfers.
    pub transfers: &'a [Transfer],
    /// The program that carries transfers, and what it is given before the order.
    pub carrier: &'a str,
    /// Folder of captures and reports: `FOLDER/NAME.pcap`, `FOLDER/NAME-0.json`.
    pub folder: &'a str,
    /// Its name in files.
    pub name: &'a str,
    /// True if segments are merged.
    pub offload: bool,
    /// Rate in kbit/s and burst in KiB above which packets that leave are dropped.
    pub policer: Option<(u64, u64)>,
}

impl Side<'_> {
    /// The script.
    pub fn script(&self) -> String {
        let Side { address, folder, name, .. } = self;
        let orders = self.transfers.iter().enumerate().map(|(n, transfer)| {
            let order = serde_json::to_string(transfer).expect("an order is plain");
            let carrier = self.carrier;
            format!("nice -n -15 $inside {carrier} '{order}' > '{folder}/{name}-{n}.json' & carried=\"$carried $!\"\n")
        });
        let orders: String = orders.collect();
        let switch = if self.offload { "on" } else { "off" };
        let policer = self.policer.map(|(rate, burst)| {
            format!(
                "tc qdisc replace dev airpath0 root tbf rate {rate}kbit burst {burst}k limit {ONE}\n"
            )
        });
        let policer = policer.unwrap_or_default();
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
{policer}$inside sh -c 'echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6
echo 1 > /proc/sys/net/ipv4/tcp_no_metrics_save
ip link set lo up
ip address add {address}/32 dev inner
ip link set inner up
ip neighbour replace 169.254.0.1 lladdr 02:00:00:00:00:01 dev inner nud permanent
ip route add default via 169.254.0.1 dev inner onlink src {address}
ethtool -K inner tso {switch} gso {switch} gro {switch}'
nice -n -15 $inside tcpdump -i inner -n -s 128 -B 4096 -U --immediate-mode -Z root -w '{folder}/{name}.pcap' tcp & capture=$!
carried=
{orders}wait $carried
sleep 0.1
kill -INT $capture
wait $capture
kill -KILL $holder
"#
        )
    }
}
