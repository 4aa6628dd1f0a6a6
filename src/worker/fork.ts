import { isSettled } from '../conversation/pending.ts'
import { TaintWalk } from '../conversation/taint-walk.ts'
import type { ContextRow, ConversationState, MessageNode } from '../protocol/state.ts'
import { callsPending } from './busy.ts'
import type { FactDraft } from './store/fact-draft.ts'

/**
 * Facts that a fork begins with: messages up to `at`, the title, and the model's other context, including taint.
 * Default for `at`: the newest message whose calls are settled. Null if there is no such message. Throws
 * `calls-pending` if calls in these messages are open. Pure.
 */
export function forkedFacts(
  state: ConversationState,
  at: string | undefined,
): readonly FactDraft[] | null {
  const nodes = at === undefined ? untilOpen(state.path) : pathTo(state, at)
  if (nodes === null) return null
  const open = nodes.filter(hasOpenCalls).flatMap(({ calls }) => calls)
  if (open.length > 0) throw callsPending(open)
  const ids = new Set<string | null>([null, ...nodes.map(({ id }) => id)])
  const context = state.context.filter(
    (row) => ids.has(row.after) && (row.type !== 'compacted' || ids.has(row.keptFrom)),
  )
  const messages = nodes.map(({ id, message }) => ({ ...message, id }))
  return [
    ...(messages.length > 0 ? [{ type: 'messages-imported' as const, messages }] : []),
    ...context.filter(({ type }) => !TAKEN_IN.has(type)).map(unplaced),
    // Imported messages don't say which of them were derived from untrusted content, so all branches of the fork are
    // tainted.
    ...new TaintWalk(nodes, [...context, nothingDescribed(nodes)]).taint.map(
      ({ at: _at, ...taint }) => ({
        type: 'untrusted-taken-in' as const,
        after: null,
        ...taint,
      }),
    ),
    ...(state.title === null ? [] : [{ type: 'renamed' as const, title: state.title }]),
  ]
}

const TAKEN_IN: ReadonlySet<ContextRow['type']> = new Set([
  'untrusted-taken-in',
  'descriptions-taken-in',
])

/** Clears the origins of tool descriptions. The fork's own rows will name those of its requests. */
function nothingDescribed(nodes: readonly MessageNode[]): ContextRow {
  const after = nodes.at(-1)?.id ?? null
  return { type: 'descriptions-taken-in', after, origins: [], seq: Infinity, at: 0 }
}

function unplaced({ seq: _seq, at: _at, ...fact }: ContextRow): FactDraft {
  return fact
}

/** Messages before the first step with open calls. That step belongs to the run. */
function untilOpen(path: readonly MessageNode[]): readonly MessageNode[] {
  const open = path.findIndex((node) => hasOpenCalls(node))
  return open < 0 ? path : path.slice(0, open)
}

function hasOpenCalls({ kind, calls }: MessageNode): boolean {
  return kind !== 'imported' && calls.some((call) => !isSettled(call))
}

/** Messages that lead to one, that message, and the results of its calls. Null if one is missing. */
function pathTo({ path, others }: ConversationState, id: string): readonly MessageNode[] | null {
  const nodes = new Map([...path, ...others].map((node) => [node.id, node]))
  const found: MessageNode[] = []
  for (let at: string | null = id; at !== null;) {
    const node = nodes.get(at)
    if (!node) return null
    // Visits each message once: damaged rows may contain a cycle.
    nodes.delete(at)
    found.push(node)
    at = node.parentId
  }
  const last = nodes.size > 0 ? resultsOf(nodes.values(), id) : undefined
  return [...found.toReversed(), ...(last ? [last] : [])]
}

function resultsOf(nodes: Iterable<MessageNode>, parentId: string): MessageNode | undefined {
  return [...nodes].find((node) => node.parentId === parentId && node.message.role === 'tool')
}
