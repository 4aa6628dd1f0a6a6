import type {
  CallAnswer,
  SendMessage,
  StartRun,
  WithdrawMessage,
} from '../../protocol/worker-calls.ts'
import type { RunOutcome } from '../../protocol/run.ts'
import {
  type AgentScope,
  type ConversationRecord,
  type ConversationScope,
  type RunRef,
  storageKey,
} from '../../protocol/conversation.ts'
import { DISCUSSION, discussionId } from '../../conversation/discussion.ts'
import type { ConversationSnapshot } from '../../conversation/snapshot.ts'
import type { JsonObject, JsonSchema } from '../../protocol/json.ts'
import type {
  Agent,
  AgentTool,
  Conversation,
  Conversations,
  UndoneTurn,
  UndoTurnOptions,
} from './agent.ts'
import type { AgentParts } from './agent-parts.ts'
import { checkId, checkMessageParts, checkText } from '../runs/check-message.ts'
import { checkNames } from './check-names.ts'
import type { DiscussionRequest, CallName } from '../features/discuss.ts'
import type { ExtractOptions } from '../features/extract.ts'
import { badInput, abortReasonText } from './failures.ts'
import { randomId } from '../../lib/random-id.ts'
import type { ResumeOptions } from './options.ts'
import { limitsOf } from '../runs/agent-runs.ts'
import { loadPart } from './load-part.ts'
import { adopt, resumeRun, takeOverRun } from '../runs/resume-run.ts'
import type { Run, RunHandle } from '../runs/run.ts'
import { endRunLocally, sendStart } from '../runs/send-run.ts'
import { sendAbort } from '../runs/restarts.ts'
import type { Listeners, Source } from '../runs/snapshot-store.ts'
import type * as showing from '../views/lazy-views.ts'
import { MOST_ROWS, storedRows } from '../runs/stored-rows.ts'
import type { Trigger, TriggerOptions } from '../triggers/options.ts'
import type { StandardSchema } from '../tools/standard-schema.ts'
import type * as discussing from '../features/discuss.ts'
import type * as transfer from '../transfer/transfer.ts'
import { modelOfPage } from './agent-config.ts'
import { resolveWithin } from '../../lib/sleep.ts'
import { untilAborted } from '../runs/until-aborted.ts'
import { describeThrown } from '../../protocol/error.ts'
import {
  type RequestSeq,
  type ApproveOptions,
  type CallAnswers,
  type CallRef,
  toCallRef,
} from '../execution/person-check.ts'
import { errorOutput, formatOutput, stringify } from '../execution/format-output.ts'

/**
 * Converts a person's answer to the message for the worker. Throws `invalid-input` for anything that isn't an answer.
 * The worker checks the answer's content.
 */
function toSentAnswer(answer: unknown): CallAnswer['answer'] {
  if (typeof answer === 'string') return { type: 'answer', text: answer }
  const { action, content } = Object(answer) as { action?: unknown; content?: unknown }
  if (action === 'decline' || action === 'cancel') return { type: action }
  if (action !== 'accept')
    throw badInput("The answer must be a text, or have the action 'accept', 'decline' or 'cancel'.")
  // Drops fields that a form has left undefined.
  return { type: action, content: { ...(JSON.parse(stringify(content) ?? '{}') as JsonObject) } }
}

/** Answers to calls, sent after the check that a person gave them. */
interface SentAnswers extends Omit<CallAnswers, 'approve' | 'approveAll' | 'consent'> {
  approve(
    call: CallRef,
    options: ApproveOptions | undefined,
    requestSeq: RequestSeq,
  ): Promise<boolean>
}

