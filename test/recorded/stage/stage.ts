import type { World } from '../world/world.ts'
import type {
  Agent,
  AgentOptions,
  ConversationSnapshot,
  ResumeOptions,
  RunInput,
} from '../../../src/index.ts'
import type { Run } from '../../../src/client/runs/run.ts'
import type { ModelConfig, RunOptions } from '../../../src/client/api/options.ts'
import { forgetPage } from '../../../src/client/page-life/page-registry.ts'
import { OffstageError } from '../../../src/protocol/error.ts'
import type { RunEventBody } from '../../../src/protocol/event.ts'
import type { FactType } from '../../../src/protocol/fact.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'
import type { Script } from '../../../src/protocol/model.ts'
import type { RunResult } from '../../../src/protocol/run.ts'
import type { RecordedRun } from '../recording.ts'
import type { Answer } from './network.ts'
import { Page } from './page.ts'
import { PlayedModel, type Turns } from './played-model.ts'
import { Storage } from './storage.ts'
import { toolOf, type Surroundings, type ToolName } from './toolbox.ts'

export interface Setup {
  /** The model's answers: played turns, a script, or a server's answers. */
  readonly turns?: Turns
  readonly script?: Script
  readonly server?: readonly Answer[]
  readonly model?: Partial<ModelConfig>
  readonly tools?: readonly ToolName[]
  readonly options?: Partial<AgentOptions>
  readonly verdict?: Surroundings['verdict']
  /** There are locks, so that tabs know of each other. Default: none. */
  readonly locks?: boolean
  /** Conversations that the first agent shows from its beginning. Default: `talk`. */
  readonly views?: readonly string[]
}

/** A handle, and what came of it. */
export interface Followed extends RecordedRun {
  readonly run: Run
  readonly events: RunEventBody[]
  result: RunResult | null
}

const TALK = 'talk'

type EventType = RunEventBody['type']
type EventOf<Type extends EventType> = Extract<RunEventBody, { readonly type: Type }>

/** Pages, their agents, and all that is seen of them. */
export class Stage {
  readonly world: World
  readonly setup: Setup
  readonly storage = new Storage()
  readonly model: PlayedModel
  readonly runs: Followed[] = []
  readonly executions: JsonValue[] = []
  readonly answers: JsonValue[] = []
  readonly notices: JsonValue[] = []
  readonly snapshots: Record<string, ConversationSnapshot[]> = {}
  readonly #pages: Page[] = []
  readonly #names = new Map<Agent, string>()
  readonly #looks: (() => void)[] = []
  #waiting: { readonly until: () => boolean; readonly resolve: () => void }[] = []
  page!: Page
  agent!: Agent

  constructor(world: World, setup: Setup) {
    this.world = world
    this.setup = setup
    this.model = new PlayedModel(setup.turns ?? [])
    this.newPage()
  }

  /** A page that is loaded now: with another one open, another tab. Its agent is the one in use from now on. */
  newPage(more: Partial<AgentOptions> = {}, views = this.setup.views ?? [TALK]): Agent {
    forgetPage()
    this.page = new Page(this.storage, this.model)
    this.#pages.push(this.page)
    return this.open(more, views)
  }

