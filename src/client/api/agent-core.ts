import {
  type AgentScope,
  type ConversationRecord,
  storageKey,
} from '../../protocol/conversation.ts'
import {
  type Agent,
  type AgentEvents,
  type AgentTool,
  type Conversation,
  createAgentEvents,
} from './agent.ts'
import type { AgentCommands } from './agent-commands.ts'
import type { AgentConfig } from './agent-config.ts'
import { AgentRuns, type RunStarter, sentMessage } from '../runs/agent-runs.ts'
import { type CallRef, PersonCheck } from '../execution/person-check.ts'
import { emptySnapshot } from '../../conversation/snapshot.ts'
import { type OffstageError, toErrorData } from '../../protocol/error.ts'
import { UNFINISHED_REASONS, type PendingCall } from '../../protocol/run.ts'
import { disposedError } from './failures.ts'
import { copyConfig } from './check-options.ts'
import { randomId } from '../../lib/random-id.ts'
import { loadPart } from './load-part.ts'
import type { AgentOptions } from './options.ts'
import type { AgentParts } from './agent-parts.ts'
import type * as runtime from './lazy-runtime.ts'
import { SKILL_TOOLS } from '../features/skill.ts'
import {
  createSnapshotStore,
  type SnapshotHost,
  type SnapshotStore,
} from '../runs/snapshot-store.ts'
import type { ToolRegistry } from '../tools/tool-registry.ts'
import { createToolRegistry } from '../tools/tool-registry.ts'
import type { CallWorker, WorkerCaller } from '../worker-link/ask-worker.ts'
import { untilAborted } from '../runs/until-aborted.ts'
import type { WorkerLink } from '../worker-link/worker-link.ts'
import type { InlineWorker } from '../worker-link/worker-start.ts'

type Runtime = typeof runtime

export class AgentCore implements AgentParts {
  readonly options: AgentOptions
  readonly config: AgentConfig
  readonly agentEvents: AgentEvents = createAgentEvents()
  readonly registry: ToolRegistry
  readonly runs: AgentRuns
  readonly personCheck: PersonCheck
  readonly lists: AgentParts['lists'] = new Set()
  readonly list: SnapshotStore<readonly ConversationRecord[]>
  readonly tools: SnapshotStore<readonly AgentTool[]>
  readonly signal: AbortSignal
  readonly #inline: InlineWorker | undefined
  readonly #life = new AbortController()
  readonly #conversations = new Map<string, Conversation>()
  /** Functions that reject the public promises that are still open. */
  readonly #rejecters = new Set<(error: OffstageError) => void>()
  /** Controllers of work outside runs, such as extractions. `abort()` and `dispose()` stop it. */
  readonly #controllers = new Set<AbortController>()
  #agentId: string | undefined
  #loading: Promise<Runtime> | undefined
  #runtime: Runtime | undefined
  #link: WorkerLink | undefined
  #disposal: Promise<void> | undefined

