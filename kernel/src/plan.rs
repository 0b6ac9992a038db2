//! What a configuration means for the loops, worked out once, and what of it changes from tick to
//! tick.

use crate::bodies::Bodies;
use crate::draws::{
    BEHAVIOUR_WEIGHTS, RULE_WEIGHTS, SPREAD, Stream, Weighing, clock, lerp,
    signed_square_of_cosine, sin_cos_half_turns,
};
use crate::fields::Grid;
use crate::neighbours::{
    ALIGNMENT, CAUGHT, COHESION, COUNTED, FLEE, GATHER, HUNT, ONE_REACH, SEPARATION, VIEW,
};
use crate::rules::{Config, Gait, Kind, Kinds, MAX_KINDS, Rule, Target, Urge, Weight};
use crate::scenery::Path;

/// What a configuration means for the loops.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// The largest radius of any rule.
    pub radius: f32,
    pub period: [f32; 2],
    pub kinds: Vec<KindPlan>,
    /// How neighbours are heard.
    pub hearing: Hearing,
    /// Whether any kind has behaviours.
    pub behaves: bool,
    /// Whether gaits differ otherwise than by kind and by bodies' own.
    pub gaits_vary: bool,
    /// Whether weights of rules change with time.
    weights_vary: bool,
    pub paths: Vec<PathPlan>,
}

/// How neighbours are heard.
#[derive(Clone, Debug)]
pub(crate) enum Hearing {
    /// All kinds have at most one separation, alignment and cohesion, which hear everybody all
    /// round: one loop makes all sums.
    Herd {
        /// Which rules any kind uses: bits of [`crate::neighbours`].
        rules: u8,
        /// Whether every kind uses all three rules with one radius.
        one_reach: bool,
    },
    /// A loop for each of these, in the order in which forces are added.
    Singles(Vec<Single>),
}

impl Default for Hearing {
    fn default() -> Self {
        Self::Herd { rules: 0, one_reach: false }
    }
}

/// One kind's numbers as the lanes need them, by rule of a herd.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KindPlan {
    /// Squared radius, or -1 for a rule that is not in use: no squared distance is below it.
    pub reach: [f32; 3],
    pub weight: [f32; 3],
    pub gait: Gait,
}

/// The rules of all kinds that are heard in one loop: of one urge, at most one of each kind.
#[derive(Clone, Debug)]
pub(crate) struct Single {
    pub urge: u8,
    /// By kind.
    pub kinds: Vec<SingleKind>,
}

/// What one kind's rule means to the loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SingleKind {
    /// Squared radius, or -1 if the kind has no such rule.
    pub reach: f32,
    /// Bits of the kinds it hears.
    pub hears: u32,
    /// Squared cosine of half the field of view with its sign; [`ALL_ROUND`] for 360 degrees.
    pub edge: f32,
    /// What to keep farther than, squared (gather); one over the squared radius (view); what to
    /// take off one over the distance (flee).
    pub extra: f32,
    pub weight: Weighing,
    /// Its stream of weights.
    pub stream: u64,
    changing: Weight,
}

/// Below any squared cosine.
pub(crate) const ALL_ROUND: f32 = -2.0;

impl SingleKind {
    const NONE: Self = Self {
        reach: -1.0,
        hears: 0,
        edge: ALL_ROUND,
        extra: 0.0,
        weight: Weighing::Same(0.0),
        stream: 0,
        changing: Weight::Steady(0.0),
    };

    fn new(rule: &Rule, place: usize) -> Self {
        let squared = rule.radius * rule.radius;
        Self {
            reach: squared,
            hears: rule.hears.0,
            edge: match rule.field_of_view {
                360.0 => ALL_ROUND,
                degrees => signed_square_of_cosine(degrees),
            },
            extra: match rule.urge {
                Urge::Gather { beyond } => beyond * beyond,
                Urge::View => 1.0 / squared,
                Urge::Flee { fading: true } => 1.0 / rule.radius,
                _ => 0.0,
            },
            weight: Weighing::new(rule.weight, 0),
            stream: RULE_WEIGHTS + place as u64,
            changing: rule.weight,
        }
    }
}

