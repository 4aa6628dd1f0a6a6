import type { BranchPoint, StartRun } from '../protocol/worker-calls.ts'
import type { DeltaOf } from '../protocol/delta.ts'
import { allPendingCalls } from '../conversation/pending.ts'
import { OffstageError, toErrorData } from '../protocol/error.ts'
import type { Identified } from '../protocol/fact.ts'
import type { Message, ToolCallPart, ToolMessage, ToolResultPart } from '../protocol/message.ts'
import type { PauseReason, RunOutcome } from '../protocol/run.ts'
import type { RunRef } from '../protocol/conversation.ts'
import { decide } from './run/decide.ts'
import { firstFacts, planDropped } from './run/queued-messages.ts'
import { unfinishedReason } from './run/end-run.ts'
import {
  type ActiveConversation,
  type Admission,
  busyError,
  callsPending,
  parentEndedError,
  runPausedError,
} from './active-conversation.ts'
import type { Effects } from './effects.ts'
import type { Waiter } from './store/storage-retry.ts'
import type { Conversation } from './conversation.ts'
import { isClaimedElsewhere, isOtherOwnerError, otherDeviceError } from './ownership/leases.ts'
import type { ConversationRegistry } from './conversation-registry.ts'
import { type RunResumer, TELL_MODEL } from './run-resumer.ts'
import type { RunLauncher } from './run-launcher.ts'
import { whenAborted } from '../lib/abort.ts'
import type { Stream } from './stream.ts'
import type { ConversationState } from '../protocol/state.ts'
import { resultWithin } from './stopping.ts'
import { ancestry } from '../conversation/tree.ts'
import { isRequest } from '../conversation/requests.ts'
import { callParts } from '../conversation/fold-call.ts'
import { listOf } from '../lib/shape.ts'
import type { FactDraft } from './store/fact-draft.ts'
import { isMessage, MAX_MESSAGES } from './store/fact-table.ts'

/**
 * Pause before the store is checked again: an owner that vanishes before its run begins reports no change.
 * Milliseconds.
 */
const CHECK_AGAIN_MS = 10_000

/** A requested run that isn't stored yet, and the stream that reports on it. */
interface PendingStart {
  readonly stream: Stream
  readonly admission: Admission
}

function reportPausedAdmission(
  { runId, message }: StartRun,
  { stream, admission }: PendingStart,
  reason: PauseReason,
): void {
  admission.isPaused = true
  stream.pushDelta({ type: 'storage-waits', runId, reason, ...(message && { message }) })
  stream.flush()
}

function continueAdmission({ stream, admission }: PendingStart): void {
  admission.isPaused = false
  stream.pushDelta({ type: 'storage-takes', runId: admission.runId })
}

function stopAdmissions(active: ActiveConversation, reason: string): void {
  for (const { stop } of active.admissions.values()) stop.abort(reason)
}

/** Waits until the current run has ended. A stopped run ends at once, unless its end waits for the storage. */
async function waitUntilIdle(
  active: ActiveConversation,
  command: StartRun,
  pending: PendingStart,
): Promise<void> {
  const { signal } = pending.admission.stop
  const { storageRetry } = active.conversation
  if (command.ifBusy !== 'queue') {
    await Promise.race([active.whenIdle(signal), storageRetry.whenWaiting()])
    if (storageRetry.reason !== null && active.driver && !signal.aborted) {
      reportPausedAdmission(command, pending, storageRetry.reason)
      await active.whenIdle(signal)
      if (!signal.aborted) continueAdmission(pending)
    }
  }
  await active.whenIdle(signal)
}

/**
 * Whether a queued run must wait for another device's run, even if that device claimed the conversation only just
 * before.
 */
async function waitsForDevice(
  { conversation, leases: ownership }: ActiveConversation,
  { ifBusy }: StartRun,
  thrown: unknown,
): Promise<boolean> {
  const mayWait = ifBusy === 'queue' && isOtherOwnerError(thrown)
  return mayWait && isClaimedElsewhere(conversation, ownership)
}

/**
 * Parent message of a new branch. Null if the branch replaces a first message. Throws `invalid-input` if the message
 * doesn't exist, can't be edited, or answers no user message. Pure.
 */
