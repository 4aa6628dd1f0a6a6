import { among, isText, listOf, optional, shape, type Check } from '../../lib/shape.ts'

export const isPath: Check = (value) =>
  Array.isArray(value) && value.length > 0 && value.every(isText)

/** Whose words it is about, and the call that brought them. */
const ofOrigin = { origin: isText, path: optional(isPath) }

export const ofTaint: Readonly<Record<'origin' | 'path' | 'title', Check>> = {
  ...ofOrigin,
  title: optional(isText),
}
export const ofDescriptions: Readonly<Record<'origins', Check>> = { origins: listOf(isText) }
export const ofOutput: Readonly<Record<'untrusted', Check>> = { untrusted: optional(isText) }

export const isAskedBecause: Check = shape({ type: among(['untrusted-content']), ...ofOrigin })
