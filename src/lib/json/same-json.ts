/** Whether two JSON values are equal, regardless of the order of keys. An undefined field counts as missing. */
export function sameJson(first: unknown, second: unknown): boolean {
  if (typeof first !== 'object' || typeof second !== 'object' || first === null || second === null)
    return Object.is(first, second) || first === second
  if (Array.isArray(first) || Array.isArray(second))
    return (
      Array.isArray(first) &&
      Array.isArray(second) &&
      first.length === second.length &&
      first.every((value, index) => sameJson(value, second[index]))
    )
  const fields = definedFields(first)
  const secondFields = new Map(definedFields(second))
  return (
    fields.length === secondFields.size &&
    fields.every(
      ([name, value]) => secondFields.has(name) && sameJson(value, secondFields.get(name)),
    )
  )
}

function definedFields(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, field]) => field !== undefined)
}