function branchPoint(
  { path, others }: Pick<ConversationState, 'path' | 'others'>,
  { type, messageId }: BranchPoint,
): string | null {
  const nodes = new Map([...path, ...others].map((node) => [node.id, node]))
  const target = messageId === undefined ? path.at(-1) : nodes.get(messageId)
  if (!target) {
    const subject =
      messageId === undefined
        ? 'The conversation has no messages'
        : `There is no message ${messageId}`
    throw new OffstageError('invalid-input', `${subject}.`)
  }
  switch (type) {
    case 'edit':
      if (isRequest(target)) return target.parentId
      throw new OffstageError(
        'invalid-input',
        `Message ${target.id} was not written by a person: it can't be edited.`,
      )
    case 'regenerate': {
      for (const node of ancestry(nodes, target.id)) if (isRequest(node)) return node.id
      throw new OffstageError('invalid-input', `Message ${target.id} answers no user message.`)
    }
    default:
      return type satisfies never
  }
}

interface Ids {
  readonly newId: (prefix: string) => string
  /** Whether the conversation had a call with this id before its history was cleared. */
  readonly isUsed: (toolCallId: string) => boolean
}

const isHistory = listOf(isMessage, MAX_MESSAGES)

/** Checks the history that the page sent. Throws `invalid-history` if it is invalid. */
function checkHistory(value: unknown): readonly Message[] {
  if (isHistory(value) && hasPairedCalls(value as readonly Message[]))
    return value as readonly Message[]
  throw new OffstageError('invalid-history', 'history must be a list of Offstage messages.')
}

/**
 * Whether each call has an input or error and a unique id, and each result belongs to a call of the newest assistant
 * message.
 */
function hasPairedCalls(messages: readonly Message[]): boolean {
  const usedIds = new Set<string>()
  let openIds = new Set<string>()
  return messages.every((message) => {
    if (message.role === 'tool')
      return message.parts.every(({ toolCallId }) => openIds.delete(toolCallId))
    const calls = callParts(message)
    if (message.role === 'assistant') openIds = new Set(calls.map(({ toolCallId }) => toolCallId))
    return calls.every(({ toolCallId, input, error }) => {
      const isNew = !usedIds.has(toolCallId)
      usedIds.add(toolCallId)
      return isNew && (input !== undefined || error !== undefined)
    })
  })
}

/**
 * Imported messages as they are stored, each with a unique id. A tool message after each assistant message with calls
 * holds their results, in call order. Results may be missing.
 */
function normalizeHistory(messages: readonly Message[], ids: Ids): readonly Identified<Message>[] {
  const results = resultsOf(messages)
  const usedIds = new Set<string>()
  const idOf = ({ id }: Message): string => {
    const uniqueId = id !== undefined && id !== '' && !usedIds.has(id) ? id : ids.newId('msg_')
    usedIds.add(uniqueId)
    return uniqueId
  }
  return messages.flatMap((message, index): Identified<Message>[] => {
    if (message.role === 'tool') return []
    const stored = { ...message, id: idOf(message) }
    if (stored.role !== 'assistant') return [stored]
    const calls = callParts(stored)
    if (calls.length === 0) return [stored]
    const next = messages[index + 1]
    const renamedCalls = new Map(calls.map((call) => [call, withUnusedId(call, ids)]))
    const tools: Identified<ToolMessage> = {
      role: 'tool',
      ...(next?.role === 'tool' && next.foreign && { foreign: next.foreign }),
      id: next?.role === 'tool' ? idOf(next) : ids.newId('msg_'),
      parts: calls.flatMap((call) => {
        const result = results.get(call.toolCallId)
        return result ? withCallId(result, renamedCalls.get(call) ?? call) : []
      }),
    }
    const parts = stored.parts.map((part) =>
      part.type === 'tool-call' ? (renamedCalls.get(part) ?? part) : part,
    )
    return [{ ...stored, parts }, tools]
  })
}

/** The call. If the conversation already had a call with its id, the id is replaced. */
function withUnusedId(call: ToolCallPart, { newId, isUsed }: Ids): ToolCallPart {
  const { toolCallId } = call
  return isUsed(toolCallId)
    ? { providerCallId: toolCallId, ...call, toolCallId: newId('call_') }
    : call
}

function withCallId(
  result: ToolResultPart,
  { toolCallId, providerCallId }: ToolCallPart,
): ToolResultPart {
  if (result.toolCallId === toolCallId) return result
  return { ...result, toolCallId, ...(providerCallId !== undefined && { providerCallId }) }
}

function resultsOf(messages: readonly Message[]): ReadonlyMap<string, ToolResultPart> {
  return new Map(
    messages.flatMap((message) =>
      message.role === 'tool' ? message.parts.map((part) => [part.toolCallId, part] as const) : [],
    ),
  )
}

/** Whether a call in these messages has no output yet. */
function awaitsOutput(messages: readonly Message[]): boolean {
  const results = resultsOf(messages)
  return messages
    .flatMap(callParts)
    .some(({ toolCallId, error }) => !error && !results.has(toolCallId))
}

