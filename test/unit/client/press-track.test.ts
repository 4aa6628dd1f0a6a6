import { describe, expect, test } from 'vitest'
import {
  NO_TRACK,
  type ObservedInput,
  trackPress,
} from '../../../src/client/execution/user-gestures.ts'

/** Which of the events are presses of a person. */
function pressesOf(...events: readonly Partial<ObservedInput>[]): boolean[] {
  let track = NO_TRACK
  return events.map((event, index) => {
    const seen = trackPress(track, { type: 'click', isTrusted: true, at: index * 10, ...event })
    track = seen.track
    return seen.isPressed
  })
}

const mouse = { hasPointer: true } as const
const silent = { hasPointer: false } as const
const down = { type: 'keydown', key: 'Enter', isPress: true } as const
const up = { type: 'keyup', key: 'Enter' } as const

describe('a user gesture', () => {
  test.each<[string, readonly Partial<ObservedInput>[], boolean[]]>([
    ['a click of a pointer', [mouse], [true]],
    ['a click of assistive technology', [{ ...silent, isActive: true }], [true]],
    ['the same where the browser tells nothing', [silent], [true]],
    ['a trusted click that no activation goes with', [{ ...silent, isActive: false }], [false]],
    ['a dispatched click', [{ ...mouse, isTrusted: false }], [false]],
    ['a click on a label, and on its control', [mouse, { ...mouse, at: 0 }], [true, false]],
    ["a script's click on a label", [{ isTrusted: false }, silent], [false, false]],
    ['two clicks', [mouse, { ...mouse, at: 2000 }], [true, true]],
    ['an Enter, and the click of it', [down, silent, up], [true, false, false]],
    [
      'a space, whose click comes last',
      [{ ...down, key: ' ' }, { ...up, key: ' ' }, silent],
      [true, false, false],
    ],
    [
      'a key that is held, and its clicks',
      [down, silent, { ...down, isRepeat: true, at: 2500 }, { ...silent, at: 2510 }],
      [true, false, false, false],
    ],
    ['a key that was held before', [{ ...down, isRepeat: true }, silent], [false, false]],
    ['a dispatched key', [{ ...down, isTrusted: false }], [false]],
    ['another key', [{ ...down, key: 'a' }], [false]],
    ['an Enter that ends a composition', [{ ...down, isPress: false }], [false]],
    [
      'a click long after a key whose end was not seen',
      [down, { ...silent, at: 9000 }],
      [true, true],
    ],
  ])('%s', (_name, events, expected) => {
    expect(pressesOf(...events)).toEqual(expected)
  })
})