impl Plan {
    pub(crate) fn new(config: &Config) -> Self {
        let kinds = &config.kinds;
        Self {
            radius: config.radius(),
            period: config.world.period(),
            kinds: kinds.iter().map(|kind| KindPlan::new(kind, 0)).collect(),
            hearing: Hearing::new(config),
            behaves: kinds.iter().any(|kind| !kind.behaviours.is_empty()),
            gaits_vary: kinds.iter().any(|kind| kind.spread.is_some() || kind.ground.is_some()),
            weights_vary: kinds
                .iter()
                .flat_map(|kind| &kind.rules)
                .any(|rule| matches!(rule.weight, Weight::Sine { .. })),
            paths: config.scenery.paths.iter().map(PathPlan::new).collect(),
        }
    }

    /// Which compiled variant of the herd's loop serves these rules. Neither counting nor forces
    /// alone (not `moving`) are worth one for each set of rules: rules that are not in use hear
    /// nobody and have no weight.
    pub(crate) fn variant(rules: u8, one_reach: bool, counted: bool, moving: bool) -> u8 {
        let all = SEPARATION | ALIGNMENT | COHESION;
        match rules {
            0 => 0,
            _ if counted => all | COUNTED,
            rules if one_reach => rules | ONE_REACH,
            _ if !moving => all,
            rules => rules,
        }
    }

    /// Brings weights that all bodies share to this tick.
    fn weigh(&mut self, config: &Config, tick: u64) {
        if !self.weights_vary {
            return;
        }
        match &mut self.hearing {
            Hearing::Herd { .. } => {
                for (plan, kind) in self.kinds.iter_mut().zip(&config.kinds) {
                    *plan = KindPlan::new(kind, tick);
                }
            }
            Hearing::Singles(singles) => {
                for rule in singles.iter_mut().flat_map(|single| &mut single.kinds) {
                    rule.weight = Weighing::new(rule.changing, tick);
                }
            }
        }
    }
}

impl KindPlan {
    fn new(kind: &Kind, tick: u64) -> Self {
        let mut plan = Self { reach: [-1.0; 3], weight: [0.0; 3], gait: kind.gait };
        for rule in &kind.rules {
            let at = rule.urge.order();
            if let (Some(reach), Weighing::Same(weight)) =
                (plan.reach.get_mut(at), Weighing::new(rule.weight, tick))
            {
                *reach = rule.radius * rule.radius;
                plan.weight[at] = weight;
            }
        }
        plan
    }
}

impl Hearing {
    fn new(config: &Config) -> Self {
        if !config.kinds.iter().all(|kind| is_herd(kind, config.kinds.len())) {
            return Self::Singles(singles(config));
        }
        let bits = [SEPARATION, ALIGNMENT, COHESION];
        let rules = || config.kinds.iter().flat_map(|kind| &kind.rules);
        let alike = |kind: &Kind| {
            let radius = |rule: &Rule| rule.radius;
            kind.rules.len() == 3
                && kind.rules.iter().all(|it| radius(it) == radius(&kind.rules[0]))
        };
        Self::Herd {
            rules: rules().fold(0, |all, rule| all | bits[rule.urge.order()]),
            one_reach: config.kinds.iter().all(alike),
        }
    }
}

/// Whether a kind's rules are a herd's: see [`Hearing::Herd`].
fn is_herd(kind: &Kind, kinds: usize) -> bool {
    let everybody = |heard: Kinds| (0..kinds as u8).all(|kind| heard.contains(kind));
    let plain = |rule: &Rule| {
        rule.urge.order() < 3
            && everybody(rule.hears)
            && rule.field_of_view == 360.0
            && matches!(rule.weight, Weight::Steady(_) | Weight::Sine { .. })
    };
    let once = |order: usize| kind.rules.iter().filter(|it| it.urge.order() == order).count() < 2;
    kind.respawn.is_none() && kind.rules.iter().all(plain) && (0..3).all(once)
}

/// The rules of all kinds as loops, in the order in which forces are added.
fn singles(config: &Config) -> Vec<Single> {
    let mut singles: Vec<Single> = Vec::new();
    let nobody = || vec![SingleKind::NONE; config.kinds.len()];
    for urge in 0..Urge::NAMES.len() {
        let first = singles.len();
        for (index, kind) in config.kinds.iter().enumerate() {
            let of_urge = kind.rules.iter().enumerate().filter(|(_, it)| it.urge.order() == urge);
            for (nth, (place, rule)) in of_urge.enumerate() {
                if singles.len() == first + nth {
                    singles.push(Single { urge: urge as u8, kinds: nobody() });
                }
                singles[first + nth].kinds[index] = SingleKind::new(rule, place);
            }
        }
    }
    if config.kinds.iter().any(|kind| kind.respawn.is_some()) {
        let caught = |kind: &Kind| match kind.respawn {
            Some(respawn) => {
                let reach = respawn.within * respawn.within;
                SingleKind { reach, hears: respawn.by.0, ..SingleKind::NONE }
            }
            None => SingleKind::NONE,
        };
        let kinds = config.kinds.iter().map(caught).collect();
        singles.push(Single { urge: CAUGHT, kinds });
    }
    singles
}

