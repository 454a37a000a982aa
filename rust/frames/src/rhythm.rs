//! The rhythm of coded packets: where a video may have changed, known before a frame is decoded.

use crate::Error;

/// A packet this many times the usual size around it may hold a change. Six times misses digits, three catches them
/// (measured on 160 one-digit changes of three videos).
const SPIKE: f64 = 3.0;
/// And at least so many bytes more: a still picture's packets are a few dozen bytes, which double for no reason.
const SPIKE_BYTES: f64 = 48.0;
/// The usual size is the median over so many packets on either side.
const AROUND: usize = 60;
/// Spikes this close, in seconds, are one burst.
const BURST_GAP: f64 = 0.35;
/// More keyframes than this share and the sizes say nothing: all-intra.
const KEYFRAMES: f64 = 0.2;
/// Still pictures code to packets far smaller than a keyframe; where the median is above this share of one, something
/// moves all the time or the encoder fills a constant rate.
const QUIET: f64 = 0.02;
/// Where bursts take up more than this share of the time, decoding throughout costs no more.
const BUSY: f64 = 0.3;
/// Fewer packets than this tell no rhythm.
const FEWEST: usize = 50;

/// What the packets of one video tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Rhythm {
    /// Whether candidates can be taken from it.
    pub readable: bool,
    /// Why, or why not.
    pub reason: String,
    /// Stretches in which the picture may change, first to last packet, in seconds.
    pub bursts: Vec<(f64, f64)>,
    /// Times of keyframes, in seconds.
    pub keyframes: Vec<f64>,
    /// The usual distance of keyframes that are forced and not cuts, in seconds; 0 if unknown.
    pub interval: f64,
}

/// Reads the rhythm of packets given in order of time.
///
/// A keyframe nearer to the one before than usual is a cut, and part of a burst; one at the usual distance
/// is a matter of form.
pub fn rhythm(times: &[f64], sizes: &[u64], keys: &[bool]) -> Result<Rhythm, Error> {
    if times.len() != sizes.len() || times.len() != keys.len() {
        return Err(Error::Packets {
            times: times.len(),
            sizes: sizes.len(),
            keys: keys.len(),
        });
    }
    let keyframes: Vec<f64> = times
        .iter()
        .zip(keys)
        .filter(|&(_, &key)| key)
        .map(|(&time, _)| time)
        .collect();
    let gaps: Vec<f64> = keyframes.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let interval = gaps.iter().copied().fold(0.0, f64::max);
    let unreadable = |reason: &str| Rhythm {
        readable: false,
        reason: reason.to_owned(),
        bursts: Vec::new(),
        keyframes: keyframes.clone(),
        interval,
    };
    if times.len() < FEWEST {
        return Ok(unreadable("the video has too few packets to show a rhythm"));
    }
    #[allow(clippy::cast_precision_loss)] // counts and sizes
    let share = keyframes.len() as f64 / times.len() as f64;
    if share > KEYFRAMES {
        return Ok(unreadable(
            "most frames are coded on their own, so that packet sizes say nothing about change",
        ));
    }
    #[allow(clippy::cast_precision_loss)]
    let bytes: Vec<f64> = sizes.iter().map(|&size| size as f64).collect();
    let between: Vec<usize> = (0..bytes.len()).filter(|&at| !keys[at]).collect();
    let median_between = median(between.iter().map(|&at| bytes[at]).collect());
    let median_key = median(
        bytes
            .iter()
            .zip(keys)
            .filter(|&(_, &key)| key)
            .map(|(&size, _)| size)
            .collect(),
    );
    if median_between > QUIET * median_key {
        return Ok(unreadable(
            "the packets never fall quiet: something moves all the time, or the encoder fills a constant rate",
        ));
    }
    let mut spikes = vec![false; bytes.len()];
    for (place, &at) in between.iter().enumerate() {
        let around = &between[place.saturating_sub(AROUND)..(place + AROUND + 1).min(between.len())];
        let usual = median(around.iter().map(|&other| bytes[other]).collect());
        spikes[at] = bytes[at] > SPIKE * usual && bytes[at] > usual + SPIKE_BYTES;
    }
    for (at, pair) in (0..keys.len())
        .filter(|&at| keys[at])
        .collect::<Vec<_>>()
        .windows(2)
        .map(|pair| (pair[1], pair))
    {
        spikes[at] = times[pair[1]] - times[pair[0]] < 0.95 * interval;
    }
    let mut bursts: Vec<(f64, f64)> = Vec::new();
    for (&time, _) in times.iter().zip(&spikes).filter(|&(_, &spike)| spike) {
        match bursts.last_mut() {
            Some(last) if time - last.1 <= BURST_GAP => last.1 = time,
            _ => bursts.push((time, time)),
        }
    }
    let duration = times[times.len() - 1] - times[0];
    let busy: f64 = bursts.iter().map(|burst| burst.1 - burst.0 + 2.0 * BURST_GAP).sum();
    if busy > BUSY * duration {
        return Ok(unreadable(
            "bursts of packets follow each other so closely that decoding throughout costs no more",
        ));
    }
    Ok(Rhythm {
        readable: true,
        reason: format!("the packets are quiet but for {} short bursts", bursts.len()),
        bursts,
        keyframes,
        interval,
    })
}

