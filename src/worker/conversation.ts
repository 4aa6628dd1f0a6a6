import { headId } from '../conversation/tree.ts'
import { emptyState } from '../conversation/state.ts'
import { fold } from '../conversation/fold.ts'
import { NOTHING_LIVE, refusedRun } from '../conversation/live.ts'
import type { ConversationRecord } from '../protocol/conversation.ts'
import { OffstageError } from '../protocol/error.ts'
import type { Row } from '../protocol/fact.ts'
import type { Message } from '../protocol/message.ts'
import type { PauseReason, RunLimits } from '../protocol/run.ts'
import type { ConversationState, RunState } from '../protocol/state.ts'
import { type CountedRun, countRow, stricterLimits } from './run/counters.ts'
import { CallSecrets } from './run/call-secrets.ts'
import type { Effects } from './effects.ts'
import { SharedClaims } from './store/claims.ts'
import { type FactDraft, withParents } from './store/fact-draft.ts'
import { isStart, newestState, soundRows } from './store/sound-rows.ts'
import { createSerialQueue } from '../lib/serial-queue.ts'
import { StorageRetry } from './store/storage-retry.ts'
import type { StoredForm } from '../providers/core/form-memory.ts'
import { PromptTexts } from './model/prompt-texts.ts'
import type { Fault } from './store/check-row.ts'
import { brokenConversation, makerOf, onlyCopy } from './store/record.ts'
import type { Claim, ClaimOptions, StepDraft, Store } from './store/store.ts'
import { Stream, type StreamOutput } from './stream.ts'
import { callParts } from '../conversation/fold-call.ts'
import { isNumber, isText, listOf, discriminatedUnion, shape } from '../lib/shape.ts'
import type { Delta, LiveStep } from '../protocol/delta.ts'

/** Ids of the calls that a row adds. */
function callIdsIn(row: Row): readonly string[] {
  switch (row.type) {
    case 'model-output':
      return callIdsOf([row.message])
    case 'messages-imported':
      return callIdsOf(row.messages)
    case 'call-proposed':
      return row.path.slice(-1)
    default:
      return []
  }
}

function callIdsOf(messages: readonly Pick<Message, 'parts'>[]): readonly string[] {
  return messages.flatMap(callParts).map(({ toolCallId }) => toolCallId)
}

/** Shortest pause between two writes of a step's text. Milliseconds. */
const MIN_PAUSE_MS = 1000
/** Characters written per millisecond at most, so that a long text is rewritten less often. */
const MAX_CHARACTERS_PER_MS = 50

interface DraftKeeperOptions {
  readonly conversationId: string
  readonly store: Pick<Store, 'keepDraft' | 'draftOf'>
  readonly stream: Stream
  readonly effects: Pick<Effects, 'sleep'>
  /** Epoch of the newest claim. */
  readonly epoch: () => number
}

const text = shape({ type: isText, text: isText })

const isDraft = shape({
  runId: isText,
  step: isNumber,
  attempt: isNumber,
  messageId: isText,
  parts: listOf(discriminatedUnion('type', { text, reasoning: text })),
})

/**
 * Stores the text that the model is writing, so that people can see it after a crash. The text isn't part of the
 * history: one record is overwritten now and then. Failed writes are ignored.
 */
class DraftKeeper {
  readonly #options: DraftKeeperOptions
  /** True while this worker receives a step from the model. Stays false if the text could contain secrets. */
  #isActive = false
  /** Aborts the next write when the step is over. Null if no write is due. */
  #pendingWrite: AbortController | null = null
  /** Message and attempt of the last write, and the length of its text. */
  #lastWrite = { id: '', length: 0 }

  constructor(options: DraftKeeperOptions) {
    this.#options = options
  }

  startStep(): void {
    this.#isActive = true
  }