/** Sends answers to the worker, which knows who drives the run of a call. */
function answerCommands(agent: AgentParts): SentAnswers {
  const { callWorker, options, scope } = agent
  const reply = async (ref: CallRef, answer: Answer): Promise<boolean> => {
    const call = checkCallRef(ref)
    const isDecision = answer.type === 'approve' || answer.type === 'deny'
    const discussedCall = isDecision && discussedIds.size > 0 && findDiscussedCall(call)
    const finalAnswer = discussedCall ? await withNote(agent, discussedCall, answer) : answer
    return callWorker('answerCall', { ...scope(), ...call, answer: finalAnswer })
  }
  return {
    async approve(call, options = {}, requestSeq) {
      checkNames(options, 'approve')
      const { input, remember } = options
      return reply(call, {
        type: 'approve',
        input,
        remember: remember || undefined,
        askedAt: requestSeq,
        shown: toCallRef(call).input,
      })
    },
    async deny(call, reason) {
      checkText(reason ?? '', 'The reason')
      return reply(call, { type: 'deny', reason: reason || undefined })
    },
    answer: async (call, answer) => reply(call, toSentAnswer(answer)),
    async supplyOutput(call, output) {
      const limits = limitsOf(options)
      const command = { ...scope(), ...checkCallRef(call), nextRunId: randomId(), limits }
      const supplied = { ...command, output: await formatOutput(output) }
      const handle = await adopt(agent, () => callWorker('supplyOutput', supplied))
      return handle && handle.run
    },
    async settle(call, outcome) {
      checkNames(outcome, 'settle')
      const { output, error } = outcome
      const failed = error === undefined ? null : errorOutput('failed', describeThrown(error))
      return reply(call, { type: 'settle', output: failed ?? (await formatOutput(output)) })
    },
    async resolveInterrupted(call, verdict, output) {
      return reply(call, {
        type: 'resolve',
        verdict,
        ...(output !== undefined && { output: await formatOutput(output) }),
      })
    },
  }
}

/** Ids of discussions that this page has begun, continued or shown. */
const discussedIds = new Set<string>()

/** Milliseconds that an answer waits for its note: the discussion before it. */
const NOTE_MS = 2000

/** Returns the call if its answer needs a note. Other answers don't wait, so that they keep their order. */
function findDiscussedCall({ conversationId = '', toolCallId }: CallIds): CallName | null {
  const call = { conversationId, toolCallId }
  return discussedIds.has(discussionId(call)) ? call : null
}

/**
 * Adds the call's discussion to an approval or denial, as text for the model. If the discussion can't be read, the
 * answer is sent without it.
 */
async function withNote<Decision extends Answer>(
  agent: AgentParts,
  call: CallName,
  answer: Decision,
): Promise<Decision & { readonly note?: string | undefined }> {
  const query = { ...agent.scope(), conversationId: discussionId(call) }
  const readNote = async (): Promise<string | undefined> => {
    const discussion = await agent.callWorker('getConversation', query)
    return discussion ? (await loadDiscuss()).noteOf(discussion, call) : undefined
  }
  const note = await resolveWithin(readNote(), NOTE_MS).catch(() => null)
  return { ...answer, ...(note && { note }) }
}

type Answer = CallAnswer['answer']
type CallIds = Pick<CallAnswer, 'toolCallId' | 'conversationId'>

/** Throws `invalid-input` if the reference has no valid call id. */
function checkCallRef(call: CallRef): CallIds {
  const { input: _shown, ...ref } = toCallRef(call)
  checkText(ref.toolCallId, 'The id of a call')
  if (ref.conversationId !== undefined) checkId(ref.conversationId)
  return ref
}

/** Starts the worker and loads an engine's model. Rejects with `aborted` as soon as the signal aborts. */
function prepare(
  { callWorker, config, options, scope }: AgentParts,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  return untilAborted(
    () => callWorker('prepare', { ...scope(), ...modelOfPage(config.model, options.engines) }),
    signal,
    () => void callWorker('stopPreparing', { agentId: scope().agentId }).catch(() => {}),
  )
}

type ConversationMethods = Omit<Conversations, 'getSnapshot' | 'subscribe'>

