import { among, isFlag, isText, optional, shape, type Check } from '../../lib/shape.ts'
import { CONSENT_SPANS } from '../../protocol/fact.ts'

const remembers = { key: optional(isText), openWorld: optional(isFlag), source: optional(isText) }

export const isRememberable: Check = shape(remembers)

/** Which calls a person has consented to. */
export const isConsentScope: Check = shape({
  ...remembers,
  toolName: isText,
  title: optional(isText),
  definition: isText,
  within: among(CONSENT_SPANS),
})
