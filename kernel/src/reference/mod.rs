//! The scalar reference: docs/contract.md in code, readable from top to bottom.
//!
//! Plain, sequential, a double loop over every pair. It shares no arithmetic with the fast path,
//! which must equal it bit for bit; tests, `flockstep sweep` and [`explain`] lean on that. This
//! file is the tick as a whole; the others are the contract's sections.

mod behaviours;
mod draws;
mod gait;
mod neighbours;
mod order;
mod scenery;
mod steering;
mod step;

use crate::bodies::Body;
use crate::flock::Counts;
use crate::rules::{Config, Gait, Kind};
use behaviours::drive;
use draws::{FIRST_BEHAVIOUR, FIRST_RULE};
use neighbours::{Listener, offset};
use order::canonical_order;
use steering::{cut, dot, plus, times};
use step::{Next, step};

type Vector = [f32; 2];

/// One tick of every body: `tick` is the number of ticks before this one. `host` holds a force of
/// the host for each body, or is empty.
///
/// # Panics
/// If `host` is neither empty nor as long as `bodies`, or a kind is not in `config`.
pub fn tick(config: &Config, tick: u64, bodies: &mut [Body], host: &[Vector]) -> Counts {
    assert!(host.is_empty() || host.len() == bodies.len(), "a force for each body, or none");
    let before = bodies.to_vec();
    let state = State::new(config, tick, &before);
    let mut counts = Counts { tasks: 1, ..Counts::default() };
    for (i, body) in bodies.iter_mut().enumerate() {
        let me = state.in_gait(body);
        let force = force_on(&state, &me, host.get(i).copied(), &mut counts);
        let Next { position, velocity, .. } = step(&state, &me, force);
        (body.position, body.velocity) = (position, velocity);
    }
    counts
}

/// The forces of that tick, without the step.
///
/// # Panics
/// As [`tick`].
pub fn forces(config: &Config, tick: u64, bodies: &[Body], host: &[Vector]) -> Vec<Vector> {
    assert!(host.is_empty() || host.len() == bodies.len(), "a force for each body, or none");
    let state = State::new(config, tick, bodies);
    let force = |(i, body)| {
        let host = host.get(i).copied();
        force_on(&state, &state.in_gait(body), host, &mut Counts::default())
    };
    bodies.iter().enumerate().map(force).collect()
}

/// Everything that moves one body at one tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The body before the tick.
    pub body: Body,
    /// Its gait at this tick: the body's, unless the ground sets it.
    pub gait: Gait,
    /// Whom it has within [`Config::radius`], in canonical order.
    pub neighbours: Vec<Vote>,
    /// One entry a rule in use and a behaviour, in the order their forces are added.
    pub terms: Vec<Term>,
    /// The host's force, added last.
    pub host: Option<Vector>,
    /// The weighted forces added up.
    pub sum: Vector,
    /// The sum cut to the gait's `max_force`.
    pub cut: Vector,
    /// Whether it is caught: then it does not move, but is put where a respawn is drawn.
    pub respawned: bool,
    /// Its position one tick later.
    pub next_position: Vector,
    /// Its velocity one tick later.
    pub next_velocity: Vector,
}

/// What one neighbour says.
#[derive(Clone, Debug, PartialEq)]
pub struct Vote {
    /// The neighbour.
    pub body: Body,
    /// From the neighbour to the asking body, the short way round on a torus.
    pub offset: Vector,
    /// The offset's squared length.
    pub distance_squared: f32,
    /// One entry a rule that hears it and counts it, as the kind lists its rules.
    pub heard: Vec<Heard>,
}

/// What one neighbour says by one rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heard {
    /// The rule's index in [`Kind::rules`].
    pub rule: usize,
    /// What it adds to the rule's sum; for [`Urge::View`](crate::Urge::View) its step aside, and for
    /// [`Urge::Hunt`](crate::Urge::Hunt) the way to it, slowest or not.
    pub says: Vector,
}

/// One rule's or behaviour's part in the force. Without a force, vectors are zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// [`Urge::name`](crate::Urge::name) or [`Drive::name`](crate::Drive::name).
    pub name: &'static str,
    /// The rule's index in [`Kind::rules`]; `None` for a behaviour.
    pub rule: Option<usize>,
    /// How many neighbours it heard.
    pub heard: u32,
    /// Where it wants to go: the sum over neighbours, or the behaviour's own direction.
    pub direction: Vector,
    /// The velocity it wants: mostly that direction at full speed.
    pub desired: Vector,
    /// Desired velocity minus velocity.
    pub steering: Vector,
    /// The steering cut to the gait's `max_force`.
    pub force: Vector,
    /// What the force is multiplied with before it is added, at this tick.
    pub weight: f32,
}

