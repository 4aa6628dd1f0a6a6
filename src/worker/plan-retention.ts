import { FORMAT } from '../protocol/fact.ts'
import type { ConversationRecord } from '../protocol/conversation.ts'
import type { DroppedConversation, Retention } from '../protocol/retention.ts'

const DAY = 86_400_000

/** A conversation, and those that its calls started. */
export interface Tree {
  readonly root: ConversationRecord
  readonly ids: readonly string[]
  /** Time of the newest change in the tree. Milliseconds since 1970. */
  readonly activeAt: number
  /** Nothing of it may be dropped. */
  readonly isKept: boolean
}

export interface Drop extends DroppedConversation {
  readonly tree: Tree
}

/** Whether a conversation must be kept: a run or call is open, it is broken, or a newer version wrote it. */
export function mustStay({ format, openRunId, openCalls, broken }: ConversationRecord): boolean {
  return format > FORMAT || openRunId !== null || openCalls.length > 0 || broken !== undefined
}

/** Groups conversations into trees, oldest activity first. `inUse`: ids of conversations to keep. Pure. */
export function treesOf(
  records: readonly ConversationRecord[],
  inUse: ReadonlySet<string>,
): Tree[] {
  const known = new Set(records.map(({ conversationId }) => conversationId))
  const children = new Map<string, ConversationRecord[]>()
  for (const record of records) {
    if (record.parent === undefined) continue
    const { conversationId } = record.parent
    children.set(conversationId, [...(children.get(conversationId) ?? []), record])
  }
  const isRoot = ({ parent }: ConversationRecord): boolean =>
    parent === undefined || !known.has(parent.conversationId)
  const trees = records.filter(isRoot).map((root): Tree => {
    const members = new Set([root])
    for (const { conversationId } of members)
      for (const child of children.get(conversationId) ?? []) members.add(child)
    const all = [...members]
    return {
      root,
      ids: all.map(({ conversationId }) => conversationId),
      activeAt: all.reduce((newest, { updatedAt }) => Math.max(newest, updatedAt), 0),
      isKept: all.some((record) => mustStay(record) || inUse.has(record.conversationId)),
    }
  })
  return trees.sort((a, b) => a.activeAt - b.activeAt)
}

/** Trees to drop, given all trees with the oldest activity first. `bytesOf` measures one tree. Pure. */
export function planRetention(
  trees: readonly Tree[],
  { days = Infinity, conversations = Infinity, bytes = Infinity }: Retention,
  { now, bytesOf }: { readonly now: number; readonly bytesOf: (tree: Tree) => number },
): Drop[] {
  let count = trees.length
  let size = trees.reduce((sum, tree) => sum + bytesOf(tree), 0)
  return trees.flatMap((tree) => {
    const reason =
      tree.activeAt < now - days * DAY
        ? 'days'
        : count > conversations
          ? 'conversations'
          : size > bytes
            ? 'bytes'
            : null
    if (reason === null || tree.isKept) return []
    count -= 1
    size -= bytesOf(tree)
    const { conversationId, title } = tree.root
    return [{ conversationId, title, updatedAt: tree.activeAt, reason, tree }]
  })
}
