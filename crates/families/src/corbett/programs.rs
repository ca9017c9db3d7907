//! Protocols and programs: `abp`, `ring`, `ftp`, `bds`, `key`, `q`.
//!
//! What each is about is known, and how many processes it has, but not its text: these are systems of the same kind, with other
//! states.
//!
//! * `abp`: the alternating bit protocol with its two users and two channels that lose messages.
//! * `ring`: n users and as many servers; a server with the token serves its user if that wants it and passes the token on.
//! * `ftp`: a client and a server, each with a process for control and one for data; control messages go through a channel each way.
//! * `bds`: a border defence system: sensors report through relays, tracks are correlated, a commander orders launchers to fire.
//! * `key`: a program that reads a keyboard: n keys, an interrupt handler, a buffer, a reader, an echo and a screen; it ends with
//!   the last key.
//! * `q`: clients of a server with queues between them, and a daemon that shuts everything down.

use crate::family::{Instance, Suggested};
use crate::system::{Act, System};

/// The alternating bit protocol.
pub fn abp(_size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    system.chart("client", "idle -send-> waits -sent-> idle");
    let sender = |b: usize| {
        let o = 1 - b;
        format!(
            "ready{b} -send-> has{b} -put_m{b}-> waits{b} -get_a{b}-> done{b} -sent-> ready{o}; waits{b} -timeout-> has{b}; \
             ready{b} -get_a{o}-> ready{b}; has{b} -get_a{b}-> done{b}; has{b} -get_a{o}-> has{b}; waits{b} -get_a{o}-> waits{b}"
        )
    };
    system.chart("sender", &format!("{}; {}", sender(0), sender(1)));
    for (name, m) in [("data", "m"), ("acks", "a")] {
        let bit = |b: usize| format!("empty -put_{m}{b}-> {m}{b} -get_{m}{b}-> empty; {m}{b} -lose_{m}-> empty");
        system.chart(name, &format!("{}; {}", bit(0), bit(1)));
    }
    let receiver = |b: usize| {
        let o = 1 - b;
        format!("wants{b} -get_m{b}-> new{b} -deliver-> has{b} -put_a{b}-> wants{o}; wants{b} -get_m{o}-> has{o}")
    };
    system.chart("receiver", &format!("{}; {}", receiver(0), receiver(1)));
    system.chart("server", "idle -deliver-> works -use-> idle");
    let mut instance = system.finish();
    let network = &instance.network;
    instance.queries = vec![
        Suggested::deadlock_free(true, "what is lost is sent again"),
        Suggested::pattern_on(network, "at-most(1, deliver, send)", true, "nothing is delivered twice"),
        Suggested::pattern_on(network, "precedes(deliver, sent)", true, "what was acknowledged was delivered"),
    ];
    instance
}

/// `size` users and servers.
pub fn ring(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    for i in 0..size {
        system.chart(format!("user{i}"), &format!("idle -ask{i}-> waits -enter{i}-> critical -leave{i}-> idle"));
    }
    for i in 0..size {
        let next = (i + 1) % size;
        let first = if i == 0 { "token" } else { "without" };
        let text = format!(
            "{first}; without -ask{i}-> wanted -token{i}-> grants -enter{i}-> serves -leave{i}-> served -token{next}-> without; \
             without -token{i}-> token -skip{i}-> served; token -ask{i}-> grants; served -ask{i}-> late -token{next}-> wanted"
        );
        system.chart(format!("server{i}"), &text);
    }
    let mut instance = system.finish();
    let network = &instance.network;
    let exclusion = Suggested::pattern_on(network, "mutex(enter0/leave0, enter1/leave1)", true, "there is one token");
    instance.queries = vec![Suggested::deadlock_free(true, "the token goes round for ever"), exclusion];
    instance
}

