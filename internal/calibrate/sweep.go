package calibrate

import (
	"context"
	"slices"
	"time"
)

// A sweep compares values of one setting: all of them in every round, so that what else the machine does meets all alike.
type sweep struct {
	values []int // ascending
	bytes  float64
	time   func(value int) time.Duration // of one run
}

// warmups are rounds whose times are not used.
const warmups = 2

// enough is the share of the best speed that is as good as the best: of two values that differ by less the smaller one asks
// less of the machine.
const enough = 0.95

// steady is the share of the best speed that what is chosen has at least in each half of the rounds, or these disagree by more
// than what is lost with a smaller value.
const steady = 0.9

// An outcome is what a sweep came to.
type outcome struct {
	values []int
	speeds []float64  // GB a second, by value
	chosen int        // index
	halves [2]float64 // speed of the chosen in the first and the second half of the rounds, as a share of the best there
}

func (o *outcome) best() float64 { return slices.Max(o.speeds) }

// run times every value once a round, for so many rounds.
//
// Errors: that of ctx.
func (s *sweep) run(ctx context.Context, rounds int) (*outcome, error) {
	times := make([][]time.Duration, len(s.values))
	for round := range warmups + rounds {
		for i := range s.values {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			// Each round begins with another value: the first one pays for what came before.
			i = (i + round) % len(s.values)
			if took := s.time(s.values[i]); round >= warmups {
				times[i] = append(times[i], took)
			}
		}
	}
	return s.judge(times), nil
}

// judge chooses by the times of all rounds, by value.
func (s *sweep) judge(times [][]time.Duration) *outcome {
	o := &outcome{values: s.values}
	for _, t := range times {
		o.speeds = append(o.speeds, s.bytes/1e9/median(t).Seconds())
	}
	o.chosen = choose(o.speeds)
	rounds := len(times[0])
	for half := range o.halves {
		var speeds []float64
		for _, t := range times {
			part := t[:(rounds+1)/2]
			if half == 1 {
				part = t[rounds/2:]
			}
			speeds = append(speeds, 1/median(part).Seconds())
		}
		o.halves[half] = speeds[o.chosen] / slices.Max(speeds)
	}
	return o
}

// choose returns the first speed that is as good as the best.
func choose(speeds []float64) int {
	least := enough * slices.Max(speeds)
	return slices.IndexFunc(speeds, func(v float64) bool { return v >= least })
}

// median returns the middle of times, at least a nanosecond.
func median(times []time.Duration) time.Duration {
	t := slices.Sorted(slices.Values(times))
	return max(1, (t[(len(t)-1)/2]+t[len(t)/2])/2)
}
