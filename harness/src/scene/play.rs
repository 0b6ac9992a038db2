//! A scene under way.

use super::events::{Event, Who};
use crate::fault::Outcome;
use flockstep::{Config, Counts, Error, Flock, Spawn};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A flock that follows its scene: events happen before the tick they are for. Whoever ticks a
/// scene does it through [`Play::tick`] and [`Play::tick_counted`].
#[derive(Clone, Debug)]
pub(crate) struct Play {
    flock: Flock,
    /// In the order in which they happen.
    events: Arc<[Due]>,
    /// Where the first event stands that is still to come.
    next: usize,
}

/// An event with its bodies.
#[derive(Debug)]
pub(super) struct Due {
    pub event: Event,
    pub add: Vec<Spawn>,
}

impl Play {
    /// A flock, and the events from its tick on.
    pub(super) fn new(flock: Flock, events: Arc<[Due]>) -> Self {
        let next = events.partition_point(|due| due.event.at < flock.tick_number());
        Self { flock, events, next }
    }

    /// One tick, and the events that come before it.
    pub(crate) fn tick(&mut self) -> Outcome {
        self.happen()?;
        self.flock.tick();
        Ok(())
    }

    /// The same, and what the tick did.
    pub(crate) fn tick_counted(&mut self) -> Outcome<Counts> {
        self.happen()?;
        Ok(self.flock.tick_counted())
    }

    /// Lets the events happen that come before the next tick. [`Play::tick`] does so itself; whoever
    /// looks at what that tick is going to do calls this first.
    pub(crate) fn happen(&mut self) -> Outcome {
        let events = Arc::clone(&self.events);
        for due in &events[self.next..] {
            if due.event.at > self.flock.tick_number() {
                break;
            }
            apply(&mut self.flock, due)?;
            self.next += 1;
        }
        Ok(())
    }
}

impl Deref for Play {
    type Target = Flock;

    fn deref(&self) -> &Flock {
        &self.flock
    }
}

impl DerefMut for Play {
    fn deref_mut(&mut self) -> &mut Flock {
        &mut self.flock
    }
}

/// What an event does, in this order.
fn apply(flock: &mut Flock, due: &Due) -> Outcome {
    let Event { set, remove, turn, .. } = &due.event;
    if let Some(config) = set {
        flock.set_config(Config::clone(config))?;
    }
    if let Some(who) = remove {
        let gone = ids(flock, who);
        flock.retain(|body| gone.binary_search(&body.id).is_err());
    }
    if let Some((who, kind)) = turn {
        for id in ids(flock, who) {
            match flock.set_kind(id, *kind) {
                // A snapshot that was made elsewhere may lack some bodies.
                Ok(()) | Err(Error::NoSuchBody(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    flock.add_all(&due.add)?;
    Ok(())
}

/// The ids of the bodies that an event is about, ascending.
fn ids(flock: &Flock, who: &Who) -> Vec<u32> {
    match who {
        Who::Ids(ids) => ids.clone(),
        Who::Oldest { kind, count } => {
            let of_kind = flock.iter().filter(|body| body.kind == *kind).map(|body| body.id);
            of_kind.take(usize::try_from(*count).unwrap_or(usize::MAX)).collect()
        }
    }
}