/// File transfer.
pub fn ftp(_size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    let parts = [
        (
            "user",
            "idle -open-> asks -ready-> in -get-> waits -have-> in -put-> sends -have-> in -quit-> idle; asks -denied-> idle; \
            waits -failed-> in; sends -failed-> in",
        ),
        (
            "client",
            "idle -open-> c0 -c_user-> c1 -r_pass-> c2 -c_pass-> c3 -r_ok-> c4 -ready-> in; c3 -r_no-> c5 -denied-> idle; \
            in -get-> g0 -c_get-> g1 -r_ok-> g2 -listen-> g3 -got_all-> g4 -have-> in; g1 -r_no-> g5 -failed-> in; \
            in -put-> p0 -c_put-> p1 -r_ok-> p2 -give-> p3 -given-> p4 -have-> in; p1 -r_no-> p5 -failed-> in; \
            in -quit-> q0 -c_quit-> q1 -r_bye-> idle",
        ),
        (
            "client_data",
            "idle -listen-> open -d_block-> open -d_end-> all -got_all-> idle; idle -give-> sends -u_block-> sends; \
            sends -u_end-> sent -given-> idle",
        ),
        (
            "to_server",
            "free -c_user-> user -s_user-> free; free -c_pass-> pass -s_pass-> free; free -c_get-> get -s_get-> free; \
            free -c_put-> put -s_put-> free; free -c_quit-> quit -s_quit-> free",
        ),
        (
            "to_client",
            "free -a_pass-> pass -r_pass-> free; free -a_ok-> ok -r_ok-> free; free -a_no-> no -r_no-> free; \
            free -a_bye-> bye -r_bye-> free",
        ),
        (
            "server",
            "idle -s_user-> u0 -a_pass-> u1 -s_pass-> u2 -a_ok-> in; u2 -a_no-> idle; \
            in -s_get-> g0 -find-> g1 -a_ok-> g2 -serve-> g3 -served-> in; g0 -none-> g4 -a_no-> in; \
            in -s_put-> p0 -room-> p1 -a_ok-> p2 -take-> p3 -taken-> p4 -store-> in; p0 -full-> p5 -a_no-> in; \
            in -s_quit-> q0 -a_bye-> idle",
        ),
        (
            "server_data",
            "idle -serve-> s0 -read-> s1 -block_out-> s0; s0 -eof-> s2 -end_out-> s3 -served-> idle; \
            idle -take-> t0 -block_in-> t1 -write-> t0; t0 -end_in-> t2 -taken-> idle",
        ),
        (
            "line",
            "free -block_out-> out -d_block-> free; free -end_out-> end -d_end-> free; \
            free -u_block-> in -block_in-> free; free -u_end-> last -end_in-> free",
        ),
        (
            "files",
            "some -find-> found -read-> found -eof-> some; some -none-> some; some -room-> space -write-> space -store-> some; \
            some -full-> some",
        ),
    ];
    parts.iter().for_each(|(name, text)| system.chart(*name, text));
    let mut instance = system.finish();
    instance.queries.push(Suggested::deadlock_free(true, "every order is answered, and every transfer ends"));
    instance
}

/// Border defence.
pub fn bds(_size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    for s in 0..4 {
        let relay = s / 2;
        system.chart(format!("sensor{s}"), &format!("quiet -sees{s}-> alert -tell{s}-> told -clear{relay}-> quiet"));
    }
    for r in 0..2 {
        let (a, b) = (2 * r, 2 * r + 1);
        let text = format!(
            "idle -tell{a}-> one -pass{r}-> sent -clear{r}-> idle; idle -tell{b}-> one; one -tell{a}-> one; one -tell{b}-> one"
        );
        system.chart(format!("relay{r}"), &text);
    }
    system.chart(
        "correlator",
        "none -pass0-> west -pass1-> both -track-> sent -drop-> none; none -pass1-> east -pass0-> both; west -track-> sent; \
         east -track-> sent",
    );
    system.chart("display", "blank -track-> shows -look-> seen -wipe-> blank");
    system.chart(
        "operator",
        "idle -look-> thinks -threat-> reports -alarm-> waits -stand_down-> idle; thinks -harmless-> idle",
    );
    let orders: Vec<String> = (0..3)
        .map(|l| format!("armed -fire{l}-> waits -hit{l}-> won -log-> done -stand_down-> idle; waits -miss{l}-> armed"))
        .collect();
    system.chart("commander", &format!("idle -alarm-> armed; {}", orders.join("; ")));
    for l in 0..3 {
        system.chart(
            format!("launcher{l}"),
            &format!("loaded -fire{l}-> flies -hit{l}-> empty -load{l}-> loaded; flies -miss{l}-> empty"),
        );
    }
    system.chart("log", "open -log-> full -write-> open");
    system.chart("clock", "runs -tick-> due -clear0-> half -clear1-> swept -wipe-> clean -drop-> runs");
    let mut instance = system.finish();
    instance
        .queries
        .push(Suggested::deadlock_free(false, "the clock sweeps what sensors told before anybody has looked"));
    instance
}