/** Facts for imported messages, which belong to no run. Their author is unknown, so they taint all branches. */
function importFacts(messages: readonly Identified<Message>[]): readonly FactDraft[] {
  if (messages.length === 0) return []
  return [
    { type: 'messages-imported', runId: null, messages },
    { type: 'context-tainted', runId: null, after: null, origin: 'an imported history' },
  ]
}

export interface RunsOptions {
  readonly effects: Pick<Effects, 'newId' | 'sleep'>
  readonly registry: ConversationRegistry
  readonly launcher: RunLauncher
  readonly resumer: RunResumer
  /** Resumes an open run that no other owner can resume any more. */
  resumeOpen(active: ActiveConversation, agentId: string): Promise<void>
}

/** Begins runs, one at a time in each conversation. A run is stored before it is driven. */
export class RunQueue {
  readonly #options: RunsOptions

  constructor(options: RunsOptions) {
    this.#options = options
  }

  /** Begins a run. Never rejects: a refusal becomes the run's `failed` end. */
  async start(command: StartRun): Promise<void> {
    const { registry } = this.#options
    const { agentId, runId } = command
    let stream = registry.streamOf(command)
    let markOver = (): void => undefined
    const isOver = new Promise<void>((resolve) => {
      markOver = resolve
    })
    const stop = new AbortController()
    const { signal } = stop
    const admission: Admission = { agentId, runId, stop, isOver, isPaused: false }
    try {
      const active = await registry.openConversation(command)
      ;({ stream } = active.conversation)
      // The request is repeated. The first one reports how the run began.
      if (isRequested(active, runId)) return
      const isBusy = active.paused !== null || active.driver?.isStopped === false
      if (command.ifBusy === 'refuse' && isBusy) throw busyError(command.conversationId)
      if (command.ifBusy === 'replace') stopAdmissions(active, 'replaced')
      const earlier = [...active.admissions.values()]
      active.admissions.set(runId, admission)
      try {
        // Runs begin in the order of their requests.
        for (const other of earlier) await Promise.race([other.isOver, whenAborted(signal)])
        await this.#admit(active, command, { stream, admission })
      } finally {
        active.admissions.delete(runId)
        markOver()
        void active.releaseIfIdle()
      }
    } catch (error) {
      const outcome: RunOutcome = signal.aborted
        ? { outcome: 'aborted', reason: String(signal.reason) }
        : { outcome: 'failed', error: toErrorData(error) }
      const hasBegun = registry.find(command)?.conversation.run?.runId === runId
      const { message } = command
      // A trigger's message isn't returned: no person wrote it, so nobody should send it again.
      const isReturned = !hasBegun && !message?.trigger
      pushRunLeft(stream, runId, { outcome, ...(isReturned && { message }) })
      void this.#resumeOtherRun(command).catch(() => undefined)
    }
  }

