import type { ConversationState, MessageNode } from '../protocol/state.ts'
import type { Draft } from './draft.ts'
import { isTaintedInWhole } from './taint.ts'

/** Puts a message under its parent, or under the head where the parent was set aside, and makes it the head. */
export function growHead(draft: Draft, node: MessageNode): void {
  const { state } = draft
  const { id, seq } = node
  const isHead = node.parentId === headId(state)
  if (!isHead && !takePath(draft, node.parentId) && state.isStale) return
  const parentId = headId(state)
  // Of a head that has any, they are noted already.
  const children = draft.childrenAt(parentId) ?? (isHead ? [] : childrenOf(state, parentId))
  if (children.length > 0) draft.setFork({ parentId, children: [...children, id] })
  draft.own('path').push({ ...node, parentId })
  useLeaf(draft, id, { from: parentId, seq })
}

/** Makes a message that is there the head; null: none is. */
export function headOf(draft: Draft, id: string | null, seq: number): void {
  const { state } = draft
  if (id === headId(state) || !takePath(draft, id)) return
  const children = draft.childrenAt(id) ?? childrenOf(state, id)
  // What comes next is a sibling of these.
  if (children.length > 0) draft.setFork({ parentId: id, children })
  else if (id !== null) useLeaf(draft, id, { from: id, seq })
}

export function headId({ path }: ConversationState): string | null {
  return path.at(-1)?.id ?? null
}

/**
 * The end of the branch that was used last under a message, or the message itself, where there is none.
 * Null: no such message is known. Only a whole state knows all branches.
 */
export function leafUnder(state: ConversationState, id: string): string | null {
  const parents = new Map([...state.path, ...state.others].map((node) => [node.id, node.parentId]))
  if (!parents.has(id)) return null
  const isUnder = (leaf: string): boolean => {
    const seen = new Set<string | null>()
    for (let at: string | null = leaf; at !== null && !seen.has(at); at = parents.get(at) ?? null) {
      if (at === id) return true
      seen.add(at)
    }
    return false
  }
  const used = state.leaves.toSorted((a, b) => b.usedAt - a.usedAt)
  return used.find((leaf) => isUnder(leaf.id))?.id ?? id
}

/**
 * Makes the path end with a message: what came behind it goes to the other branches, and what leads to it
 * comes from there. Null: the path becomes empty. False, and nothing changes, when the message, or what
 * leads to it, isn't there: a windowed state may lack it.
 */
function takePath(draft: Draft, id: string | null): boolean {
  const { state } = draft
  const branch = branchTo(state, id)
  if (branch === null) {
    // In a whole state, the message may be one that was set aside.
    if (!state.setAside || state.older || state.isWindow) state.isStale = true
    return false
  }
  // What tainted the branch that is left isn't known in parts.
  if (isTaintedInWhole(state)) state.isStale = true
  const { meets, nodes } = branch
  if (nodes.length > 0) {
    const taken = new Set(nodes)
    draft.replace(
      'others',
      state.others.filter((node) => !taken.has(node)),
    )
  }
  const left = draft.own('path').splice(meets + 1, Infinity, ...nodes)
  draft.own('others').push(...left)
  return true
}

/** The other branches' messages that lead to one, and the index on the path where they leave it. */
function branchTo(
  { path, others, older }: ConversationState,
  id: string | null,
): { readonly meets: number; readonly nodes: readonly MessageNode[] } | null {
  const index = path.findLastIndex((node) => node.id === id)
  if (index >= 0) return { meets: index, nodes: [] }
  const onPath = new Map(path.map((node, at) => [node.id, at]))
  const elsewhere = new Map(others.map((node) => [node.id, node]))
  const nodes: MessageNode[] = []
  for (let at = id; at !== null;) {
    const meets = onPath.get(at)
    if (meets !== undefined) return { meets, nodes: nodes.toReversed() }
    const node = elsewhere.get(at)
    if (!node) return null
    // Each once: of a message that hangs under itself nothing leads anywhere.
    elsewhere.delete(at)
    nodes.push(node)
    at = node.parentId
  }
  return older === 0 ? { meets: -1, nodes: nodes.toReversed() } : null
}

/** Of the message that the path has just been made to end with: all its children are elsewhere. */
function childrenOf({ others }: ConversationState, parentId: string | null): string[] {
  return others.flatMap((node) => (node.parentId === parentId ? node.id : []))
}

/** What the leaf grew from is none any more. */
function useLeaf(
  draft: Draft,
  id: string,
  { from, seq }: { readonly from: string | null; readonly seq: number },
): void {
  const leaves = draft.own('leaves')
  const index = leaves.findLastIndex((leaf) => leaf.id === id || leaf.id === from)
  if (index >= 0) leaves.splice(index, 1)
  leaves.push({ id, usedAt: seq })
}
