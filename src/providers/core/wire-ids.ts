import { fnv1a } from '../../lib/fnv1a.ts'

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'

export interface IdRule {
  readonly pattern: RegExp
  /** Of an id made up in place of one that the vendor would refuse. */
  readonly length: number
}

/** The ids under which the calls of one request are sent. */
export interface WireIds {
  /** The id for a call. */
  next(call: { readonly toolCallId: string; readonly providerCallId?: string }): string
  /** The id that this call got. */
  of(toolCallId: string): string
}

/**
 * The provider's own ids where they can be used. Many servers number their calls anew in each answer,
 * and strict ones refuse an id that stands twice in a request: the first call keeps it, the others get
 * the unique one that Offstage keeps.
 */
export function createWireIds(rule: IdRule): WireIds {
  const known = new Map<string, string>()
  const used = new Set<string>()
  return {
    next({ toolCallId, providerCallId = toolCallId }) {
      const candidates = [providerCallId, toolCallId, `${providerCallId}/${toolCallId}`]
      const ids = candidates.map((id) => wireId(id, rule))
      const id = ids.find((candidate) => !used.has(candidate)) ?? toolCallId
      used.add(id)
      known.set(toolCallId, id)
      return id
    },
    of: (toolCallId) => known.get(toolCallId) ?? wireId(toolCallId, rule),
  }
}

/** The id as it is, or one that the vendor accepts: the same for the same id, every time. */
export function wireId(id: string, { pattern, length }: IdRule): string {
  if (pattern.test(id)) return id
  let state = fnv1a(id)
  let made = ''
  while (made.length < length) {
    made += ALPHABET[state % ALPHABET.length]
    state = fnv1a(`${made}${id}`, state)
  }
  return made
}