/// Tells why the body `id` moves as it does at this tick, under `host`'s force if there is one;
/// `None` if there is no such body.
///
/// # Panics
/// If a kind is not in `config`.
pub fn explain(
    config: &Config,
    tick: u64,
    bodies: &[Body],
    id: u32,
    host: Option<Vector>,
) -> Option<Explanation> {
    let body = *bodies.iter().find(|body| body.id == id)?;
    let state = State::new(config, tick, bodies);
    let me = state.in_gait(&body);
    let mut told = Told::default();
    let cut = force_on(&state, &me, host, &mut told);
    let Told { neighbours, terms, sum, .. } = told;
    let Next { position, velocity, respawned } = step(&state, &me, cut);
    Some(Explanation {
        body,
        gait: me.gait,
        neighbours,
        terms,
        host,
        sum,
        cut,
        respawned,
        next_position: position,
        next_velocity: velocity,
    })
}

/// Someone who looks on while a force is computed.
trait Watch {
    fn tested(&mut self) {}
    /// What the next neighbour says by one rule.
    fn heard(&mut self, _heard: Heard) {}
    fn neighbour(&mut self, _body: &Body, _offset: Vector, _distance_squared: f32) {}
    fn term(&mut self, _term: Term) {}
    fn sum(&mut self, _sum: Vector) {}
}

impl Watch for Counts {
    fn tested(&mut self) {
        self.distance_tests += 1;
    }

    fn neighbour(&mut self, _body: &Body, _offset: Vector, _distance_squared: f32) {
        self.neighbours += 1;
    }
}

#[derive(Default)]
struct Told {
    heard: Vec<Heard>,
    neighbours: Vec<Vote>,
    terms: Vec<Term>,
    sum: Vector,
}

impl Watch for Told {
    fn heard(&mut self, heard: Heard) {
        self.heard.push(heard);
    }

    fn neighbour(&mut self, body: &Body, offset: Vector, distance_squared: f32) {
        let heard = std::mem::take(&mut self.heard);
        self.neighbours.push(Vote { body: *body, offset, distance_squared, heard });
    }

    fn term(&mut self, term: Term) {
        self.terms.push(term);
    }

    fn sum(&mut self, sum: Vector) {
        self.sum = sum;
    }
}

// ---- The state before a tick

/// All that a tick is computed from.
struct State<'a> {
    config: &'a Config,
    tick: u64,
    bodies: &'a [Body],
    /// Indices into `bodies` in canonical order.
    order: Vec<usize>,
}

impl<'a> State<'a> {
    fn new(config: &'a Config, tick: u64, bodies: &'a [Body]) -> Self {
        Self { config, tick, bodies, order: canonical_order(config, bodies) }
    }

    fn kind(&self, body: &Body) -> &'a Kind {
        &self.config.kinds[usize::from(body.kind)]
    }

    /// The body in the gait it has at this tick.
    fn in_gait(&self, body: &Body) -> Body {
        Body { gait: self.gait(body), ..*body }
    }

    /// Every body but this one, in canonical order.
    fn others(&self, me: &Body) -> impl Iterator<Item = &'a Body> {
        let (bodies, id) = (self.bodies, me.id);
        self.order.iter().map(|&i| &bodies[i]).filter(move |other| other.id != id)
    }
}

// ---- Force

/// The force on a body in this tick's gait: the rules' weighted steering by urge, the behaviours' as
/// listed, the host's, then the cut.
fn force_on(state: &State<'_>, me: &Body, host: Option<Vector>, watch: &mut impl Watch) -> Vector {
    let mut force = [0.0, 0.0];
    for term in terms(state, me, watch) {
        force = plus(force, times(term.force, term.weight));
        watch.term(term);
    }
    if let Some(host) = host {
        force = plus(force, host);
    }
    watch.sum(force);
    cut(force, me.gait.max_force)
}

/// Everything that is added up, in order.
fn terms(state: &State<'_>, me: &Body, watch: &mut impl Watch) -> Vec<Term> {
    let kind = state.kind(me);
    let listeners = listen(state, me, watch);
    let rules = kind.rules_in_order().into_iter().map(|at| {
        let (rule, listener) = (&kind.rules[at], &listeners[at]);
        let weight = state.weight(rule.weight, FIRST_RULE + at as u64, me.id);
        listener.steered(me).term(rule.urge.name(), Some(at), listener.heard, weight)
    });
    let behaviours = kind.behaviours.iter().enumerate().map(|(at, behaviour)| {
        let weight = state.weight(behaviour.weight, FIRST_BEHAVIOUR + at as u64, me.id);
        let steered = drive(state, me, &behaviour.drive).unwrap_or_default();
        steered.term(behaviour.drive.name(), None, 0, weight)
    });
    rules.chain(behaviours).collect()
}

/// Lets every rule of the body's kind listen to every other body.
fn listen<'a>(state: &State<'a>, me: &Body, watch: &mut impl Watch) -> Vec<Listener<'a>> {
    let radius = state.config.radius();
    let mut listeners: Vec<_> = state.kind(me).rules.iter().map(Listener::new).collect();
    for other in state.others(me) {
        watch.tested();
        let d = offset(&state.config.world, me.position, other.position);
        let q = dot(d, d);
        for (rule, listener) in listeners.iter_mut().enumerate() {
            if let Some(says) = listener.listen(me, other, d, q) {
                watch.heard(Heard { rule, says });
            }
        }
        if radius > 0.0 && q <= radius * radius {
            watch.neighbour(other, d, q);
        }
    }
    listeners
}