  /** Schedules a write if the model has written text. */
  scheduleWrite({ type }: Pick<Delta, 'type'>): void {
    if (!this.#isActive || this.#pendingWrite !== null) return
    if (type === 'text-delta' || type === 'reasoning-delta') void this.#writeLater()
  }

  async #writeLater(): Promise<void> {
    const pending = (this.#pendingWrite = new AbortController())
    const delayMs = Math.max(MIN_PAUSE_MS, this.#lastWrite.length / MAX_CHARACTERS_PER_MS)
    await this.#options.effects.sleep(delayMs, pending.signal)
    if (pending.signal.aborted) return
    this.#pendingWrite = null
    await this.write()
  }

  /** Writes the current text, if this worker receives the step. */
  async write(): Promise<void> {
    if (!this.#isActive) return
    const { conversationId, stream, store, epoch } = this.#options
    const { step } = stream.live
    if (step === null || step.isLeft) return
    const { runId, attempt, messageId } = step
    const parts = step.parts.map(({ type, text }) => ({ type, text }))
    const length = parts.reduce((sum, part) => sum + part.text.length, 0)
    const writeId = `${messageId} ${attempt}`
    if (length === 0 || (this.#lastWrite.id === writeId && this.#lastWrite.length === length))
      return
    this.#lastWrite = { id: writeId, length }
    const draft = {
      conversationId,
      epoch: epoch(),
      runId,
      step: step.step,
      attempt,
      messageId,
      parts,
    }
    await store.keepDraft(draft).catch(() => undefined)
  }

  /** Ends the step. Its result is stored as a row. */
  endStep(): void {
    this.#isActive = false
    this.#pendingWrite?.abort()
    this.#pendingWrite = null
    this.#lastWrite = { id: '', length: 0 }
  }

  /** Shows the stored text of the open step, unless the step is being written, here or in another tab. */
  async showStored(run: RunState | null): Promise<void> {
    const { conversationId, stream, store } = this.#options
    if (run?.end !== null || !run.stepOpen || !canShowDraft(stream)) return
    const restored = restoredStep(await store.draftOf(conversationId).catch(() => undefined), run)
    // The step may have begun to stream during the read.
    if (restored && canShowDraft(stream)) stream.adopt({ ...stream.live, step: restored })
  }
}

function canShowDraft({ live }: Stream): boolean {
  return live.step === null && live.ownership !== 'other-tab'
}

/** The stored text as a live step. Null unless it belongs to the current attempt of the open step. */
function restoredStep(
  stored: unknown,
  { runId, steps, failedAttempts }: RunState,
): LiveStep | null {
  if (!isDraft(stored)) return null
  const { step, attempt, messageId, parts, ...ref } = stored as StepDraft
  if (ref.runId !== runId || step !== steps + 1 || attempt <= failedAttempts) return null
  const liveParts = parts.map((part, index) => ({ ...part, partId: `left-${index}` }))
  return { runId, step, attempt, messageId, parts: liveParts, inputs: [], isLeft: true }
}

/**
 * Facts to append, or a function that decides on them right before the commit, when no other write can come in between.
 * Null writes nothing.
 */
export type Facts = readonly FactDraft[] | ((run: CountedRun | null) => readonly FactDraft[] | null)

export interface AppendOptions {
  /** Default: the newest run. */
  readonly runId?: string | null
  readonly strict?: boolean
  /** Default true: within a run, waits while the storage can't take the rows. False: fails at once. */
  readonly waits?: boolean
  /** Tries only once. The caller retries. */
  readonly once?: boolean
  /** Id that several workers may use to try the same append, which is then stored once. Default: a new id. */
  readonly appendId?: string
}

export interface KnownClaim {
  /** Id of the store that counts the epochs. */
  readonly storeId: string
  readonly epoch: number
  /** When the claim was last known to hold, on the worker's monotonic clock. Milliseconds. */
  readonly knownAt: number
}

export interface ConversationOptions {
  readonly conversationId: string
  /** `storageKey` of the store. */
  readonly storage: string
  readonly store: Store
  /** Whether rows are redacted, so that stored rows may differ from appended ones. */
  readonly redacts?: () => boolean
  readonly effects: Effects
  readonly output: StreamOutput
  /** Called with the rows that this worker committed. */
  onCommitted?(rows: readonly Row[]): void
}

/** Facts of the folded rows of a conversation. */
interface History {
  state: ConversationState
  /** The newest run, ended or not. Null before the first run. */
  run: CountedRun | null
  /** Ids of all calls that the conversation ever had. The id of a cleared call is never reused. */
  readonly callIds: Set<string>
  readonly promptTexts: PromptTexts
  /** A person or a model has given the conversation a title. */
  isNamed: boolean
  /** Id of the run that an imported file has started. Null if there is none. */
  importedRunId: string | null
}

function emptyHistory(conversationId: string): History {
  return {
    state: emptyState(conversationId),
    run: null,
    callIds: new Set(),
    promptTexts: new PromptTexts(),
    isNamed: false,
    importedRunId: null,
  }
}

/**
 * A conversation in memory. Rows are folded only after their commit, so a reload would find the same state. Folded rows
 * are published.
 */
export class Conversation {
  readonly conversationId: string
  /** Lets appends wait for a storage that is full or can't be opened. */
  readonly storageRetry: StorageRetry
  readonly stream: Stream
  readonly claims: SharedClaims
  /** Stores the text of the step that this worker receives. */
  readonly drafts: DraftKeeper
  /** Secret values of open calls' inputs, which are never stored. */
  readonly secrets: CallSecrets = new CallSecrets()
  readonly #store: Store
  readonly #effects: Effects
  readonly #redacts: () => boolean
  readonly #onCommitted: (rows: readonly Row[]) => void
  #history: History
  /** The newest read record. Null before the first read, and if the conversation is missing. */
  #record: ConversationRecord | null = null
  /** Request formats that endpoints accepted in this conversation. */
  readonly forms: Map<string, StoredForm> = new Map()
  #isRead = false
  #claimed: KnownClaim = { storeId: '', epoch: 0, knownAt: Number.NEGATIVE_INFINITY }
  #fault: Fault | null = null
  /** Prefix of append ids. Random bytes for each id would cost a system call, and a step appends twice. */
  readonly #appendPrefix: string
  /** Number of appends and tries so far. */
  #appendCount = 0
  /** Appends whose rows aren't folded yet. */
  readonly #pendingAppends = new Set<string>()
  /** The newest append failed, but may be in the store. */
  #isInDoubt = false
  /** Keeps reads and commits from overlapping, so that every row is folded once and in order. */
  readonly #enqueue = createSerialQueue()
  /** Queue of the commits that may wait for the storage. A waiting commit holds up only this queue. */
  readonly #enqueueCommit = createSerialQueue()

  constructor(options: ConversationOptions) {
    const { conversationId, storage, store, effects, output } = options
    this.conversationId = conversationId
    this.storageRetry = new StorageRetry(effects)
    this.stream = new Stream({ storage, conversationId }, output)
    this.#history = emptyHistory(conversationId)
    this.#store = store
    this.#effects = effects
    this.#redacts = () => options.redacts?.() ?? false
    this.#onCommitted = (rows) => options.onCommitted?.(rows)
    this.#appendPrefix = effects.newId('append_')
    const { stream } = this
    const epoch = (): number => this.#claimed.epoch
    const { claims, newId } = effects
    this.claims = new SharedClaims({ conversationId, storage, store, claims, newId })
    this.drafts = new DraftKeeper({ conversationId, store, stream, effects, epoch })
  }

  /** Whether stored rows may differ from appended ones. If so, read the state, not the appended facts. */
  get redacts(): boolean {
    return this.#redacts()
  }

  get state(): ConversationState {
    return this.#history.state
  }

  /** The newest run, ended or not. Null before the first run. */
  get run(): CountedRun | null {
    return this.#history.run
  }

  /** Messages of the head's branch, as models get them. */
  get messages(): readonly Message[] {
    return this.state.path.map(({ message }) => message)
  }

  /**
   * Limits for a run that continues the given run: the same limits. Limits from an imported file are capped by the
   * agent's own limits.
   */
  limitsAfter(
    { runId, limits }: Pick<RunState, 'runId' | 'limits'>,
    agentLimits: RunLimits,
  ): RunLimits {
    return runId === this.#history.importedRunId ? stricterLimits(limits, agentLimits) : limits
  }

  /** Why the newest run is paused: according to its rows, or because a commit waits. */
  get pauseReason(): PauseReason | null {
    const run = this.run
    return run === null || run.end !== null ? null : (run.paused ?? this.storageRetry.reason)
  }

  /** The call that began this conversation. Null until its record was read. */
  get parent(): ConversationRecord['parent'] | null {
    return this.#record?.parent ?? null
  }

  /**
   * Whether a call of the parent conversation waits for the run here. Only the page of that call resumes such a run.
   */
  async isAwaited(): Promise<boolean> {
    const { parent } = this
    const parentRecord = parent && (await this.#store.get(parent.conversationId))
    return (
      parentRecord?.openRunId === parent?.runId &&
      parentRecord?.openCalls.includes(parent?.toolCallId ?? '') === true
    )
  }

  /** Texts that the model didn't write. */
  get promptTexts(): PromptTexts {
    return this.#history.promptTexts
  }

  /** Whether a person or a model has given the conversation a title. */
  get isNamed(): boolean {
    return this.#history.isNamed
  }

  /** The newest claim, and when it was last known to hold. */
  get claimed(): KnownClaim {
    return this.#claimed
  }

  /** Reason why some rows can't be folded; null if all can. With a fault, no run is driven and no row is appended. */
  get fault(): string | null {
    return this.#fault?.fault ?? null
  }

  /** Whether a call of this conversation had this id, even if its messages were cleared. */
  hasCallId(toolCallId: string): boolean {
    return this.#history.callIds.has(toolCallId)
  }

  /**
   * Sends the page the newest messages of a conversation that isn't read yet, if that is quicker than reading all of
   * it.
   */
  async preview(): Promise<void> {
    // Queued first: the read of all rows would delay it.
    await this.#enqueue(async () => {
      if (this.state.seq > 0) return
      const state = await newestState(this.#store, this.conversationId)
      if (state) this.stream.checkpoint('joined', { state, fault: null })
    })
  }

  /** Sends the page the current state. */
  publish(reason: 'joined' | 'resumed'): void {
    const fault = this.#faultError?.toData() ?? null
    this.stream.checkpoint(reason, { state: this.state, fault })
  }

  /**
   * Becomes the owner, and folds the rows that others wrote since the last read. Creates a missing conversation if the
   * options allow it. True if there were new rows.
   */
  async claim(options: ClaimOptions = {}): Promise<boolean> {
    const knownAt = this.#effects.monotonic()
    const at = this.#effects.now()
    const claimStore = (identity: ClaimOptions): Promise<Claim> =>
      this.#store.claim(this.conversationId, at, { ...options, ...identity })
    this.#claimed = { ...(await this.claims.claim(claimStore)), knownAt }
    const previousSeq = this.state.seq
    await this.#enqueue(() => this.#catchUp({ isDecided: true }))
    this.refuseBroken()
    return this.state.seq !== previousSeq
  }

  /** Throws `conversation-broken` if some rows could not be folded. */
  refuseBroken(): void {
    const error = this.#faultError
    if (error !== null) throw error
  }

  get #faultError(): OffstageError | null {
    return this.#fault && brokenConversation(this.conversationId, this.#fault.fault)
  }

  /** Whether the store has the append with this id, from any worker. */
  async hasAppended(appendId: string): Promise<boolean> {
    const { rows, isCopy } = await this.#store.read(this.conversationId)
    if (isCopy) throw onlyCopy()
    return rows.some((row) => (row as Partial<Row> | null)?.appendId === appendId)
  }

  /**
   * Folds rows that any worker wrote since the last read. `isOwner`: false if another owner may have claimed the
   * conversation meanwhile.
   */
  async refresh({ isOwner: mayOwn = true }: { readonly isOwner?: boolean } = {}): Promise<void> {
    // While the owner's commit waits for the storage, nobody else writes, so there is nothing to read.
    const isOwner = mayOwn && this.#claimed.epoch > 0 && this.state.seq > 0
    if (this.storageRetry.waitError === null || !isOwner) await this.#enqueue(() => this.#catchUp())
  }

  /**
   * Whether the store has a row that isn't folded yet. Waits for this worker's own commits first. `lastSeq`: 0 if the
   * conversation was deleted, null if unknown.
   */
  async hasNewRow(lastSeq: number | null): Promise<boolean> {
    if (lastSeq === null) return true
    const { seq } = await this.#enqueue(async () => this.state)
    return lastSeq > 0 ? lastSeq > seq : seq > 0
  }

  /** Whether the folded conversation was deleted, even if a new conversation has its id. */
  async isDeleted(): Promise<boolean> {
    const record = await this.#store.get(this.conversationId)
    return makerOf(record) !== makerOf(this.#record)
  }

  /**
   * Commits facts in one transaction, then folds them. False if `facts` decided to write nothing. Appends with `waits`
   * are queued and retried in order. Other appends may come between two tries.
   */
  async append(facts: Facts, options: AppendOptions = {}): Promise<boolean> {
    const { waits = true, once = false } = options
    const { storageRetry } = this
    // Each try uses the same id: if only the answer was lost, the rows aren't written twice.
    const appendId = options.appendId ?? `${this.#appendPrefix}:${++this.#appendCount}`
    const commit = (onStored = (): void => undefined): Promise<boolean> =>
      this.#enqueue(() => this.#commit(facts, { ...options, appendId, onStored }))
    this.#pendingAppends.add(appendId)
    try {
      if (once) return await commit()
      if (waits) return await this.#enqueueCommit(() => storageRetry.persist(commit))
      const { reason, waitError } = storageRetry
      // A run that waits for a part of the worker doesn't block the storage.
      if (waitError && reason !== 'part-unavailable') throw OffstageError.fromData(waitError)
      return await storageRetry.persist(commit, { waits })
    } finally {
      this.#pendingAppends.delete(appendId)
    }
  }

  async #commit(
    facts: Facts,
    options: AppendOptions & { readonly appendId: string; readonly onStored: () => void },
  ): Promise<boolean> {
    if (this.#isInDoubt) await this.#catchUp({ isDecided: true })
    this.refuseBroken()
    const { appendId, strict = false, onStored } = options
    // Committed by an earlier try, whose answer was lost.
    if (!this.#pendingAppends.has(appendId)) return true
    const drafts = typeof facts === 'function' ? facts(this.run) : facts
    if (drafts === null) return false
    const runId = options.runId === undefined ? (this.run?.runId ?? null) : options.runId
    const at = this.#effects.now()
    const knownAt = this.#effects.monotonic()
    const head = headId(this.state)
    this.#isInDoubt = true
    const rows = await this.#store.append({
      conversationId: this.conversationId,
      epoch: this.#claimed.epoch,
      appendId,
      order: ++this.#appendCount,
      rows: withParents(drafts, head).map((fact) => ({ runId, ...fact, at })),
      strict,
    })
    this.#claimed = { ...this.#claimed, knownAt }
    this.#isInDoubt = false
    onStored()
    // Storing a title needs no ownership, so another worker's title may have come in between.
    if (rows[0] && rows[0].seq !== this.state.seq + 1) await this.#catchUp()
    else {
      this.#fold(rows)
      this.stream.pushRows(rows)
      this.#onCommitted(rows)
    }
    return true
  }

  /**
   * Reads and folds new rows. `isDecided`: a decision depends on the rows, so throws if the store returns only a copy.
   */
  async #catchUp({ isDecided = false } = {}): Promise<void> {
    const { seq } = this.state
    let stored = await this.#store.read(this.conversationId, { after: seq })
    const isNew = seq > 0 && !this.#isContinued(stored.record)
    if (isNew) {
      this.#reset()
      stored = await this.#store.read(this.conversationId)
    }
    const { record, rows, isCopy } = stored
    if (isDecided && isCopy) throw onlyCopy()
    this.#record = record
    const { sound, fault } = soundRows(rows, { after: this.state.seq, record })
    const hasChanged = this.#fault?.fault !== fault?.fault
    this.#fault = fault
    const ownRows = sound.filter(({ appendId }) => this.#pendingAppends.has(appendId))
    this.#fold(sound)
    if (!isCopy) this.#isInDoubt = false
    if (ownRows.length > 0) this.#onCommitted(ownRows)
    // A run that was refused here stays shown until another run begins, maybe on another device. Push the rows, so that
    // the page sees it begin.
    const hasWaiter =
      this.storageRetry.waiter !== null || (this.#isRead && refusedRun(this.stream.live))
    this.#isRead = true
    const mustPush = this.stream.isJoined || hasWaiter || ownRows.length > 0
    if (this.stream.isJoined && (isNew || hasChanged)) {
      this.stream.settleRows(sound)
      this.publish('joined')
    } else if (mustPush) this.stream.pushRows(sound)
    else this.stream.settleRows(sound)
    if (record === null || fault?.kind === 'newer' || isCopy) return
    // Notes the fault in the record, because lists read no rows. A failed write is ignored.
    const broken = fault?.fault ?? null
    if ((record.broken ?? null) !== broken) {
      await this.#store.mark(this.conversationId, broken).catch(() => undefined)
    }
  }

  /** Whether the store's rows still begin with the folded rows. */
  #isContinued(record: ConversationRecord | null): boolean {
    return (
      this.#fault === null &&
      record !== null &&
      record.broken === undefined &&
      makerOf(record) === makerOf(this.#record) &&
      record.lastSeq >= this.state.seq
    )
  }

  #reset(): void {
    this.#history = emptyHistory(this.conversationId)
    this.#fault = null
    this.stream.adopt({ ...NOTHING_LIVE, ownership: this.stream.live.ownership })
  }

  #fold(rows: readonly Row[]): void {
    const history = this.#history
    // Only the newest run is counted.
    const newestStartSeq = rows.findLast(isStart)?.seq ?? 0
    // Includes consents that another device gave and ended while this browser was closed: both rows are new.
    const allConsents = [
      ...history.state.consents,
      ...rows.filter((row) => row.type === 'consent-given'),
    ]
    history.state = fold(history.state, rows, (row, run) => {
      if (row.seq >= newestStartSeq) history.run = countRow(history.run, run, row)
      for (const id of callIdsIn(row)) history.callIds.add(id)
      history.promptTexts.fold(row)
      if (row.type === 'model-output' && row.form) this.forms.set(row.form.key, row.form)
      this.secrets.fold(row)
      history.isNamed ||= row.type === 'renamed'
      if (isStart(row) && row.appendId === this.#record?.importId) history.importedRunId = row.runId
      this.#pendingAppends.delete(row.appendId)
    })
    // Notes ended consents: a later row that gives the same consent again is a copy, and doesn't count.
    for (const { consentId, scope } of allConsents)
      if (!history.state.consents.some((consent) => consent.scope === scope))
        void this.claims.note('consents', consentId)
  }
}
