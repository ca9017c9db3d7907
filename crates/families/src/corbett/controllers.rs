//! Embedded control: `elevator`, `furnace`, `over`, `sentest`, `speed`, `hartstone`.
//!
//! Of these only what they control is known, apart from `hartstone`, whose figures leave little room; so these are systems of the
//! same kind and with as many processes, and other states.
//!
//! * `elevator`: n cars between two floors, a controller that sends a free car where a button was pressed, and the two buttons.
//! * `furnace`: an operator far away sets n furnaces through a host, two lines and a station; each furnace has a thermostat.
//! * `over`: n cars in a row on an automated highway, each with a radio; a car overtakes the one in front once that has agreed, and
//!   one at a time is in the left lane.
//! * `sentest`: n sensors are tested one after the other, each answers or is found out by a timer; then a report is printed.
//! * `speed`: a driver, pedals, a dashboard and a regulator that keeps the speed.
//! * `hartstone`: a main program starts n periodic tasks and then stops them in the same order; a task that is not started in time
//!   goes away, and main waits for it in vain.

use crate::family::{Instance, Suggested};
use crate::system::{Act, System};

/// `size` cars between two floors.
pub fn elevator(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    for c in 0..size {
        let way = |f: usize| format!("at{} -go{c}_{f}-> moves{f} -open{c}_{f}-> open{f} -close{c}_{f}-> at{f}", 1 - f);
        let same = |f: usize| format!("at{f} -go{c}_{f}-> moves{f}");
        system.chart(format!("car{c}"), &format!("at0; {}; {}; {}; {}", way(1), way(0), same(0), same(1)));
    }
    for f in 0..2 {
        let lit: Vec<String> = (0..size).map(|c| format!("lit -open{c}_{f}-> off; off -open{c}_{f}-> off")).collect();
        system.chart(format!("button{f}"), &format!("off -press{f}-> lit -press{f}-> lit; {}", lit.join("; ")));
    }
    // For each floor whether a car is to be sent, for each car whether it is under way.
    system.process("controller".into(), ([false; 2], 0u32), |_, &(calls, busy)| {
        let mut steps = Vec::new();
        for f in 0..2 {
            let with = |b: bool| {
                let mut all = calls;
                all[f] = b;
                all
            };
            steps.push((Act::own(format!("press{f}")), (with(true), busy)));
            for c in 0..size {
                let label = |what: &str| Act::own(format!("{what}{c}_{f}"));
                match busy >> c & 1 {
                    0 if calls[f] => steps.push((label("go"), (with(false), busy | 1 << c))),
                    0 => {}
                    _ => steps.push((label("close"), (calls, busy & !(1 << c)))),
                }
            }
        }
        steps
    });
    let mut instance = system.finish();
    instance.queries.push(Suggested::deadlock_free(true, "a button can always be pressed"));
    instance
}

/// `size` furnaces.
pub fn furnace(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    let each = |text: &dyn Fn(usize) -> String| (0..size).map(text).collect::<Vec<_>>().join("; ");
    for i in 0..size {
        system.chart(
            format!("furnace{i}"),
            &format!("cold -heat{i}-> heats -warm{i}-> hot -cool{i}-> cools -cold{i}-> cold"),
        );
        system.chart(
            format!("thermostat{i}"),
            &format!(
                "low -set{i}-> high -heat{i}-> waits -warm{i}-> keeps -set{i}-> drop -cool{i}-> ends -cold{i}-> low"
            ),
        );
    }
    system.chart("operator", &each(&|i| format!("idle -order{i}-> waits -shown-> idle")));
    system.chart("host", &each(&|i| format!("idle -order{i}-> got{i} -send{i}-> asks -answer-> told -shown-> idle")));
    system.chart("line_out", &each(&|i| format!("free -send{i}-> full{i} -come{i}-> free")));
    system.chart("station", &each(&|i| format!("idle -come{i}-> sets{i} -set{i}-> done -reply-> idle")));
    system.chart("line_back", "free -reply-> full -answer-> free");
    system.chart("lamp", "dark -reply-> lit -shown-> dark");
    let mut instance = system.finish();
    let why = "a thermostat takes an order only between two changes, and furnaces end these by themselves";
    instance.queries.push(Suggested::deadlock_free(true, why));
    instance
}