fn median(mut values: Vec<f64>) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Thirty frames a second, a keyframe every 250 frames, 40 bytes between; then what `edit` does.
    fn still(count: usize, edit: impl FnOnce(&mut Vec<u64>, &mut Vec<bool>)) -> Rhythm {
        let times: Vec<f64> = (0..count)
            .map(|at| f64::from(u32::try_from(at).unwrap()) / 30.0)
            .collect();
        let mut keys: Vec<bool> = (0..count).map(|at| at % 250 == 0).collect();
        let mut sizes: Vec<u64> = keys.iter().map(|&key| if key { 40_000 } else { 40 }).collect();
        edit(&mut sizes, &mut keys);
        rhythm(&times, &sizes, &keys).unwrap()
    }

    #[test]
    fn forced_keyframes_are_no_bursts_and_digits_are() {
        let found = still(1000, |sizes, _| {
            sizes[400] = 149;
        });
        assert!(found.readable, "{}", found.reason);
        assert_eq!(found.bursts, [(400.0 / 30.0, 400.0 / 30.0)]);
    }

    #[test]
    fn a_keyframe_nearer_than_usual_is_a_cut() {
        let found = still(1000, |sizes, keys| {
            keys[600] = true;
            sizes[600] = 50_000;
        });
        assert_eq!(found.bursts.len(), 2, "the cut, and the forced one that stands near it");
        assert!((found.bursts[0].0 - 20.0).abs() < 1e-9);
    }

    #[test]
    fn unreadable_rhythms_say_why() {
        for (found, why) in [
            (still(600, |_, keys| keys.fill(true)), "coded on their own"),
            (still(600, |sizes, _| sizes.fill(4000)), "never fall quiet"),
            (still(20, |_, _| ()), "too few"),
            (
                still(600, |sizes, _| {
                    for size in sizes.iter_mut().step_by(20) {
                        *size += 900;
                    }
                }),
                "closely",
            ),
        ] {
            assert!(!found.readable && found.reason.contains(why), "{}", found.reason);
        }
        assert!(rhythm(&[0.0], &[], &[]).is_err());
    }

    proptest! {
        #[test]
        fn bursts_are_in_order_and_apart(sizes in prop::collection::vec(0_u64..5000, 0..400)) {
            let times: Vec<f64> = (0..sizes.len()).map(|at| f64::from(u32::try_from(at).unwrap()) / 25.0).collect();
            let keys: Vec<bool> = (0..sizes.len()).map(|at| at % 100 == 0).collect();
            let found = rhythm(&times, &sizes, &keys).unwrap();
            for pair in found.bursts.windows(2) {
                prop_assert!(pair[0].0 <= pair[0].1 && pair[0].1 + BURST_GAP < pair[1].0);
            }
        }
    }
}
