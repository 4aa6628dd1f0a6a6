import type { Draft } from './draft.ts'
import type { ConversationState, Fork, Leaf, MessageNode } from '../protocol/state.ts'

/** Puts a message under its parent, and makes it the head. */
export function growHead(draft: Draft, node: MessageNode, seq: number): void {
  const { state } = draft
  const head = state.path.at(-1)
  if (node.parentId !== (head?.id ?? null)) {
    if (!takePath(draft, node.parentId)) return
    noteChild(draft, node)
  } else if (state.forks.some(({ parentId }) => parentId === node.parentId)) noteChild(draft, node)
  draft.own('path').push(node)
  useLeaf(state, { id: node.id, usedAt: seq }, node.parentId)
}

/** Makes a message that is there the head. */
export function headOf(
  draft: Draft,
  { id, seq }: { readonly id: string; readonly seq: number },
): void {
  const { state } = draft
  if (!takePath(draft, id)) return
  useLeaf(state, { id, usedAt: seq }, id)
  // What comes next is a sibling of these.
  const children = childrenOf(state, id)
  if (children.length > 0 && !state.forks.some(({ parentId }) => parentId === id))
    state.forks = [...state.forks, { parentId: id, children }]
}

/** The message under which a branch was used last: a leaf of the tree. Null: no such message is known. */
export function leafUnder(state: ConversationState, id: string): string | null {
  const nodes = new Map([...state.path, ...state.others].map((node) => [node.id, node]))
  if (!nodes.has(id)) return null
  const isUnder = (leaf: Leaf): boolean => {
    for (
      let at = nodes.get(leaf.id);
      at;
      at = at.parentId === null ? undefined : nodes.get(at.parentId)
    )
      if (at.id === id) return true
    return false
  }
  const used = state.leaves.filter(isUnder).toSorted((a, b) => b.usedAt - a.usedAt)[0]
  return used?.id ?? id
}

/**
 * Makes the path end with a message: what came behind it goes to the other branches, and what leads to it
 * comes from there. Null: the path becomes empty. False, and nothing changes, when a windowed state lacks
 * what is needed.
 */
function takePath(draft: Draft, id: string | null): boolean {
  const { state } = draft
  const index = state.path.findLastIndex((node) => node.id === id)
  if (index >= 0) {
    leave(draft, index + 1)
    return true
  }
  const branch: MessageNode[] = []
  const others = new Map(state.others.map((node) => [node.id, node]))
  let at = id
  let meets = -1
  while (at !== null && meets < 0) {
    const node = others.get(at)
    if (!node) {
      state.isStale = true
      return false
    }
    branch.unshift(node)
    const { parentId } = node
    at = parentId
    meets = state.path.findLastIndex((on) => on.id === parentId)
  }
  if (meets < 0 && state.older > 0) {
    state.isStale = true
    return false
  }
  const taken = new Set(branch)
  const left = state.path.slice(meets + 1)
  draft.replace('others', [...state.others.filter((node) => !taken.has(node)), ...left])
  draft.replace('path', [...state.path.slice(0, meets + 1), ...branch])
  return true
}

/** Moves the end of the path to the other branches. */
function leave(draft: Draft, from: number): void {
  const left = draft.state.path.slice(from)
  if (left.length === 0) return
  draft.own('others').push(...left)
  draft.replace('path', draft.state.path.slice(0, from))
}

/** A message that may not be the only child of its parent. */
function noteChild({ state }: Draft, { id, parentId }: MessageNode): void {
  const known = state.forks.find((fork) => fork.parentId === parentId)
  const children = known?.children ?? childrenOf(state, parentId)
  if (children.length === 0) return
  const fork: Fork = { parentId, children: [...children, id] }
  state.forks = known
    ? state.forks.map((each) => (each === known ? fork : each))
    : [...state.forks, fork]
}

function childrenOf(state: ConversationState, parentId: string | null): string[] {
  return state.others.flatMap((node) => (node.parentId === parentId ? node.id : []))
}

/** The leaf that the new one grew from is none any more. */
function useLeaf(state: Draft['state'], leaf: Leaf, from: string | null): void {
  state.leaves = [...state.leaves.filter(({ id }) => id !== leaf.id && id !== from), leaf]
}