/** Methods of an agent that need its worker, by name. */
export interface AgentCommands
  extends Pick<Agent, 'resume' | 'continue' | 'prepare'>, SentAnswers, ConversationMethods {
  extract(
    request: ExtractOptions<JsonSchema | StandardSchema>,
    signal: AbortSignal,
  ): Promise<unknown>
  sendStart(handle: RunHandle, command: StartRun): Promise<void>
  sendAbort(runId: string): Promise<boolean>
  /** Resumes a child run of this agent. */
  resumeChild(conversationId: string, takesOver?: boolean): Promise<Run | null>
  /** Adds a trigger. Without options, lists them. */
  trigger(options?: TriggerOptions): Promise<Trigger | readonly Trigger[]>
  /** See `RunObserver`. */
  endedChildren(ref: RunRef): Promise<readonly Run[]>
  /** See `Run.send`. */
  sendMessage(message: Omit<SendMessage, keyof AgentScope>): Promise<boolean>
  withdrawMessage(message: Omit<WithdrawMessage, keyof AgentScope>): Promise<boolean>
  /** Reports that this page ended a run without a notice from the worker. */
  leaveRun(ref: RunRef, outcome: RunOutcome): Promise<void>
  show(listeners: Listeners, first: ConversationSnapshot): Promise<Source<ConversationSnapshot>>
  showList(
    listeners: Listeners,
    first: readonly ConversationRecord[],
  ): Promise<Source<readonly ConversationRecord[]>>
  showTools(listeners?: Listeners): Promise<Source<readonly AgentTool[]>>
  /** See `Conversation`. */
  steer(conversationId: string, sent: Pick<SendMessage, 'message' | 'when'>): Promise<string | null>
  withdraw(conversationId: string, messageId: string): Promise<boolean>
  abortOpen(conversationId: string, reason?: string): Promise<boolean>
  switchBranch(conversationId: string, messageId: string): Promise<boolean>
  undo(conversationId: string, toolCallId: string): Promise<boolean>
  undoTurn(
    conversation: Conversation,
    messageId: string,
    options?: UndoTurnOptions,
  ): Promise<UndoneTurn>
  discuss(request: DiscussionRequest): Promise<Run | null>
  revoke(conversationId: string, consentId: string): Promise<boolean>
  takeOver(conversationId: string, options?: ResumeOptions): ReturnType<Conversation['takeOver']>
}

export function createCommands(agent: AgentParts): AgentCommands {
  const commands: AgentCommands = {
    async resume(conversationId, options = {}) {
      checkNames(options, 'resume')
      if (conversationId !== undefined) checkId(conversationId)
      return resumeRun(agent, {
        ...options,
        ...(conversationId !== undefined && { conversationId }),
      })
    },
    resumeChild: (conversationId, takesOver = false) =>
      resumeRun(agent, { conversationId, asChild: true, takesOver }),
    async endedChildren(ref) {
      const { endedChildren } = await loadPart(() => import('../sub-agents/child-runs.ts'))
      return endedChildren(agent, ref)
    },
    async continue(conversationId) {
      checkId(conversationId)
      return resumeRun(agent, { conversationId, continueLimits: limitsOf(agent.options) })
    },
    prepare({ signal } = {}) {
      // Usually a conversation is shown next, so the code of views is fetched while the worker starts.
      void loadViews().catch(() => undefined)
      return prepare(agent, signal)
    },
    async extract(request, signal) {
      const { extract } = await loadPart(() => import('../features/extract.ts'))
      return extract(agent, request, signal)
    },
    sendStart: (handle, command) => sendStart(agent, handle, command),
    sendAbort: (runId) => sendAbort(agent, runId),
    ...steerCommands(agent),
    async leaveRun(ref, outcome) {
      endRunLocally(agent, ref, outcome)
    },
    ...viewCommands(agent),
    async abortOpen(conversationId, reason) {
      checkId(conversationId)
      return abortOpen(agent, conversationId, abortReasonText(reason))
    },
    async takeOver(conversationId, options = {}) {
      checkNames(options, 'resume')
      return takeOverRun(agent, conversationId, options)
    },
    ...idleCommands(agent),
    ...answerCommands(agent),
    ...conversationCommands(agent),
    async trigger(options) {
      const { trigger } = await loadPart(() => import('../triggers/trigger.ts'))
      return trigger(agent, { ...commands, limits: limitsOf(agent.options) }, options)
    },
  }
  return commands
}