  constructor(options: AgentOptions, inline?: InlineWorker) {
    const { model, instructions = '', values = {} } = options
    this.options = options
    this.#inline = inline
    this.signal = this.#life.signal
    this.personCheck = new PersonCheck(options.consent, this.signal, () =>
      loadPart(() => import('../execution/user-gestures.ts')),
    )
    this.config = { model: copyConfig(model), instructions, values, contexts: new Set() }
    this.registry = createToolRegistry({
      reserved: [...(options.controlTools ?? []), ...(options.skills?.length ? SKILL_TOOLS : [])],
      onChange: () => {
        this.agentEvents.emit({ type: 'tools' })
        if (this.#link?.isStarted && !this.signal.aborted)
          this.callWorker('toolsChanged', { agentId: this.scope().agentId }).catch(() => {})
      },
      // Disposing the agent removes its tools, but another agent may resume their running calls.
      onRemove: (entry) => {
        if (!this.signal.aborted) this.#link?.executions.stopTool(entry)
      },
    })
    this.runs = new AgentRuns({
      scope: this.scope,
      sendStart: this.later('sendStart'),
      sendMessage: this.later('sendMessage'),
      withdrawMessage: this.later('withdrawMessage'),
      messageOf: (input, options) => sentMessage(this.config, input, options),
      isStored: async (conversationId, messageId) => {
        const stored = await this.later('get')(conversationId)
        return stored?.messages.some(({ id }) => id === messageId) === true
      },
      endedChildren: this.later('endedChildren'),
      // If the runtime part can't be loaded, there is no worker to ask.
      sendAbort: (runId) =>
        void this.later('sendAbort')(runId).catch(() => this.runs.aborts.delete(runId)),
      resultOf: (ref, outcome) =>
        this.#link?.feeds.resultOf({ ...ref, storage: storageKey(this.scope().storage) }, outcome),
      onLeft: (ref, outcome) => void this.later('leaveRun')(ref, outcome).catch(() => {}),
      onHandle: (run) => this.agentEvents.emit({ type: 'run', run }),
      onOpen: (openRuns) =>
        this.agentEvents.emit({ type: 'status', status: openRuns ? 'running' : 'idle', openRuns }),
    })
    const isStarted = this.#isStarted
    const createListStore = <Item>(open: SnapshotHost<readonly Item[]>['open']) =>
      createSnapshotStore<readonly Item[]>([], { isStarted, open, failed: () => [] })
    this.list = createListStore(this.later('showList'))
    this.tools = createListStore(this.later('showTools'))
  }

  /** True once anything was requested of the worker. */
  readonly #isStarted = (): boolean => this.#loading !== undefined

  /** Creates the id on first use: some servers forbid random numbers while modules load. */
  readonly scope = (): AgentScope => ({
    agentId: (this.#agentId ??= randomId()),
    storage: this.options.storage ?? { name: 'offstage' },
    ...(this.options.redact && { redacts: true }),
  })

  /** Sends a command to the worker, and starts the worker if needed. */
  readonly callWorker: CallWorker = (name, argument) =>
    this.#withRuntime((runtime) => this.#caller(runtime).callWorker(name, argument))

  readonly callWorkerOnce: CallWorker = (name, argument) =>
    this.#withRuntime((runtime) => this.#caller(runtime).callWorkerOnce(name, argument))

  /** Returns a method whose implementation is loaded with the worker. */
  readonly later = <Name extends keyof AgentCommands>(name: Name): AgentCommands[Name] => {
    const method = (...args: never[]): Promise<unknown> =>
      this.#withRuntime((runtime) => (runtime.createCommands(this)[name] as typeof method)(...args))
    return method as AgentCommands[Name]
  }

  /** Resolves to the answer. Rejects with `disposed` as soon as the agent is disposed, even if the work hangs. */
  whileAlive<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    if (this.signal.aborted) return Promise.reject(disposedError())
    return new Promise((resolve, reject) => {
      this.#rejecters.add(reject)
      void work()
        .then(resolve, reject)
        .finally(() => this.#rejecters.delete(reject))
    })
  }

  /** Runs work that `abort()`, `dispose()` and the caller's own signal can stop. */
  stoppable<Answer>(
    callerSignal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    return this.whileAlive(() => {
      const controller = new AbortController()
      const signal = AbortSignal.any([...(callerSignal ? [callerSignal] : []), controller.signal])
      this.#controllers.add(controller)
      return untilAborted(() => work(signal), signal).finally(() =>
        this.#controllers.delete(controller),
      )
    })
  }

  abort(reason?: string): void {
    for (const { run } of this.runs.openRuns.values()) run.abort(reason)
    for (const controller of this.#controllers) controller.abort(reason)
  }

  /**
   * Runs work that needs the runtime module. If the module is loaded, the work starts at once, so that commands keep
   * their order. Rejects with `worker-load-failed` if the module can't be fetched; the next call tries again.
   */
  #withRuntime<Answer>(work: (runtime: Runtime) => Promise<Answer>): Promise<Answer> {
    return this.whileAlive(async () => {
      const runtime = this.#runtime ?? (await this.#loadRuntime())
      // `dispose()` has rejected the caller's promise, so the work isn't needed.
      this.signal.throwIfAborted()
      return work(runtime)
    })
  }

  #loadRuntime(): Promise<Runtime> {
    this.#loading ??= loadPart(() => import('./lazy-runtime.ts'))
      .then(async (runtime) => {
        await runtime.prepareIdleWork(this.options)
        return (this.#runtime = runtime)
      })
      .catch((error) => {
        this.#loading = undefined
        throw error
      })
    return this.#loading
  }

  #caller(runtime: Runtime): WorkerCaller {
    return this.#connect(runtime).caller(this.scope().agentId, this.signal)
  }

  #connect(runtime: Runtime): WorkerLink {
    if (!this.#link) {
      this.#link = runtime.connectAgent({ ...this.options, inline: this.#inline }, this)
      runtime.workWhileIdle(this)
    }
    return this.#link
  }