/// `size` cars in a row.
pub fn over(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    for i in 0..size {
        // The one in front is asked; the first has nobody in front.
        let overtakes = match i {
            0 => String::new(),
            _ => format!("; drives -want{i}-> asks -yes{i}-> may -out{i}-> left -in{i}-> drives; asks -no{i}-> drives"),
        };
        let agrees = match i + 1 == size {
            true => String::new(),
            false => format!("; drives -agree{i}-> steady -passed{i}-> drives; drives -refuse{i}-> drives"),
        };
        system.chart(format!("car{i}"), &format!("drives -cruise{i}-> drives{overtakes}{agrees}"));
        let back = i + 1;
        let relays = match back == size {
            true => String::new(),
            false => format!(
                "; idle -want{back}-> rings -agree{i}-> good -yes{back}-> during -in{back}-> over -passed{i}-> idle; \
                 rings -refuse{i}-> bad -no{back}-> idle"
            ),
        };
        system.chart(format!("radio{i}"), &format!("idle -test{i}-> idle{relays}"));
    }
    let lane: Vec<String> = (1..size).map(|i| format!("free -out{i}-> taken{i} -in{i}-> free")).collect();
    system.chart("left_lane", &lane.join("; "));
    let mut instance = system.finish();
    instance.queries.push(Suggested::deadlock_free(true, "cars drive on"));
    instance
}

/// `size` sensors.
pub fn sentest(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    for i in 0..size {
        system.chart(format!("sensor{i}"), &format!("idle -test{i}-> done"));
    }
    let mut main = "start -boot-> ready0".to_owned();
    for i in 0..size {
        main += &format!("; ready{i} -test{i}-> ready{}", i + 1);
    }
    main += &format!(
        "; ready{size} -arm-> armed -good-> well -stop-> ok -print-> prints; armed -late-> bad -log-> prints; \
         prints -end-> over"
    );
    system.chart("main", &main);
    system
        .chart("probe", "idle -arm-> asked -sense-> senses -good-> idle; senses -drift-> lost; idle -calibrate-> idle");
    system.chart("timer", "off -arm-> runs -tick-> nearly -late-> off; runs -stop-> off; nearly -stop-> off");
    system.chart("logger", "empty -log-> full -flush-> written; full -crash-> broken");
    system.chart("printer", "idle -print-> busy -jam-> jammed; busy -paper-> out -end-> idle; idle -end-> idle");
    let mut instance = system.finish();
    instance.queries.push(Suggested::deadlock_free(false, "the test ends"));
    instance
}

/// A car that keeps its speed.
pub fn speed(_size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    let parts = [
        (
            "driver",
            "drives -turn_on-> cruises -brake-> slows -release-> drives; cruises -turn_off-> drives; drives -push-> drives",
        ),
        (
            "lever",
            "off -turn_on-> on -set-> held -turn_off-> off; held -cancel-> off; on -turn_off-> off; on -cancel-> off",
        ),
        ("brake", "up -brake-> down -cancel-> seen -release-> up; down -no_cruise-> seen"),
        ("gas", "up -push-> down -more-> up"),
        (
            "regulator",
            "idle -set-> reads -slow-> low -more-> waits; reads -fast-> high -less-> waits; reads -right-> waits; \
            waits -again-> reads; waits -cancel-> idle; waits -turn_off-> idle; idle -no_cruise-> idle",
        ),
        ("throttle", "shut -more-> half -more-> open -less-> half -less-> shut; open -more-> open; shut -less-> shut"),
        ("engine", "slow -speed_up-> right -speed_up-> fast -speed_down-> right -speed_down-> slow"),
        (
            "gauge",
            "low -slow-> low; low -speed_up-> mid -right-> mid; mid -speed_up-> top -fast-> top; \
            top -speed_down-> mid -speed_down-> low",
        ),
        ("clock", "waits -tick-> due -again-> waits"),
        ("lamp", "dark -set-> lit -cancel-> dark; lit -turn_off-> dark; dark -cancel-> dark; dark -turn_off-> dark"),
    ];
    parts.iter().for_each(|(name, text)| system.chart(*name, text));
    let mut instance = system.finish();
    instance.queries.push(Suggested::deadlock_free(true, "the regulator goes round, and the driver may always brake"));
    instance
}

/// `size` periodic tasks.
pub fn hartstone(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    let mut main = "start -begin-> starts0".to_owned();
    for i in 0..size {
        let after = if i + 1 == size { "stops0".to_owned() } else { format!("starts{}", i + 1) };
        main += &format!("; starts{i} -start{i}-> {after}");
        let after = if i + 1 == size { "ends".to_owned() } else { format!("stops{}", i + 1) };
        main += &format!("; stops{i} -stop{i}-> {after}");
    }
    main += "; ends -end-> start";
    system.chart("main", &main);
    for i in 0..size {
        system.chart(format!("task{i}"), &format!("new -start{i}-> runs -stop{i}-> gone; new -late{i}-> gone"));
    }
    let mut instance = system.finish();
    instance.queries.push(Suggested::deadlock_free(false, "main waits for a task that went away"));
    instance
}