/** Commands refused while a run is open, and the revocation of remembered approvals. */
function idleCommands(
  agent: AgentParts,
): Pick<AgentCommands, 'discuss' | 'switchBranch' | 'undo' | 'undoTurn' | 'revoke'> {
  const { callWorker } = agent
  return {
    async discuss(request) {
      const { conversationId = '', toolCallId } = checkCallRef(request.call)
      discussedIds.add(discussionId({ conversationId, toolCallId }))
      return (await loadDiscuss()).discuss(agent, request)
    },
    async revoke(conversationId, consentId) {
      return callWorker('revokeConsent', {
        ...scopeOf(agent, conversationId, consentId),
        consentId,
      })
    },
    async switchBranch(conversationId, messageId) {
      return callWorker('switchBranch', { ...scopeOf(agent, conversationId, messageId), messageId })
    },
    async undo(conversationId, toolCallId) {
      return callWorker('undoCall', { ...scopeOf(agent, conversationId, toolCallId), toolCallId })
    },
    async undoTurn(conversation, messageId, options) {
      const { undoTurn } = await loadPart(() => import('../execution/undo-tool.ts'))
      return undoTurn(agent, { conversation, messageId, options })
    },
  }
}

/** Throws `invalid-input` for an invalid conversation id, or an invalid id within it. */
function scopeOf({ scope }: AgentParts, conversationId: string, id = ''): ConversationScope {
  checkId(conversationId)
  checkText(id, 'The id')
  return { ...scope(), conversationId }
}

type SteerCommands = Pick<AgentCommands, 'sendMessage' | 'withdrawMessage' | 'steer' | 'withdraw'>

function steerCommands(agent: AgentParts): SteerCommands {
  return {
    sendMessage: (message) => sendMessage(agent, message),
    withdrawMessage: (message) =>
      agent.callWorker('withdrawMessage', { ...agent.scope(), ...message }),
    async steer(conversationId, sent) {
      checkId(conversationId)
      const runId = await runIdToSteer(agent, conversationId)
      if (runId == null) return null
      const isQueued = await sendMessage(agent, { ...sent, conversationId, runId })
      return isQueued ? sent.message.id : null
    },
    async withdraw(conversationId, messageId) {
      const conversationScope = scopeOf(agent, conversationId, messageId)
      const runId = await runIdToSteer(agent, conversationId)
      if (runId == null) return false
      return agent.callWorker('withdrawMessage', { ...conversationScope, runId, messageId })
    },
  }
}

function viewCommands(agent: AgentParts): Pick<AgentCommands, 'show' | 'showList' | 'showTools'> {
  return {
    async show(listeners, first) {
      checkId(first.conversationId)
      if (first.conversationId.startsWith(DISCUSSION)) discussedIds.add(first.conversationId)
      const { ConversationView } = await loadViews()
      const view = new ConversationView(agent, first, listeners)
      getOpenViews(agent.signal).add(view)
      return view
    },
    async showList(listeners, first) {
      const { ConversationListView } = await loadViews()
      return new ConversationListView(agent, first, listeners)
    },
    async showTools(listeners) {
      return (await loadPart(() => import('../tools/shown-tools.ts'))).showTools(agent, listeners)
    },
  }
}

const openViews = new WeakMap<AbortSignal, Set<showing.ConversationView>>()

/** Conversations to close when the agent is disposed. A single abort listener serves any number of them. */
function getOpenViews(signal: AbortSignal): Set<showing.ConversationView> {
  const existing = openViews.get(signal)
  if (existing) return existing
  const views = new Set<showing.ConversationView>()
  openViews.set(signal, views)
  signal.addEventListener('abort', () => {
    for (const view of views) view.close()
  })
  return views
}

const loadTransfer = (): Promise<typeof transfer> =>
  loadPart(() => import('../transfer/transfer.ts'))

const loadDiscuss = (): Promise<typeof discussing> =>
  loadPart(() => import('../features/discuss.ts'))

