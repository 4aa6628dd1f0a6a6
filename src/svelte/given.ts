/** A value, or a function that reads the current value from state. */
export type Given<Value> = Value | (() => Value)

/** Reads a value that isn't itself a function. */
export function read<Value>(given: Given<Value>): Value {
  return typeof given === 'function' ? (given as () => Value)() : given
}
