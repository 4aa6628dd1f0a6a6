const RealDate = globalThis.Date
let offsetMs = 0

/** Sets by how much the wall clock of this realm is wrong. Timers and `performance.now()` stay right. */
export function shiftClock(byMs) {
  offsetMs = byMs
}

globalThis.Date = class Date extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + offsetMs)
    else super(...given)
  }

  static now() {
    return RealDate.now() + offsetMs
  }
}
