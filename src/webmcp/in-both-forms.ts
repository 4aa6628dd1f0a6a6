/**
 * An input for `executeTool` of every generation: an object for those that take objects; where a text is wanted, it
 * turns into its JSON.
 */
export function inBothForms(input: unknown): object {
  const json = JSON.stringify(input ?? {})
  const copy = JSON.parse(json) as object
  return Object.defineProperty(copy, Symbol.toPrimitive, { value: () => json })
}
