/** Whether two JSON values are equal, regardless of the order of keys. An undefined field counts as missing. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return Object.is(one, other) || one === other
  if (Array.isArray(one) || Array.isArray(other))
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((value, index) => sameJson(value, other[index]))
    )
  const fields = definedFields(one)
  const others = new Map(definedFields(other))
  return (
    fields.length === others.size &&
    fields.every(([name, value]) => others.has(name) && sameJson(value, others.get(name)))
  )
}

function definedFields(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, field]) => field !== undefined)
}
