import type { AgentScope } from '../protocol/api.ts'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { AgentConfig } from './agent-page.ts'
import { AgentRuns } from './agent-runs.ts'
import type { Ambient } from './ambient.ts'
import { createAmbient } from './ambient.ts'
import { Consent } from './consent.ts'
import type { ConversationView } from './conversation-view.ts'
import { createConversationView } from './conversation-view.ts'
import { newId } from './ids.ts'
import type { AgentOptions } from './options.ts'
import type { AgentParts } from './linked-agent.ts'
import type * as live from './live.ts'
import type { ToolRegistry } from './tool-registry.ts'
import { createToolRegistry } from './tool-registry.ts'
import type { AskWorker } from './ask-worker.ts'
import type { WorkerLink } from './worker-link.ts'

type Live = typeof live

/** What an agent consists of, wired together. */
export class AgentCore implements AgentParts {
  readonly options: AgentOptions
  readonly config: AgentConfig
  readonly ambient: Ambient = createAmbient()
  readonly registry: ToolRegistry
  readonly runs: AgentRuns
  readonly consent: Consent = new Consent()
  readonly signal: AbortSignal
  readonly #life = new AbortController()
  readonly #views = new Map<string, ConversationView>()
  #agentId: string | undefined
  #live: Promise<Live> | undefined
  #link: WorkerLink | undefined
  #disposal: Promise<void> | undefined

  constructor(options: AgentOptions) {
    const { model, instructions = '', values = {} } = options
    this.options = options
    this.signal = this.#life.signal
    this.config = { model, instructions, values }
    this.registry = createToolRegistry({
      onChange: () => {
        if (this.#link?.isStarted && !this.signal.aborted)
          this.ask('toolsChanged', this.scope().agentId).catch(() => {})
      },
      onRemove: (entry) => this.#link?.executions.stopTool(entry),
    })
    this.runs = new AgentRuns({
      scope: this.scope,
      ask: this.ask,
      stopTools: (runId, reason) => this.#link?.executions.stopRun(runId, reason),
      onEvents: (events) => {
        this.consent.note(events)
        this.#views.get(events[0]?.conversationId ?? '')?.push(events)
      },
      onOpen: (openRuns) =>
        this.ambient.emit({ type: 'status', status: openRuns ? 'running' : 'idle', openRuns }),
    })
  }

  /** The id is made late: some servers forbid random numbers while modules load. */
  readonly scope = (): AgentScope => ({
    agentId: (this.#agentId ??= newId()),
    storage: this.options.storage ?? { name: 'offstage' },
  })

  /** Starts the worker if need be. */
  readonly ask: AskWorker = async (method, ...command) => {
    const { WorkerLink, createLinkedAgent } = await this.live()
    if (this.signal.aborted) throw new OffstageError('disposed', 'The agent was disposed.')
    this.#link ??= WorkerLink.join(this.options, createLinkedAgent(this))
    return this.#link.ask(method, ...command)
  }

  /** Rejects with `worker-load-failed` when it can't be fetched; the next call tries again. */
  live(): Promise<Live> {
    return (this.#live ??= import('./live.ts').catch((cause) => {
      this.#live = undefined
      const message = `A part of offstage could not be loaded: ${describeThrown(cause)}`
      throw new OffstageError('worker-load-failed', message, { retryable: true, cause })
    }))
  }

  view(conversationId: string): ConversationView {
    const known = this.#views.get(conversationId)
    if (known) return known
    const view = createConversationView(conversationId, {
      load: () => this.ask('getConversation', { ...this.scope(), conversationId }),
      openEvents: () =>
        [...this.runs.open.values()].flatMap(({ run, events }) =>
          run.conversationId === conversationId ? events : [],
        ),
      isStarted: () => this.#live !== undefined,
    })
    this.#views.set(conversationId, view)
    return view
  }

  readonly flush = (): void => {
    for (const view of this.#views.values()) view.flush()
  }

  /** Reads the shown conversations anew: something was stored that no event tells of. */
  reload(): void {
    for (const view of this.#views.values()) view.reload()
  }

  dispose(): Promise<void> {
    if (this.#disposal) return this.#disposal
    this.#life.abort()
    this.runs.endAll({ outcome: 'aborted', reason: 'disposed' })
    this.ambient.clear()
    this.#disposal = this.#letGo()
    return this.#disposal
  }

  async #letGo(): Promise<void> {
    await this.#link?.remove(this.scope().agentId)
    this.registry.clear()
  }
}
