import type { AgentScope } from '../protocol/api.ts'
import type { OffstageError } from '../protocol/error.ts'
import type { AgentCommands } from './agent-commands.ts'
import type { AgentConfig } from './agent-page.ts'
import { AgentRuns } from './agent-runs.ts'
import type { Ambient } from './ambient.ts'
import { createAmbient } from './ambient.ts'
import { Consent } from './consent.ts'
import type { ConversationView } from './conversation-view.ts'
import { createConversationView } from './conversation-view.ts'
import { LEFT_OPEN } from '../protocol/run.ts'
import { disposed } from './failures.ts'
import { copyConfig } from './copy-config.ts'
import { newId } from './ids.ts'
import { loadPart } from './load-part.ts'
import type { AgentOptions } from './options.ts'
import type { AgentParts } from './agent-parts.ts'
import type * as live from './live.ts'
import type { ToolRegistry } from './tool-registry.ts'
import { createToolRegistry } from './tool-registry.ts'
import type { AskWorker, Line } from './ask-worker.ts'
import { untilAborted } from './until-aborted.ts'
import type { WorkerLink } from './worker-link.ts'
import type { InlineWorker } from './worker-start.ts'

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
  readonly #inline: InlineWorker | undefined
  readonly #life = new AbortController()
  readonly #views = new Map<string, ConversationView>()
  /** Rejects the public promises that are still open. */
  readonly #open = new Set<(error: OffstageError) => void>()
  /** Of what is under way outside of runs, and is stopped with them. */
  readonly #stops = new Set<AbortController>()
  #agentId: string | undefined
  #loading: Promise<Live> | undefined
  #live: Live | undefined
  #link: WorkerLink | undefined
  #disposal: Promise<void> | undefined

  constructor(options: AgentOptions, inline?: InlineWorker) {
    const { model, instructions = '', values = {} } = options
    this.options = options
    this.#inline = inline
    this.signal = this.#life.signal
    this.config = { model: copyConfig(model), instructions, values }
    this.registry = createToolRegistry({
      reserved: options.controlTools ?? [],
      onChange: () => {
        if (this.#link?.isStarted && !this.signal.aborted)
          this.ask('toolsChanged', this.scope().agentId).catch(() => {})
      },
      // At the end of the agent its tools go, but what runs may be taken up by another one.
      onRemove: (entry) => {
        if (!this.signal.aborted) this.#link?.executions.stopTool(entry)
      },
    })
    this.runs = new AgentRuns({
      scope: this.scope,
      sendStart: this.later('sendStart'),
      // A page that can't load the rest has no worker that could be told.
      sendAbort: (runId) =>
        void this.later('sendAbort')(runId).catch(() => this.runs.aborts.delete(runId)),
      stopTools: this.stopTools,
      onEvents: (events) => {
        this.#live?.noteAsked(this.consent.asked, events)
        this.#views.get(events[0]?.conversationId ?? '')?.push(events)
      },
      summarize: (events) => this.#live?.summarizeRun(events),
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
  readonly ask: AskWorker = (method, ...command) =>
    this.#withLive((live) => this.#line(live).ask(method, ...command))

  /** As `ask`, and asked again of the next worker when this one dies: for what may be asked twice. */
  readonly carry: AskWorker = (method, ...command) =>
    this.#withLive((live) => this.#line(live).carry(method, ...command))

  /** A method of the agent whose work comes with the worker. */
  readonly later = <Name extends keyof AgentCommands>(name: Name): AgentCommands[Name] => {
    const method = (...command: never[]): Promise<unknown> =>
      this.#withLive((live) => (live.createCommands(this)[name] as typeof method)(...command))
    return method as AgentCommands[Name]
  }

  /** The answer; `disposed` as soon as the agent is, whatever hangs. */
  whileAlive<Answer>(answer: () => Promise<Answer>): Promise<Answer> {
    if (this.signal.aborted) return Promise.reject(disposed())
    return new Promise((resolve, reject) => {
      this.#open.add(reject)
      void answer()
        .then(resolve, reject)
        .finally(() => this.#open.delete(reject))
    })
  }

  /** Does what `abort()`, `dispose()` and a signal of its own can stop. */
  stoppable<Answer>(
    own: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    return this.whileAlive(() => {
      const stop = new AbortController()
      const abort = (): void => stop.abort(own?.reason)
      if (own?.aborted) abort()
      own?.addEventListener('abort', abort)
      this.#stops.add(stop)
      return untilAborted(() => work(stop.signal), stop.signal).finally(() => {
        own?.removeEventListener('abort', abort)
        this.#stops.delete(stop)
      })
    })
  }

  abort(reason?: string): void {
    for (const { run } of this.runs.open.values()) run.abort(reason)
    for (const stop of this.#stops) stop.abort(reason)
  }

  /**
   * Does what needs the module that comes with the worker: at once when it is there, so that the worker is
   * asked in the order of the calls. `worker-load-failed` when it can't be fetched; the next call tries again.
   */
  #withLive<Answer>(work: (live: Live) => Promise<Answer>): Promise<Answer> {
    return this.whileAlive(async () => work(this.#live ?? (await this.#load())))
  }

  #load(): Promise<Live> {
    this.#loading ??= loadPart(() => import('./live.ts')).then(
      (live) => (this.#live = live),
      (error) => {
        this.#loading = undefined
        throw error
      },
    )
    return this.#loading
  }

  #line({ WorkerLink, createLinkedAgent }: Live): Line {
    this.#link ??= WorkerLink.join(
      { ...this.options, inline: this.#inline },
      createLinkedAgent(this),
    )
    return this.#link.line(this.scope().agentId, this.signal)
  }

  view(conversationId: string): ConversationView {
    const known = this.#views.get(conversationId)
    if (known) return known
    const view = createConversationView(conversationId, {
      load: () => this.later('shown')(conversationId),
      openEvents: () =>
        [...this.runs.open.values()].flatMap(({ run, events }) =>
          run.conversationId === conversationId ? events : [],
        ),
      isStarted: () => this.#loading !== undefined,
    })
    this.#views.set(conversationId, view)
    return view
  }

  readonly stopTools = (runId: string, reason: string): void =>
    this.#link?.executions.stopRun(runId, reason)

  readonly flush = (): void => {
    for (const view of this.#views.values()) view.flush()
  }

  /** Reads the shown conversations anew: something was stored that no event tells of. */
  readonly reload = (): void => {
    for (const view of this.#views.values()) view.reload()
  }

  dispose(): Promise<void> {
    if (this.#disposal) return this.#disposal
    this.#life.abort()
    this.runs.close({ outcome: 'aborted', reason: LEFT_OPEN.disposed })
    for (const reject of this.#open) reject(disposed())
    for (const stop of this.#stops) stop.abort(LEFT_OPEN.disposed)
    this.ambient.clear()
    this.#disposal = this.#letGo()
    return this.#disposal
  }

  async #letGo(): Promise<void> {
    await this.#link?.remove(this.scope().agentId)
    this.registry.clear()
  }
}