const _: () = assert!(GATHER == 3 && VIEW == 4 && FLEE == 5 && HUNT == 6, "the urges' order");

/// A path with what its segments' lengths are.
#[derive(Clone, Debug)]
pub(crate) struct PathPlan {
    pub segments: Vec<Segment>,
    /// The last segment that has a length: after it, an open path is at its end.
    pub last: usize,
    pub radius_squared: f32,
    pub closed: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub start: [f32; 2],
    pub along: [f32; 2],
    pub end: [f32; 2],
    pub squared: f32,
    pub length: f32,
}

impl PathPlan {
    fn new(path: &Path) -> Self {
        let segment = |[start, end]: [[f32; 2]; 2]| {
            let along = [end[0] - start[0], end[1] - start[1]];
            let squared = along[0] * along[0] + along[1] * along[1];
            Segment { start, along, end, squared, length: squared.sqrt() }
        };
        let segments: Vec<Segment> = path.segments().map(segment).collect();
        let last = segments.iter().rposition(|segment| segment.squared > 0.0);
        Self {
            last: last.unwrap_or(segments.len() - 1),
            segments,
            radius_squared: path.radius * path.radius,
            closed: path.closed,
        }
    }
}

/// Where a behaviour's target is at one tick.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Aim {
    /// The behaviour has none, or it is gone.
    Nobody,
    /// A place, and how it moves.
    Place { position: [f32; 2], velocity: [f32; 2] },
    /// The same of the body at this place in canonical order.
    Body { place: usize, position: [f32; 2], velocity: [f32; 2] },
    /// The nearest of these members.
    Nearest { members: usize },
}

/// What changes from tick to tick besides the bodies. Its buffers are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moment {
    pub tick: u64,
    /// A bit for each body's kind, in canonical order; empty where nobody asks.
    pub kind_bits: Vec<u32>,
    /// By kind, then behaviour.
    pub aims: Vec<Vec<Aim>>,
    /// The bodies of some kinds, by place in canonical order; those of this tick are the first.
    pub members: Vec<(Kinds, Vec<u32>)>,
    listed: usize,
    pub flows: Vec<Grid<[f32; 2]>>,
    pub grounds: Vec<Grid<f32>>,
}

impl Moment {
    /// Fields that stand still are filled here, once.
    pub(crate) fn new(config: &Config) -> Self {
        let mut moment = Self::default();
        moment.flows.resize_with(config.scenery.flows.len(), Grid::default);
        moment.grounds.resize_with(config.scenery.grounds.len(), Grid::default);
        moment.aims =
            config.kinds.iter().map(|kind| vec![Aim::Nobody; kind.behaviours.len()]).collect();
        moment.fill_fields(config, 0, true);
        moment
    }

    /// Brings all of it to this tick, once `sorted` is in canonical order.
    pub(crate) fn prepare(&mut self, config: &Config, plan: &mut Plan, sorted: &Bodies, tick: u64) {
        self.tick = tick;
        plan.weigh(config, tick);
        self.fill_fields(config, tick, false);
        if matches!(plan.hearing, Hearing::Singles(_)) || plan.behaves {
            self.tell_kinds(sorted);
        }
        self.listed = 0;
        for (index, kind) in config.kinds.iter().enumerate() {
            for (at, behaviour) in kind.behaviours.iter().enumerate() {
                self.aims[index][at] = match behaviour.drive.target() {
                    Some(target) => self.aim(target, config, sorted, tick),
                    None => Aim::Nobody,
                };
            }
        }
    }

    fn tell_kinds(&mut self, sorted: &Bodies) {
        if sorted.kind.is_empty() {
            // All entries are those of the only kind, also from the tick before.
            self.kind_bits.resize(sorted.len(), 1);
        } else {
            self.kind_bits.clear();
            self.kind_bits.extend(sorted.kind.iter().map(|&kind| 1_u32 << kind));
        }
    }