  readonly link = (): WorkerLink => this.#connect(this.#runtime as Runtime)

  /** Makes an agent with the same worker. */
  readonly #create = (options: AgentOptions): AgentCore => new AgentCore(options, this.#inline)

  /** Returns the conversation's handle, with the agent's methods bound to it. */
  conversation(id: string, agent: Agent, start: RunStarter): Conversation {
    const existing = this.#conversations.get(id)
    if (existing) return existing
    const toRef = (call: CallRef): CallRef => {
      if (typeof call === 'string') return { conversationId: id, toolCallId: call }
      const { conversationId: givenId, toolCallId } = call ?? {}
      // The snapshot's `pending` also lists calls of child conversations.
      const isChildCall = ({ conversationId, ...pending }: PendingCall): boolean =>
        givenId !== undefined && conversationId === givenId && pending.toolCallId === toolCallId
      const isListed = conversation.getSnapshot().pending.some(isChildCall)
      return { ...call, conversationId: isListed && givenId !== undefined ? givenId : id }
    }
    const conversation: Conversation = {
      ...createSnapshotStore(emptySnapshot(id, 'loading'), {
        isStarted: this.#isStarted,
        open: this.later('show'),
        failed: (thrown) => ({ ...emptySnapshot(id, 'idle'), error: toErrorData(thrown) }),
      }),
      send: (input, options) => agent.run(input, { values: false, ...options, conversationId: id }),
      edit: (messageId, input, options) =>
        start(
          { input, branch: { type: 'edit', messageId } },
          { values: false, ...options, conversationId: id },
        ),
      regenerate: (messageId, options) => {
        const branch = { type: 'regenerate', messageId } as const
        return start({ input: null, branch }, { ...options, conversationId: id })
      },
      resume: (options) => agent.resume(id, options),
      continue: () => agent.continue(id),
      approve: (call, options) => agent.approve(toRef(call), options),
      approveAll: (calls) => agent.approveAll(calls.map(toRef)),
      deny: (call, reason) => agent.deny(toRef(call), reason),
      consent: (call, event) => agent.consent(toRef(call), event),
      answer: (call, answer, options) => agent.answer(toRef(call), answer, options),
      supplyOutput: (call, output, options) => agent.supplyOutput(toRef(call), output, options),
      settle: (call, outcome, options) => agent.settle(toRef(call), outcome, options),
      resolveInterrupted: (call, ...args) => agent.resolveInterrupted(toRef(call), ...args),
      revoke: (consentId) => this.later('revoke')(id, consentId),
      steer: async (input, options = {}) => {
        const { when = 'next-step' } = options
        return this.later('steer')(id, { message: sentMessage(this.config, input, options), when })
      },
      withdraw: (messageId) => this.later('withdraw')(id, messageId),
      abort: (reason) => this.later('abortOpen')(id, reason),
      switchBranch: (messageId) => this.later('switchBranch')(id, messageId),
      undo: async (toolCallId, options) => {
        // Never restores the user gesture: `undo` has no content that could be invalid.
        this.personCheck.checkAnswer({ conversationId: id, toolCallId }, options?.consent)
        return this.later('undo')(id, toolCallId)
      },
      undoTurn: async (toolCallId, options) => {
        // A single gesture is checked for all calls of the turn, under the message's id.
        this.personCheck.checkAnswer({ conversationId: id, toolCallId }, options?.consent)
        return this.later('undoTurn')(conversation, toolCallId, options)
      },
      discuss: async (call, question) =>
        this.later('discuss')({ call: toRef(call), question, conversation, create: this.#create }),
      takeOver: (options) => this.later('takeOver')(id, options),
    }
    this.#conversations.set(id, conversation)
    return conversation
  }

  readonly stopTools = (runId: string, reason: string): void =>
    this.#link?.executions.stopRun(runId, reason)

  dispose(): Promise<void> {
    if (this.#disposal) return this.#disposal
    this.#life.abort()
    this.runs.endAll({ outcome: 'aborted', reason: UNFINISHED_REASONS.disposed })
    for (const reject of this.#rejecters) reject(disposedError())
    for (const controller of this.#controllers) controller.abort(UNFINISHED_REASONS.disposed)
    this.agentEvents.clear()
    this.#disposal = this.#release()
    return this.#disposal
  }

  async #release(): Promise<void> {
    await this.#link?.releaseAgent(this.scope().agentId)
    this.registry.clear()
  }
}