  /**
   * Resumes another device's open run if both devices began a run at once: this device's later claim has fenced the
   * other off.
   */
  async #resumeOtherRun(command: StartRun): Promise<void> {
    const active = this.#options.registry.find(command)
    if (!active || active.driver) return
    const { claims, claimed, run } = active.conversation
    if (!claims.isShared || run?.end !== null || decide(run) === 'wait') return
    if (claimed.epoch === 0 || (await claims.newest()).epoch !== claimed.epoch) return
    await this.#options.resumeOpen(active, command.agentId)
  }

  async #commitStart(active: ActiveConversation, command: StartRun): Promise<void> {
    const { conversation } = active
    const { runId, message, limits, branch } = command
    const history = checkHistory(command.history ?? [])
    await active.claim(
      command.parent && { parent: command.parent },
      (openRun) => openRun.runId === runId,
    )
    try {
      const { run } = conversation
      // Stored by an earlier try, whose answer was lost.
      if (run?.runId === runId) return conversation.publish('resumed')
      if (run?.end === null) throw busyError(command.conversationId)
      const imported =
        conversation.messages.length === 0 ? this.#normalized(history, conversation) : []
      const isSeparate = imported.length > 0 && (branch !== undefined || awaitsOutput(imported))
      if (isSeparate) await conversation.append(importFacts(imported), { once: true })
      // Includes calls of an imported history, which is already stored: they need their outputs first.
      const pending = allPendingCalls(conversation.state)
      if ((message !== null || branch) && pending.length > 0) throw callsPending(pending)
      // If the parent call has ended, a child run would have no purpose.
      if (command.parent && !(await conversation.isAwaited())) throw parentEndedError()
      const options = {
        ...(branch && { parentId: branchPoint(conversation.state, branch) }),
        ...(command.parent && { forCall: true as const }),
      }
      const facts = [
        ...(isSeparate ? [] : importFacts(imported)),
        ...firstFacts([message], limits, options),
        ...planDropped(conversation.state, message),
      ]
      await conversation.append(facts, { runId, once: true })
    } catch (error) {
      active.releaseOwnership()
      throw error
    }
  }

  #normalized(
    history: readonly Message[],
    conversation: Conversation,
  ): readonly Identified<Message>[] {
    return normalizeHistory(history, {
      newId: this.#options.effects.newId,
      isUsed: (toolCallId) => conversation.hasCallId(toolCallId),
    })
  }

  /**
   * Begins the run as soon as the storage allows, and keeps the message until then. If a commit's answer was lost, the
   * run may have begun: reported as failed, it would have no driver.
   */
  #admit(active: ActiveConversation, command: StartRun, pending: PendingStart): Promise<void> {
    const { effects } = this.#options
    const { signal } = pending.admission.stop
    const waiter: Waiter = {
      signal,
      waitsFor: (reason) => reason === 'storage-full' || reason === 'storage-offline',
      onPause: (reason) => reportPausedAdmission(command, pending, reason),
      onContinue: () => continueAdmission(pending),
    }
    const tryBegin = async (onReached: () => void): Promise<void> => {
      for (;;) {
        signal.throwIfAborted()
        // Created before the check, so that no change in between is missed.
        const changed = active.whenChanged()
        try {
          if (await active.enqueue(() => this.#beginRun(active, command, pending))) return
          // The storage works. Another run has to end first, and waits for the storage by itself.
          onReached()
          await waitUntilIdle(active, command, pending)
        } catch (error) {
          if (!(await waitsForDevice(active, command, error))) throw error
          onReached()
          await resultWithin(CHECK_AGAIN_MS, Promise.race([changed, whenAborted(signal)]), effects)
        }
      }
    }
    return active.conversation.storageRetry.persist(tryBegin, { waiter })
  }

  /** Stores and launches the run. False if another run must end first. */
  async #beginRun(
    active: ActiveConversation,
    command: StartRun,
    { admission }: PendingStart,
  ): Promise<boolean> {
    const { signal } = admission.stop
    signal.throwIfAborted()
    if (!(await this.#resolveBusy(active, command))) return false
    signal.throwIfAborted()
    await this.#commitStart(active, command)
    this.#options.launcher.launch(active, command)
    if (signal.aborted) active.driver?.abort(String(signal.reason))
    return true
  }

  /** Handles a run in the way according to `ifBusy`: throws, waits for it, or stops it. True if no run is driven. */
  async #resolveBusy(
    active: ActiveConversation,
    { agentId, conversationId, ifBusy, parent }: StartRun,
  ): Promise<boolean> {
    const { conversation } = active
    switch (ifBusy) {
      case 'refuse':
        // A run that is being stopped counts as ended.
        if (active.driver && !active.driver.isStopped) throw busyError(conversationId)
        break
      case 'queue':
        // The current run would never end without a driver, so it is resumed.
        await conversation.refresh()
        if (conversation.run?.paused) throw runPausedError(conversationId, conversation.run.paused)
        // Another device's run isn't resumed. While it waits for a person, it isn't claimed, either.
        if (!active.driver && (await active.isOpenElsewhere()))
          throw otherDeviceError(conversationId)
        await this.#options.resumer.resume(active, agentId, {
          ...TELL_MODEL,
          takesOver: false,
          // The call that a discussion is about still waits, as if for a child run.
          asChild: Boolean(parent),
        })
        break
      case 'replace':
        await this.#options.resumer.resume(active, agentId, { ...TELL_MODEL, takesOver: true })
        active.driver?.abort('replaced')
        break
      default:
        ifBusy satisfies never
    }
    return active.driver === null
  }
}

function isRequested(
  { admissions, driver, conversation }: ActiveConversation,
  runId: string,
): boolean {
  return admissions.has(runId) || driver?.runId === runId || conversation.run?.runId === runId
}

/** Ends the page's handles of the run, without storing a fact. */
function pushRunLeft(
  stream: Stream,
  runId: string,
  end: Pick<DeltaOf<'run-left'>, 'outcome' | 'message'>,
): void {
  stream.pushDelta({ type: 'run-left', runId, ...end })
  stream.flush()
}

/** Ends the page's handles of a run that another owner drives now. The run stays open in the store. */
export function endRunHandles(
  { stream, conversationId }: Conversation,
  { runId }: { readonly runId?: string },
  error: unknown,
): RunRef | null {
  const reason = unfinishedReason(null, error)
  if (runId === undefined || reason === null) return null
  pushRunLeft(stream, runId, { outcome: { outcome: 'aborted', reason } })
  return { conversationId, runId }
}