const loadViews = (): Promise<typeof showing> => loadPart(() => import('../views/lazy-views.ts'))

function sendMessage(
  agent: AgentParts,
  { message, ...target }: Omit<SendMessage, keyof AgentScope>,
): Promise<boolean> {
  const checked = { ...message, parts: checkMessageParts(message.parts) }
  return agent.callWorker('sendMessage', { ...agent.scope(), ...target, message: checked })
}

/** Returns the id of the conversation's open run, whichever page drives it. */
async function openRunId(
  { callWorker, link, scope }: AgentParts,
  conversationId: string,
): Promise<string | null | undefined> {
  const feed = link().feeds.find({ storage: storageKey(scope().storage), conversationId })
  if (feed?.hasWholeState) return feed.openRunId
  const records = await callWorker('listConversations', { ...scope(), children: true })
  return records.find((record) => record.conversationId === conversationId)?.openRunId
}

/** Returns the id of the run that a message goes to: the open run, or a run that this page is starting. */
async function runIdToSteer(
  agent: AgentParts,
  conversationId: string,
): Promise<string | null | undefined> {
  const commands = [...agent.runs.commands.values()]
  const ownCommand = commands.find((command) => command.conversationId === conversationId)
  return (await openRunId(agent, conversationId)) ?? ownCommand?.runId
}

async function abortOpen(
  agent: AgentParts,
  conversationId: string,
  reason: string,
): Promise<boolean> {
  const { runs } = agent
  const runId = await openRunId(agent, conversationId)
  const ownHandle = [...runs.openRuns.values()].find(
    ({ run }) => run.conversationId === conversationId,
  )
  const handle = runId == null ? ownHandle : runs.openRuns.get(runId)
  const id = handle?.run.runId ?? runId
  if (id == null) return false
  const isStarting = runs.starting.has(id)
  if (!runs.aborts.has(id)) runs.aborts.set(id, { conversationId, reason })
  handle?.run.abort(reason)
  if (await sendAbort(agent, id)) return true
  // Also true for a run that was aborted before a worker began it.
  return isStarting && (await handle?.run.result)?.outcome === 'aborted'
}

function conversationCommands(agent: AgentParts): ConversationMethods {
  const { callWorker, link, scope } = agent
  const scopeFor = (conversationId: string): ConversationScope => scopeOf(agent, conversationId)
  return {
    list: (options) => callWorker('listConversations', { ...scope(), ...options }),
    get: async (id) => callWorker('getConversation', scopeFor(id)),
    async rename(id, title) {
      checkText(title, 'The title')
      return callWorker('renameConversation', { ...scopeFor(id), title })
    },
    async fork(id, options = {}) {
      checkNames(options, 'fork')
      const forkId = randomId()
      const { at: lastMessageId } = options
      const command = {
        ...scopeOf(agent, id, lastMessageId),
        forkId,
        ...(lastMessageId !== undefined && { lastMessageId }),
      }
      return (await callWorker('forkConversation', command)) ? forkId : null
    },
    async delete(id) {
      const isDeleted = await callWorker('deleteConversation', scopeFor(id))
      // Deleting stores no fact, so views notice it only by joining again.
      void link()
        .feeds.find({ storage: storageKey(scope().storage), conversationId: id })
        ?.views?.requestCheckpoint()
      return isDeleted
    },
    clearHistory: async (id) => callWorker('clearHistory', scopeFor(id)),
    async rows(id, options = {}) {
      checkNames(options, 'rows')
      const { after = 0 } = options
      const found = await callWorker('exportRows', { ...scopeFor(id), after, count: MOST_ROWS })
      return found && storedRows(found)
    },
    async export(id, options = {}) {
      checkNames(options, 'export')
      if (id !== undefined) checkId(id)
      return (await loadTransfer()).exportFile(agent, id, options.through)
    },
    async import(file) {
      return (await loadTransfer()).importFile(agent, file)
    },
    async wipe() {
      const count = await callWorker('wipeConversations', scope())
      link().feeds.requestCheckpoints()
      return count
    },
  }
}
