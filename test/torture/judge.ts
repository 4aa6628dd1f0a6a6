import type { StoredConversation } from '../../src/protocol/conversation.ts'
import type { Row } from '../../src/protocol/fact.ts'
import type { Effect } from './effects.ts'

/** A broken promise that a trial found. */
export interface Violation {
  readonly what:
    | 'ran twice'
    | 'denied, but ran'
    | 'failed, but happened'
    | 'succeeded, but did not happen'
    | 'result lost'
    | 'run does not end'
    | 'handle stays open'
    | 'next turn fails'
    | 'uncaught error'
    | 'trial broke'
  readonly detail: string
}

/** Tools of which a call must not happen twice. */
const ONCE = new Set(['write', 'destroy', 'book'])

/** Holds a conversation's rows against its messages and the server's count. */
export function judge(
  rows: readonly Row[],
  stored: StoredConversation | null,
  effects: readonly Effect[],
): Violation[] {
  const calls = new Map<string, string>()
  const found: Violation[] = []
  for (const row of rows)
    if (row.type === 'model-output')
      for (const part of row.message.parts)
        if (part.type === 'tool-call' && part.input) calls.set(part.toolCallId, labelOf(part.input))
  for (const row of rows) {
    if (row.type !== 'call-settled') continue
    const toolCallId = row.path.at(-1) ?? ''
    const n = calls.get(toolCallId) ?? '?'
    const times = effects.filter((effect) => effect.n === n).length
    const detail = `${n}: ${JSON.stringify(row.output)}`
    const { status } = row
    if (status === 'denied' && times) found.push({ what: 'denied, but ran', detail })
    if (/^(failed|aborted|invalid)$/.test(status) && times)
      found.push({ what: 'failed, but happened', detail: `${status} ${detail}` })
    if (status === 'succeeded' && !times)
      found.push({ what: 'succeeded, but did not happen', detail })
    if (!hasResult(stored, toolCallId)) found.push({ what: 'result lost', detail })
  }
  return found
}

export function judgeEffects(effects: readonly Effect[]): Violation[] {
  const counts = new Map<string, number>()
  for (const { tool, n } of effects)
    if (ONCE.has(tool)) counts.set(`${tool} ${n}`, (counts.get(`${tool} ${n}`) ?? 0) + 1)
  return [...counts].flatMap(([call, count]) =>
    count > 1 ? { what: 'ran twice' as const, detail: `${call}: ${count} times` } : [],
  )
}

function hasResult(stored: StoredConversation | null, toolCallId: string): boolean {
  return (stored?.messages ?? []).some(
    ({ role, parts }) =>
      role === 'tool' &&
      parts.some((part) => part.type === 'tool-result' && part.toolCallId === toolCallId),
  )
}

function labelOf(input: unknown): string {
  return String((input as { readonly n?: unknown }).n)
}
