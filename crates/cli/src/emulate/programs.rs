//! The programs of an emulation, as the command line has them.

use std::ffi::OsString;
use std::io::{self, IsTerminal};

use airpath_live::Programs;
use airpath_live::os::Program;
use airpath_scenario::world::Host;

use super::EmulateArgs;

/// The programs for these hosts, the server first.
///
/// # Errors
///
/// What is missing, and the mend.
pub fn programs(args: &EmulateArgs, hosts: &[Host]) -> Result<Programs, String> {
    let server = &hosts[0];
    let fill = |text: &str| {
        let text = text.replace("{server}", &server.v4.to_string());
        text.replace("{server6}", &server.v6.to_string())
    };
    let servers = args.server.iter().map(|line| Program::line(&fill(line))).collect();
    let ues = hosts.len() - 1;
    if args.client.len() > ues {
        let more = "name another UE with --ue for each further --client";
        return Err(format!("{} clients for {ues} UEs: {more}", args.client.len()));
    }
    let lines = args.client.iter().map(|line| Program::line(&fill(line)));
    let mut clients: Vec<(usize, Program)> = lines.enumerate().collect();
    if let Some((program, arguments)) = args.program.split_first() {
        let arguments = arguments.iter().map(|one| match one.to_str() {
            Some(text) => fill(text).into(),
            None => one.clone(),
        });
        let arguments: Vec<OsString> = arguments.collect();
        clients.push((0, Program::new(program, &arguments)));
    }
    if clients.is_empty() {
        if !io::stdin().is_terminal() {
            return Err("there is no program: give one behind --, as `-- curl …`, or a line with \
                        --client; a shell needs a terminal"
                .to_owned());
        }
        clients.push((0, Program::shell()));
    }
    // Ctrl-C is for whoever has the terminal.
    if let [(_, only)] = &mut clients[..] {
        only.foreground = io::stdin().is_terminal();
    }
    Ok(Programs { servers, clients })
}