/// `size` keys.
pub fn key(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    for k in 0..size {
        let last = k + 1 == size;
        let again = if last { "gone" } else { "up" };
        system.chart(format!("key{k}"), &format!("up -press{k}-> down -scan{k}-> read -lift{k}-> {again}"));
    }
    let scans: Vec<String> = (0..size).map(|k| format!("idle -scan{k}-> code{k} -queue{k}-> idle")).collect();
    system.chart("handler", &scans.join("; "));
    // Two places; the older code goes first.
    system.process("buffer".into(), Vec::new(), |_, codes: &Vec<usize>| {
        let mut steps = Vec::new();
        if codes.len() < 2 {
            let with = |k: usize| codes.iter().copied().chain([k]).collect();
            steps.extend((0..size).map(|k| (Act::own(format!("queue{k}")), with(k))));
        }
        if let Some((k, rest)) = codes.split_first() {
            steps.push((Act::own(format!("fetch{k}")), rest.to_vec()));
        }
        steps
    });
    let reads: Vec<String> = (0..size)
        .map(|k| match k + 1 == size {
            true => format!("idle -fetch{k}-> last -close-> ended"),
            false => format!("idle -fetch{k}-> has{k} -echo{k}-> idle"),
        })
        .collect();
    system.chart("reader", &reads.join("; "));
    let echoes: Vec<String> = (0..size - 1).map(|k| format!("idle -echo{k}-> shows{k} -draw-> idle")).collect();
    system.chart("echo", &format!("idle; {}; idle -close-> closed", echoes.join("; ")));
    system.chart("screen", "still -draw-> drawn -refresh-> still; still -close-> off");
    let mut instance = system.finish();
    instance.queries.push(Suggested::deadlock_free(false, "the last key ends the program"));
    instance
}

/// Clients, queues, a server.
pub fn q(_size: usize, _seed: u64) -> Instance {
    const CLIENTS: usize = 4;
    let mut system = System::default();
    for i in 0..CLIENTS {
        let client = format!(
            "new -connect{i}-> in -ask{i}-> waits -reply{i}-> in -leave{i}-> gone; waits -down{i}-> gone; in -down{i}-> gone; \
             new -down{i}-> gone"
        );
        system.chart(format!("client{i}"), &client);
        system.chart(format!("inbox{i}"), &format!("empty -ask{i}-> full -take{i}-> empty; full -purge{i}-> empty"));
        system.chart(format!("outbox{i}"), &format!("empty -give{i}-> full -reply{i}-> empty; full -purge{i}-> empty"));
    }
    let each = |text: &dyn Fn(usize) -> String| (0..CLIENTS).map(text).collect::<Vec<_>>().join("; ");
    let doors = each(&|i| format!("open -connect{i}-> open; open -leave{i}-> open"));
    system.chart("door", &format!("{doors}; open -shut-> closed"));
    let work = each(&|i| format!("idle -take{i}-> got{i} -read-> has{i} -give{i}-> idle"));
    system.chart("server", &format!("{work}; idle -halt-> halted"));
    system.chart("store", "ready -read-> busy -seek-> ready; ready -dump-> dumped");
    system.chart("watch", "calm -alarm-> alarmed -shut-> shuts -halt-> stopped");
    let downs: Vec<String> =
        (0..CLIENTS).map(|i| format!("down{i} -down{i}-> down{}; down{i} -skip{i}-> down{}", i + 1, i + 1)).collect();
    system.chart("daemon", &format!("idle -shut-> down0; {}; down{CLIENTS} -dump-> done", downs.join("; ")));
    system.chart("log", "open -shut-> closing -dump-> closed; open -alarm-> open");
    let mut instance = system.finish();
    instance.queries.push(Suggested::deadlock_free(false, "the system is shut down"));
    instance
}
