import type { ConversationState, MessageNode, ContextRow } from '../protocol/state.ts'
import { type Draft, pick } from './state.ts'
import type { Row } from '../protocol/fact.ts'
import type { Taint } from '../protocol/taint.ts'
import { cached } from './cached.ts'

/**
 * Adds a message under its parent and makes it the head. If the parent's row was unreadable and set aside, the current
 * head becomes the parent.
 */
export function appendMessage(draft: Draft, node: MessageNode): void {
  const { state } = draft
  const { id, seq } = node
  const isHead = node.parentId === headId(state)
  if (!isHead && !switchPath(draft, node.parentId) && state.isStale) return
  const parentId = headId(state)
  // If the head has children, its fork already lists them.
  const children = draft.childrenAt(parentId) ?? (isHead ? [] : childrenOf(state, parentId))
  if (children.length > 0) draft.setFork({ parentId, children: [...children, id] })
  draft.mutableList('path').push({ ...node, parentId })
  useLeaf(draft, id, { from: parentId, seq })
}

/** Makes an existing message the head. Null empties the path. */
export function setHead(draft: Draft, id: string | null, seq: number): void {
  const { state } = draft
  if (id === headId(state) || !switchPath(draft, id)) return
  const children = draft.childrenAt(id) ?? childrenOf(state, id)
  // The next message will be their sibling, so records them as a fork.
  if (children.length > 0) draft.setFork({ parentId: id, children })
  else if (id !== null) useLeaf(draft, id, { from: id, seq })
}

export function headId({ path }: ConversationState): string | null {
  return path.at(-1)?.id ?? null
}

/**
 * A message and its ancestors in `nodes`, newest first. Stops at a repeated message, because damaged rows may contain a
 * cycle.
 */
export function* ancestry(
  nodes: ReadonlyMap<string, MessageNode>,
  id: string | null,
): Generator<MessageNode> {
  const visited = new Set<MessageNode>()
  for (let currentId = id; currentId !== null;) {
    const node = nodes.get(currentId)
    if (!node || visited.has(node)) return
    visited.add(node)
    yield node
    currentId = node.parentId
  }
}

/**
 * Last message of the branch that was used last under a message, or the message itself if nothing follows it. Null if
 * the message is unknown. Needs a complete state: a windowed one lacks branches.
 */
export function leafUnder(state: ConversationState, id: string): string | null {
  const nodes = new Map([...state.path, ...state.others].map((node) => [node.id, node]))
  if (!nodes.has(id)) return null
  const isUnder = (leaf: string): boolean =>
    [...ancestry(nodes, leaf)].some((node) => node.id === id)
  const byLastUse = state.leaves.toSorted((a, b) => b.usedAt - a.usedAt)
  return byLastUse.find((leaf) => isUnder(leaf.id))?.id ?? id
}

/**
 * Makes the path end with a message; null empties the path. Messages after it move from the path to `others`, and its
 * ancestors from `others` to the path. Returns false without a change if the message or an ancestor is missing.
 */
function switchPath(draft: Draft, id: string | null): boolean {
  const { state } = draft
  const branch = findBranch(state, id)
  if (branch === null) {
    // A complete state can lack the message only because its row was set aside.
    if (!state.setAside || state.older || state.isWindow) state.isStale = true
    return false
  }
  // A windowed state can't tell which part of its taint belongs to the old branch.
  if (isTaintedInWhole(state)) state.isStale = true
  const { index: forkIndex, nodes } = branch
  if (nodes.length > 0) {
    const moved = new Set(nodes)
    draft.replace(
      'others',
      state.others.filter((node) => !moved.has(node)),
    )
  }
  const removed = draft.mutableList('path').splice(forkIndex + 1, Infinity, ...nodes)
  draft.mutableList('others').push(...removed)
  return true
}

/** The messages of another branch up to the given one, and the path index where the branch begins. */
function findBranch(
  { path, others, older }: ConversationState,
  id: string | null,
): { readonly index: number; readonly nodes: readonly MessageNode[] } | null {
  const index = path.findLastIndex((node) => node.id === id)
  if (index >= 0) return { index, nodes: [] }
  const offPath = new Map(others.map((node) => [node.id, node]))
  const nodes = [...ancestry(offPath, id)].toReversed()
  const forkId = nodes[0] ? nodes[0].parentId : id
  if (forkId === null) return older === 0 ? { index: -1, nodes } : null
  const forkIndex = path.findLastIndex((node) => node.id === forkId)
  return forkIndex < 0 ? null : { index: forkIndex, nodes }
}

/** Children of the message that has just become the head. All of them are on other branches. */
function childrenOf({ others }: ConversationState, parentId: string | null): string[] {
  return others.flatMap((node) => (node.parentId === parentId ? node.id : []))
}

/** Marks a message as the leaf used last. The message `from`, which it follows, is no longer a leaf. */
function useLeaf(
  draft: Draft,
  id: string,
  { from, seq }: { readonly from: string | null; readonly seq: number },
): void {
  const leaves = draft.mutableList('leaves')
  const index = leaves.findLastIndex((leaf) => leaf.id === id || leaf.id === from)
  if (index >= 0) leaves.splice(index, 1)
  leaves.push({ id, usedAt: seq })
}

export const NO_TAINT: readonly Taint[] = []

/** Untrusted content that the row adds to the context. Cached: a row always gives the same list. */
export const sourcesOf: (row: ContextRow) => readonly Taint[] = cached(findSources)

function findSources(row: ContextRow): readonly Taint[] {
  switch (row.type) {
    case 'context-tainted':
      return [pick(row, ['origin', 'path', 'title', 'at'])]
    case 'skill-activated': {
      const { at, loaded, name, path } = row
      return loaded ? [{ origin: originOfSkill(name), ...(path && { path }), at }] : NO_TAINT
    }
    case 'descriptions-changed':
      return row.origins.map((origin) => ({ origin, at: row.at }))
    default:
      return (row satisfies TrustedRow, NO_TAINT)
  }
}

/** Rows that add nothing untrusted by themselves. A new type of context row must be listed here or handled above. */
type TrustedRow = Extract<
  ContextRow,
  {
    readonly type:
      | 'results-cleared'
      | 'compacted'
      | 'skill-dropped'
      | 'plan-changed'
      | 'memory-retrieved'
  }
>

/** Origin of the taint from a skill that isn't part of the app's code. */
export function originOfSkill(name: string): string {
  return `skill ${name}`
}

/** Origin of the taint while tools of this source are described to the model. */
export function originOfTools(source: string): string {
  return `tools of ${source}`
}

/**
 * Whether this is a windowed state with untrusted content. A windowed state knows its taint only as a whole, not by
 * message. So it can't tell which taint a change of the branch or context removes or restores.
 */
export function isTaintedInWhole({ taintBefore, context }: ConversationState): boolean {
  return taintBefore !== undefined && context.some(taints)
}

/** Whether the row may remove taint. */
export function mayUntaint({ type }: Pick<Row, 'type'>): boolean {
  return UNTAINTING.has(type) || type.startsWith('skill-')
}

const UNTAINTING: ReadonlySet<Row['type']> = new Set([
  'results-cleared',
  'compacted',
  'descriptions-changed',
])

export function taints(row: ContextRow): boolean {
  return sourcesOf(row).length > 0
}
