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

impl<'de, A: Deserialize<'de>, B: Deserialize<'de>> Deserialize<'de> for Either<A, B> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Ways(PhantomData))
    }
}

struct Ways<A, B>(PhantomData<(A, B)>);

impl<'de, A: Deserialize<'de>, B: Deserialize<'de>> Visitor<'de> for Ways<A, B> {
    type Value = Either<A, B>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or a table")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        A::deserialize(value.into_deserializer()).map(Either::Plain)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        A::deserialize(value.into_deserializer()).map(Either::Plain)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        A::deserialize(value.into_deserializer()).map(Either::Plain)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
        A::deserialize(value.into_deserializer()).map(Either::Plain)
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