    fn fill_fields(&mut self, config: &Config, tick: u64, all: bool) {
        for (grid, flow) in self.flows.iter_mut().zip(&config.scenery.flows) {
            if all || flow.values.changes() {
                grid.refill(flow, config, tick);
            }
        }
        for (grid, ground) in self.grounds.iter_mut().zip(&config.scenery.grounds) {
            if all || ground.values.changes() {
                grid.refill(ground, config, tick);
            }
        }
    }

    fn aim(&mut self, target: Target, config: &Config, sorted: &Bodies, tick: u64) -> Aim {
        match target {
            Target::Point(position) => Aim::Place { position, velocity: [0.0, 0.0] },
            Target::Orbit { centre, radius, period } => {
                let at = |tick: u64| {
                    let [sin, cos] = sin_cos_half_turns(clock(tick, period));
                    [centre[0] + radius * cos, centre[1] + radius * sin]
                };
                let (position, next) = (at(tick), at(tick.wrapping_add(1)));
                let velocity = [0, 1].map(|axis| (next[axis] - position[axis]) / config.dt);
                Aim::Place { position, velocity }
            }
            Target::Body(id) => match sorted.id.iter().position(|&other| other == id) {
                Some(place) => {
                    let position = [sorted.x[place], sorted.y[place]];
                    let velocity = [sorted.vx[place], sorted.vy[place]];
                    Aim::Body { place, position, velocity }
                }
                None => Aim::Nobody,
            },
            Target::Nearest(kinds) => Aim::Nearest { members: self.members_of(kinds, sorted) },
        }
    }

    /// Where the list of these kinds' bodies stands in `members`.
    fn members_of(&mut self, kinds: Kinds, sorted: &Bodies) -> usize {
        if let Some(known) = self.members[..self.listed].iter().position(|(of, _)| *of == kinds) {
            return known;
        }
        if self.listed == self.members.len() {
            self.members.push((kinds, Vec::new()));
        }
        let (of, places) = &mut self.members[self.listed];
        *of = kinds;
        places.clear();
        let is_member = |&place: &u32| kinds.contains(sorted.kind_at(place as usize));
        places.extend((0..sorted.len() as u32).filter(is_member));
        self.listed += 1;
        self.listed - 1
    }

    /// The weights of one behaviour for the bodies with these ids.
    pub(crate) fn weights(
        &self,
        weight: Weight,
        behaviour: usize,
        seed: u64,
        ids: &[u32],
        out: &mut [f32],
    ) {
        let stream = BEHAVIOUR_WEIGHTS + behaviour as u64;
        each_weight(Weighing::new(weight, self.tick), stream, seed, self.tick, ids, out);
    }
}

/// The weights of the bodies with these ids.
pub(crate) fn each_weight(
    weight: Weighing,
    stream: u64,
    seed: u64,
    tick: u64,
    ids: &[u32],
    out: &mut [f32],
) {
    for (out, &id) in out.iter_mut().zip(ids) {
        *out = weight.of(|| Stream::new(seed, stream, id), tick);
    }
}

/// What limits a body of this kind at this tick: its own gait or its kind's with its spread, unless
/// the ground says otherwise.
pub(crate) fn gait(
    kind: &Kind,
    own: Option<Gait>,
    (seed, id): (u64, u32),
    position: [f32; 2],
    moment: &Moment,
) -> Gait {
    match &kind.ground {
        Some(ground) => {
            let v = moment.grounds[usize::from(ground.field)].at(position);
            let [slow, fast] = ground.max_speed;
            let [weak, strong] = ground.max_force;
            Gait::new(lerp(slow, fast, v), lerp(weak, strong, v))
        }
        None => own.unwrap_or_else(|| spread_gait(kind, seed, id)),
    }
}

/// A kind's gait as this body has it.
pub(crate) fn spread_gait(kind: &Kind, seed: u64, id: u32) -> Gait {
    let Gait { max_speed, max_force } = kind.gait;
    let Some(spread) = kind.spread else { return kind.gait };
    let stream = Stream::new(seed, SPREAD, id);
    Gait::new(
        max_speed * (1.0 + spread.max_speed * stream.draw(0)),
        max_force * (1.0 + spread.max_force * stream.draw(1)),
    )
}

/// How much further or less far this body of the kind looks ahead.
pub(crate) fn look_ahead_factor(kind: &Kind, seed: u64, id: u32) -> f32 {
    match kind.spread {
        Some(spread) => 1.0 + spread.look_ahead * Stream::new(seed, SPREAD, id).draw(2),
        None => 1.0,
    }
}

const _: () = assert!(MAX_KINDS <= 32, "a bit for each kind");
