import { fnv1a } from '../../lib/text-digest.ts'

/** Converts to a tool name that every vendor accepts. A name invented by a model may contain anything. */
export function legalToolName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown'
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'

export interface IdRule {
  readonly pattern: RegExp
  /** Length of an id made up in place of one that the vendor would refuse. */
  readonly length: number
}

/** Assigns the ids under which a request's calls are sent. */
export interface WireIds {
  /** Returns the id for the next call. */
  next(call: { readonly toolCallId: string; readonly providerCallId?: string }): string
  /** Returns the id that this call got. */
  getId(toolCallId: string): string
}

/**
 * Uses the provider's own ids if possible. Many servers number their calls from the start in each answer, and strict
 * servers refuse duplicate ids in a request. The first call keeps its id; later duplicates get Offstage's unique id.
 */
export function createWireIds(rule: IdRule): WireIds {
  const idsByCall = new Map<string, string>()
  const used = new Set<string>()
  return {
    next({ toolCallId, providerCallId = toolCallId }) {
      const candidates = [providerCallId, toolCallId, `${providerCallId}/${toolCallId}`]
      const ids = candidates.map((id) => wireId(id, rule))
      const id = ids.find((candidate) => !used.has(candidate)) ?? toolCallId
      used.add(id)
      idsByCall.set(toolCallId, id)
      return id
    },
    getId: (toolCallId) => idsByCall.get(toolCallId) ?? wireId(toolCallId, rule),
  }
}

/** Returns the id if the vendor accepts it, else a replacement. The same id always gets the same replacement. */
export function wireId(id: string, { pattern, length }: IdRule): string {
  if (pattern.test(id)) return id
  let state = fnv1a(id)
  let generated = ''
  while (generated.length < length) {
    generated += ALPHABET[state % ALPHABET.length]
    state = fnv1a(`${generated}${id}`, state)
  }
  return generated
}