  /** Another agent of the page in use, which is in use from now on. */
  open(more: Partial<AgentOptions> = {}, views: readonly string[] = []): Agent {
    const { setup, page } = this
    const name = `agent-${this.#names.size + 1}`
    this.agent = page.open({
      model: this.#modelConfig(),
      tools: (setup.tools ?? []).map((tool) => this.tool(tool)),
      ...setup.options,
      ...more,
    })
    this.#names.set(this.agent, name)
    this.agent.on('warning', (event) => this.#note(page, { agent: name, ...event }))
    this.agent.on('worker', (event) => {
      if (event.state === 'lost') this.#note(page, { agent: name, ...event })
    })
    for (const view of views) this.view(view)
    return this.agent
  }

  tool(name: ToolName, page = this.page): ReturnType<typeof toolOf> {
    const { verdict = 'unknown' } = this.setup
    return toolOf(name, {
      verdict,
      isAlive: () => page.isAlive,
      ran: (call) => {
        if (page.isAlive) this.executions.push(call)
      },
    })
  }

  /** Follows what the agent in use shows of a conversation. */
  view(conversationId: string): void {
    const { agent, page } = this
    const key = `${this.#names.get(agent)}/${conversationId}`
    const states: ConversationSnapshot[] = (this.snapshots[key] ??= [])
    const conversation = agent.conversation(conversationId)
    const look = (): void => {
      const state = conversation.getSnapshot()
      if (page.isAlive && state !== states.at(-1)) states.push(state)
    }
    conversation.subscribe(look)
    this.#looks.push(look)
    look()
  }

  run(input: RunInput = 'Hello', options: RunOptions = {}): Followed {
    return this.follow(this.agent.run(input, { conversationId: TALK, ...options }))
  }

  /** Keeps all that comes by a handle. */
  follow(run: Run): Followed {
    const { agent, page } = this
    const { runId, conversationId } = run
    const events: RunEventBody[] = []
    const name = this.#names.get(agent) ?? ''
    const known = this.runs.find((each) => each.run === run)
    if (known) return known
    const followed = { agent: name, run, runId, conversationId, events, result: null } as Followed
    this.runs.push(followed)
    void (async () => {
      for await (const { runId: ofRun, conversationId: where, seq, ...body } of run) {
        if (!page.isAlive) return
        if (ofRun !== runId || where !== conversationId || seq !== events.length) {
          throw new Error(`An event of ${ofRun} has no place: ${seq} after ${events.length}`)
        }
        events.push(body as RunEventBody)
        this.look()
      }
      followed.result = await run.result
    })()
    return followed
  }

  /** Resumes and follows a conversation's run; null: that of the newest conversation that has one. */
  async resume(
    conversationId: string | null = TALK,
    how?: ResumeOptions,
  ): Promise<Followed | null> {
    const id = conversationId ?? undefined
    const run = await this.ask('resume', (agent) => agent.resume(id, how))
    return run ? this.follow(run) : null
  }

  async goOn(conversationId = TALK): Promise<Followed | null> {
    const run = await this.ask('continue', (agent) => agent.continue(conversationId))
    return run ? this.follow(run) : null
  }

  async supply(toolCallId: string, output: unknown): Promise<Followed | null> {
    const call = { conversationId: TALK, toolCallId }
    const run = await this.ask('supplyOutput', (agent) => agent.supplyOutput(call, output))
    return run ? this.follow(run) : null
  }

  /** Asks the agent in use, and keeps what it answers. */
  async ask<Value>(
    command: string,
    work: (agent: Agent) => Promise<Value>,
  ): Promise<Value | undefined> {
    try {
      const value = await work(this.agent)
      const run = value as Partial<Run> | null
      const shown = run?.runId ? { run: run.runId } : value
      this.answers.push([command, (shown ?? null) as JsonValue])
      return value
    } catch (thrown) {
      if (!OffstageError.is(thrown)) throw thrown
      this.answers.push([command, { error: thrown.code }])
      return undefined
    }
  }

  /** The n-th event of a type, of the run or of any. */
  async event<Type extends EventType>(
    type: Type,
    { nth = 1, of }: { readonly nth?: number; readonly of?: Followed } = {},
  ): Promise<EventOf<Type>> {
    const seen = (): EventOf<Type>[] =>
      (of ? [of] : this.runs)
        .flatMap(({ events }) => events)
        .filter((event): event is EventOf<Type> => event.type === type)
    await this.until(() => seen().length >= nth)
    return seen()[nth - 1] as EventOf<Type>
  }

  async end(of: Followed): Promise<RunResult | null> {
    await this.until(() => of.result !== null)
    return of.result
  }

  /** The call that was asked about last. */
  get asked(): string {
    const kinds: EventType[] = [
      'tool-approval-request',
      'question',
      'tool-interrupted',
      'tool-suspended',
    ]
    const event = this.runs.flatMap(({ events }) => events).findLast((e) => kinds.includes(e.type))
    return event && 'toolCallId' in event ? event.toolCallId : ''
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.world.setTimer(resolve, ms))
  }

  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push({ until: condition, resolve }))
  }

  /** Looks at all that is followed; whoever waits for it goes on. */
  look(): void {
    for (const look of this.#looks) look()
    const [met, open] = [this.#waiting.filter((w) => w.until()), this.#waiting]
    this.#waiting = open.filter((each) => !met.includes(each))
    for (const { resolve } of met) resolve()
  }

  /** The page is left and loaded again. */
  async reload(more: Partial<AgentOptions> = {}): Promise<void> {
    await this.page.dispose()
    this.newPage(more)
  }

  /** The page crashes, and is loaded again. */
  crash(more: Partial<AgentOptions> = {}): void {
    this.page.kill()
    this.newPage(more)
  }

  /** Kills the worker or the page when the next fact of this type is appended. Resolves once that has happened. */
  dies(who: 'worker' | 'page', when: 'before' | 'after', fact: FactType): Promise<void> {
    const { page } = this
    return new Promise((resolve) => {
      const die = (): void => {
        if (who === 'page') page.kill()
        else page.killWorker()
        resolve()
      }
      this.storage.death = { fact, when, die }
    })
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#pages.map((page) => page.dispose()))
  }

  #modelConfig(): ModelConfig {
    const { script, server, model } = this.setup
    if (script) return { provider: 'scripted', model: 'scripted', script, ...model }
    const provider = server ? 'openai-compatible' : 'played'
    return { provider, model: 'model', baseURL: 'http://127.0.0.1:1/v1', ...model }
  }

  #note(page: Page, notice: JsonValue): void {
    if (page.isAlive) this.notices.push(notice)
  }
}
