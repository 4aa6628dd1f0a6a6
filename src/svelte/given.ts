/** A value, or a function that reads it from state: the newest one counts. */
export type Given<Value> = Value | (() => Value)

/** For values that are no functions. */
export function read<Value>(given: Given<Value>): Value {
  return typeof given === 'function' ? (given as () => Value)() : given
}
