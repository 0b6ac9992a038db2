//! A value that is written short or as a table.

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::marker::PhantomData;

/// `Table` if the text has a table here, else `Plain`. Which one is decided before either is read,
/// so that a refusal is about the one that was meant.
#[derive(Clone, Debug)]
pub(super) enum Either<A, B> {
    Plain(A),
    Table(B),
}

/// The table's side of a choice, which knows how either side is written.
pub(super) trait Written {
    /// What is allowed, in words.
    const ALLOWED: &str;
}

/// A refusal of the wrong type tells both ways to write the value.
fn in_words<B: Written, E: Error>(error: E, value: impl fmt::Debug) -> E {
    if !error.to_string().starts_with("invalid type") {
        return error;
    }
    E::custom(format!("invalid value {value:?}; allowed: {}", B::ALLOWED))
}

impl<'de, A: Deserialize<'de>, B: Deserialize<'de> + Written> Deserialize<'de> for Either<A, B> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Ways(PhantomData))
    }
}

struct Ways<A, B>(PhantomData<(A, B)>);

impl<'de, A: Deserialize<'de>, B: Deserialize<'de> + Written> Visitor<'de> for Ways<A, B> {
    type Value = Either<A, B>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or a table")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        let plain = A::deserialize(value.into_deserializer());
        plain.map(Either::Plain).map_err(|error| in_words::<B, E>(error, value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        let plain = A::deserialize(value.into_deserializer());
        plain.map(Either::Plain).map_err(|error| in_words::<B, E>(error, value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        let plain = A::deserialize(value.into_deserializer());
        plain.map(Either::Plain).map_err(|error| in_words::<B, E>(error, value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
        let plain = A::deserialize(value.into_deserializer());
        plain.map(Either::Plain).map_err(|error| in_words::<B, E>(error, value))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, seq: S) -> Result<Self::Value, S::Error> {
        A::deserialize(SeqAccessDeserializer::new(seq)).map(Either::Plain)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let table = B::deserialize(MapAccessDeserializer::new(&mut map))?;
        // An enum reads the first key only.
        match map.next_key::<IgnoredAny>()? {
            None => Ok(Either::Table(table)),
            Some(_) => Err(Error::custom("wanted exactly 1 element, more than 1 element")),
        }
    }
}
