import { OffstageError } from '../protocol/error.ts'
import {
  type AgentScope,
  type ConversationRecord,
  type DroppedConversation,
  type Retention,
  storageKey,
} from '../protocol/conversation.ts'
import { createSerialQueue, type SerialQueue } from '../lib/serial-queue.ts'
import type { ConversationRegistry } from './conversation-registry.ts'
import type { Effects } from './effects.ts'
import type { Store } from './store/store.ts'
import { FORMAT } from '../protocol/fact.ts'

const DAY = 86_400_000

/** A conversation with its descendants: conversations that its calls started. */
interface Tree {
  readonly root: ConversationRecord
  readonly ids: readonly string[]
  /** Time of the newest change in the tree. Milliseconds since 1970. */
  readonly activeAt: number
  /** True if the tree must not be dropped. */
  readonly isKept: boolean
}

interface Drop extends DroppedConversation {
  readonly tree: Tree
}

/** Whether a conversation must be kept: a run or call is open, it is broken, or a newer version wrote it. */
function mustKeep({ format, openRunId, openCalls, broken }: ConversationRecord): boolean {
  return format > FORMAT || openRunId !== null || openCalls.length > 0 || broken !== undefined
}

/** Groups conversations into trees, oldest activity first. `inUse`: ids of conversations to keep. Pure. */
function treesOf(records: readonly ConversationRecord[], inUse: ReadonlySet<string>): Tree[] {
  const ids = new Set(records.map(({ conversationId }) => conversationId))
  const children = new Map<string, ConversationRecord[]>()
  for (const record of records) {
    if (record.parent === undefined) continue
    const { conversationId } = record.parent
    children.set(conversationId, [...(children.get(conversationId) ?? []), record])
  }
  const isRoot = ({ parent }: ConversationRecord): boolean =>
    parent === undefined || !ids.has(parent.conversationId)
  const trees = records.filter(isRoot).map((root): Tree => {
    const members = new Set([root])
    for (const { conversationId } of members)
      for (const child of children.get(conversationId) ?? []) members.add(child)
    const all = [...members]
    return {
      root,
      ids: all.map(({ conversationId }) => conversationId),
      activeAt: all.reduce((newest, { updatedAt }) => Math.max(newest, updatedAt), 0),
      isKept: all.some((record) => mustKeep(record) || inUse.has(record.conversationId)),
    }
  })
  return trees.sort((a, b) => a.activeAt - b.activeAt)
}

/** Selects the trees to drop from all trees, which are sorted by oldest activity. `bytesOf` measures one tree. Pure. */
function planRetention(
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

/** Lease of the tab that drops conversations, under an id that no conversation has. */
const LEASE = 'offstage:retention'
/** Rows read at once to measure a conversation. */
const BATCH_SIZE = 500

interface Size {
  readonly importId: string | undefined
  readonly createdAt: number
  readonly lastSeq: number
  readonly bytes: number
}

/** Drops conversations past their retention. Only one tab at a time does so. */
export class ConversationRetention {
  readonly #registry: ConversationRegistry
  readonly #now: () => number
  readonly #enqueue: SerialQueue = createSerialQueue()
  readonly #sizes = new Map<string, Size>()

  constructor(registry: ConversationRegistry, { now }: Pick<Effects, 'now'>) {
    this.#registry = registry
    this.#now = now
  }

  /** Drops conversations and returns them, oldest first. Drops none while another tab does so. */
  async retainConversations({
    retention,
    ...scope
  }: AgentScope & { readonly retention: Retention }): Promise<DroppedConversation[]> {
    return this.#enqueue(async () => {
      const leases = this.#registry.leases(scope)
      if (!(await leases.acquire(LEASE))) return []
      try {
        const dropped: DroppedConversation[] = []
        for (const drop of await this.#plan(scope, retention)) {
          // Another tab took the lease while this one was suspended.
          if (!leases.holds(LEASE)) break
          const { tree: _tree, ...report } = drop
          if (await this.#drop(scope, drop)) dropped.push(report)
        }
        return dropped
      } finally {
        leases.release(LEASE)
      }
    })
  }

  async #plan(scope: AgentScope, retention: Retention): Promise<Drop[]> {
    const store = await this.#registry.store(scope)
    const plan = async (inUse: ReadonlySet<string>): Promise<Drop[]> => {
      const records = await this.#registry.list(scope)
      const sizes =
        retention.bytes === undefined ? null : await this.#measure(scope, store, records)
      return planRetention(treesOf(records, inUse), retention, {
        now: this.#now(),
        bytesOf: ({ ids }) => ids.reduce((sum, id) => sum + (sizes?.get(id) ?? 0), 0),
      })
    }
    const usedHere = new Set(this.#registry.inUse(scope))
    // Usually there is nothing to drop, so other tabs needn't be asked.
    if ((await plan(usedHere)).length === 0) return []
    const usedElsewhere = await this.#registry.tabs(scope).usedElsewhere()
    return plan(new Set([...this.#registry.inUse(scope), ...usedElsewhere]))
  }

  /**
   * Drops one conversation with its descendants. False if any of them is in use by now, or has changed since the plan.
   */
  async #drop(scope: AgentScope, { conversationId, tree }: Drop): Promise<boolean> {
    const active = await this.#registry.openConversation({ ...scope, conversationId })
    return active.enqueue(async () => {
      if (active.isInUse) return false
      const store = await this.#registry.store(scope)
      try {
        // Ownership keeps other tabs from beginning a run in the conversation meanwhile.
        const isDeleted = await active.runAsOwner(async () => {
          const isUnchanged = await this.#isUnchanged(scope, store, { conversationId, tree })
          const isNeeded = active.admissions.size > 0 || active.conversation.stream.isJoined
          return isUnchanged && !isNeeded && store.delete(conversationId)
        })
        if (!isDeleted) return false
      } catch (error) {
        if (isUnavailable(error)) return false
        throw error
      }
      for (const id of tree.ids) {
        this.#sizes.delete(sizeKey(scope, id))
        this.#registry.tabs(scope).recordChanged(id)
        await this.#registry.find({ ...scope, conversationId: id })?.conversation.refresh()
      }
      return true
    })
  }

  async #isUnchanged(
    scope: AgentScope,
    store: Store,
    { conversationId, tree }: Pick<Drop, 'conversationId' | 'tree'>,
  ): Promise<boolean> {
    const ids = [conversationId, ...(await store.descendants(conversationId))]
    const records = await Promise.all(ids.map((id) => store.get(id)))
    const inUse = new Set(this.#registry.inUse(scope))
    return records.every(
      (record) =>
        record !== null &&
        !mustKeep(record) &&
        record.updatedAt <= tree.activeAt &&
        // The conversation itself is in use only because it is being deleted.
        (record.conversationId === conversationId || !inUse.has(record.conversationId)),
    )
  }

  /** Bytes by conversation id. Rows that were measured before aren't read again. */
  async #measure(
    scope: AgentScope,
    store: Store,
    records: readonly ConversationRecord[],
  ): Promise<ReadonlyMap<string, number>> {
    const sizes = new Map<string, number>()
    for (const record of records) {
      const { conversationId, importId, createdAt, lastSeq } = record
      const key = sizeKey(scope, conversationId)
      const cached = this.#sizes.get(key)
      const isSame = cached?.createdAt === createdAt && cached.importId === importId
      let { lastSeq: after, bytes } = isSame ? cached : { lastSeq: 0, bytes: 0 }
      while (after < lastSeq) {
        const { rows } = await store.read(conversationId, { after, limit: BATCH_SIZE })
        // A damaged record may claim more rows than there are.
        if (rows.length === 0) break
        for (const row of rows) bytes += utf8Length(JSON.stringify(row))
        after += BATCH_SIZE
      }
      this.#sizes.set(key, { importId, createdAt, lastSeq, bytes })
      sizes.set(conversationId, bytes)
    }
    return sizes
  }
}

/** Whether this tab can't drop the conversation: another tab has it, it is gone, or it can't be read. */
function isUnavailable(error: unknown): boolean {
  return (
    OffstageError.is(error) &&
    /^(conversation-(busy|not-found|broken)|ownership-lost)$/.test(error.code)
  )
}

function sizeKey({ storage }: AgentScope, conversationId: string): string {
  return `${storageKey(storage)}\n${conversationId}`
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).byteLength
}
