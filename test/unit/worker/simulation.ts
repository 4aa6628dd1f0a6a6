import { callsOf } from '../../../src/protocol/call.ts'
import {
  type CallContext,
  type CallDescription,
  type DescribeCall,
  type ExecuteTool,
  PAGE_CALLS,
  type PageApi,
  type StepContext,
  type ToolOutcome,
} from '../../../src/protocol/page-calls.ts'
import type { RunEventBody } from '../../../src/protocol/event.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'
import type { Message, StreamPart } from '../../../src/protocol/message.ts'
import type { RunLimits, RunResult } from '../../../src/protocol/run.ts'
import type { ToolDescriptor } from '../../../src/protocol/tool.ts'
import type { ModelRequest, Provider } from '../../../src/providers/provider.ts'
import { Conversation } from '../../../src/worker/conversation.ts'
import { realEffects, type Effects } from '../../../src/worker/effects.ts'
import { jsonSchemaValidator } from '../../../src/worker/validation/validator.ts'
import { Host } from '../../../src/worker/host.ts'
import { memoryClaimBook } from '../../../src/worker/store/claims.ts'
import { createMemoryStore } from '../../../src/worker/store/memory-store.ts'
import type { Store } from '../../../src/worker/store/store.ts'
import { doubleOf } from '../doubles.ts'
import { ProjectedEvents } from './projected-events.ts'

/** A model turn in the simulated world. */
export interface Turn {
  readonly text?: string
  readonly calls?: readonly { readonly tool: string; readonly input: JsonValue }[]
  /** Makes the vendor pause the turn, unless it has calls. */
  readonly paused?: boolean
  /** Stalls after the text when first played, and never ends. */
  readonly stalls?: boolean
}

export interface SimTool {
  readonly descriptor: Partial<ToolDescriptor>
  /** Performs the effect. The argument identifies the call. */
  run(call: ExecuteTool): Promise<ToolOutcome> | ToolOutcome
  /** Describes the effect before the call runs. */
  describe?(call: DescribeCall): CallDescription
  /** Values of the input that are secret. */
  secretsIn?(call: CallContext): readonly string[]
}

/** The end of a life: who dies, and before which crossing of a boundary. */
export interface Kill {
  readonly after: number
  readonly who: 'worker' | 'page'
}

const never = new Promise<never>(() => undefined)

/** A process that can be killed: from then on nothing that it began has an effect. */
class Life {
  dead = false
  #crossings = 0
  readonly #kill: number
  readonly died: Promise<void>
  #die: () => void = () => undefined

  constructor(kill: number) {
    this.#kill = kill
    this.died = new Promise((resolve) => {
      this.#die = resolve
    })
  }

  async cross<T>(work: () => Promise<T>): Promise<T> {
    this.#point()
    if (this.dead) return never
    const value = await work()
    this.#point()
    return this.dead ? never : value
  }

  #point(): void {
    this.#crossings += 1
    if (this.#crossings === this.#kill && !this.dead) {
      this.dead = true
      this.#die()
    }
  }
}

let pages = 0

/** The page of the simulation: runs tools once for each execution, and remembers their outcomes. */
export class SimPage {
  readonly #tools: ReadonlyMap<string, SimTool>
  readonly #executions = new Map<string, Promise<ToolOutcome>>()
  readonly context: Partial<StepContext>
  readonly id = `page${++pages}`
  readonly #refused = new Set<string>()
  dead = false

  constructor(tools: ReadonlyMap<string, SimTool>, context: Partial<StepContext> = {}) {
    this.#tools = tools
    this.context = context
  }

  descriptors(): ToolDescriptor[] {
    return [...this.#tools].map(([name, tool]) => ({
      name,
      description: name,
      inputSchema: { type: 'object' },
      annotations: {},
      timeoutMs: 1000,
      parallelSafe: false,
      sequential: false,
      needsApproval: false,
      hasReconcile: false,
      definition: name,
      ...tool.descriptor,
    }))
  }

  api(life: Life): PageApi {
    const page = doubleOf(PAGE_CALLS, {
      stepContext: () => ({
        model: { provider: 'sim', model: 'sim' },
        hasEngine: false,
        configId: 1,
        instructions: '',
        tools: this.descriptors(),
        hasBeforeToolCall: false,
        raw: false,
        ...this.context,
      }),
      currentTools: () => this.descriptors(),
      credentials: () => ({}),
      beforeToolCall: ({ input }) => ({ type: 'go', input }),
      needsApproval: () => true,
      describeCall: (call) =>
        this.#tools.get(call.toolName)?.describe?.(call) ?? { type: 'nothing' },
      secretsIn: (call) => this.#tools.get(call.toolName)?.secretsIn?.(call) ?? [''],
      executeTool: (call) => this.#execute(call),
      knownExecutions: ({ executionIds }) => {
        for (const id of executionIds) this.#refused.add(id)
        return executionIds.filter((id) => this.#executions.has(id))
      },
      cancelTools: () => undefined,
      acknowledgeTools: ({ executionIds }) => {
        for (const id of executionIds) this.#executions.delete(id)
      },
      reconcileTool: () => ({ type: 'unknown' }),
    })
    return callsOf(
      PAGE_CALLS,
      (name) => (argument) => life.cross<unknown>(() => page[name](argument)),
    )
  }

  #execute(call: ExecuteTool): Promise<ToolOutcome> {
    const known = this.#executions.get(call.executionId)
    if (known) return known
    if (this.#refused.has(call.executionId)) {
      return Promise.resolve({ status: 'not-started', reason: 'cancelled' })
    }
    const tool = this.#tools.get(call.toolName)
    const outcome = (async (): Promise<ToolOutcome> => {
      await Promise.resolve()
      if (this.dead) return never
      return tool ? tool.run(call) : { status: 'not-started', reason: 'not-registered' }
    })()
    this.#executions.set(call.executionId, outcome)
    return outcome
  }
}

/** Plays turns by position, as the scripted provider does; refuses requests that aren't paired. */
function simProvider(world: World, life: Life): Provider {
  const { turns, requests } = world
  const batches = async function* (request: ModelRequest): AsyncGenerator<readonly StreamPart[]> {
    requests.push(request)
    if (world.silent) await never
    const since = request.messages.findLastIndex((m) => m.role === 'user' && !m.synthetic)
    const at = request.messages.slice(since).filter((m) => m.role === 'assistant').length
    const turn = turns[at] ?? { text: 'done' }
    const asked = request.messages.filter((m) => m.role === 'user' && !m.synthetic).length
    yield await life.cross(async () => [{ type: 'text-delta', delta: turn.text ?? '…' }] as const)
    if (turn.stalls && requests.length === 1) await never
    const calls = (turn.calls ?? []).map(({ tool, input }, index): StreamPart => ({
      type: 'tool-call',
      toolCallId: `c${asked}-${at}-${index}`,
      toolName: tool,
      input,
    }))
    yield await life.cross(async () => [
      ...calls,
      { type: 'usage', usage: { inputTokens: 1, outputTokens: 1 } } as const,
      {
        type: 'finish',
        finishReason: calls.length > 0 ? 'tool-calls' : turn.paused ? 'pause' : 'stop',
        providerMetadata: { sim: { turn: at } },
      } as const,
    ])
  }
  return {
    id: 'sim',
    batches,
    stream: async function* (request) {
      for await (const batch of batches(request)) yield* batch
    },
  }
}

export interface World {
  store: Store
  readonly turns: readonly Turn[]
  readonly tools: ReadonlyMap<string, SimTool>
  readonly requests: ModelRequest[]
  page: SimPage
  ids: number
  /** Milliseconds by which the world's clock is ahead of the real one. */
  ahead: number
  /** The model never answers. */
  silent: boolean
  /** Locks of the simulated workers. Node's own aren't used. */
  locks: LockManager | undefined
  openTabPort: Effects['openTabPort']
  readonly claims: Effects['claims']
}

export function createWorld(
  turns: readonly Turn[],
  tools: Record<string, SimTool>,
  context: Partial<StepContext> = {},
): World {
  const map = new Map(Object.entries(tools))
  return {
    store: createMemoryStore(),
    turns,
    tools: map,
    requests: [],
    page: new SimPage(map, context),
    ids: 0,
    ahead: 0,
    silent: false,
    locks: undefined,
    openTabPort: () => undefined,
    claims: memoryClaimBook(),
  }
}

export interface LiveHost {
  readonly host: Host
  readonly events: RunEventBody[]
  readonly life: Life
  ended(): Promise<RunResult>
  until(type: RunEventBody['type']): Promise<RunEventBody>
}

/** A worker in this world, killed at its n-th crossing (0: never). */
export function startLife(world: World, kill = 0): LiveHost {
  const life = new Life(kill)
  const projected = new ProjectedEvents()
  const { events } = projected
  const watchers = new Set<() => void>()
  const effects: Effects = {
    now: () => Date.now() + world.ahead,
    monotonic: () => performance.now(),
    random: () => 0.5,
    newId: (prefix) => `${prefix}${++world.ids}`,
    sleep: (ms, signal) => realEffects.sleep(Math.min(ms, 20), signal),
    locks: world.locks,
    openTabPort: world.openTabPort,
    claims: world.claims,
  }
  const host = new Host({
    page: world.page.api(life),
    pageId: world.page.id,
    validator: jsonSchemaValidator,
    notify: (notice) => {
      if (life.dead) return
      projected.take(notice)
      for (const watch of watchers) watch()
    },
    providers: { create: () => simProvider(world, life) },
    effects,
    openDurable: async () => killable(world.store, life),
  })
  const until = (type: RunEventBody['type']): Promise<RunEventBody> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = events.find((event) => event.type === type)
        if (found === undefined) return
        watchers.delete(look)
        resolve(found)
      }
      watchers.add(look)
      look()
    })
  return {
    host,
    events,
    life,
    until,
    ended: async () => {
      const event = await until('run-end')
      if (event.type !== 'run-end') throw new Error('unreachable')
      return event.result
    },
  }
}

function killable(store: Store, life: Life): Store {
  return {
    claim: (...args) => life.cross(() => store.claim(...args)),
    append: (...args) => life.cross(() => store.append(...args)),
    place: (...args) => life.cross(() => store.place(...args)),
    // No crossings: how many there are depends on the clock.
    keepDraft: async (draft) => (life.dead ? never : store.keepDraft(draft)),
    draftOf: async (id) => (life.dead ? never : store.draftOf(id)),
    read: (...args) => life.cross(() => store.read(...args)),
    list: (...args) => life.cross(() => store.list(...args)),
    get: (...args) => life.cross(() => store.get(...args)),
    rename: (...args) => life.cross(() => store.rename(...args)),
    mark: (...args) => life.cross(() => store.mark(...args)),
    descendants: (...args) => life.cross(() => store.descendants(...args)),
    delete: (...args) => life.cross(() => store.delete(...args)),
    close: () => store.close(),
  }
}

export const SCOPE = { agentId: 'agent', storage: { name: 'sim' }, conversationId: 'talk' } as const

/** The conversation by itself, as somebody sees it who isn't in the worker. */
export function openConversation(world: World): Conversation {
  let batches = 0
  return new Conversation({
    conversationId: SCOPE.conversationId,
    storage: 'sim',
    store: world.store,
    effects: realEffects,
    output: { notify: () => undefined, nextBatch: () => ++batches },
  })
}

const LIMITS: RunLimits = { maxSteps: 10, retries: 3 }

export function startCommand(runId: string, text: string, limits = LIMITS) {
  return {
    ...SCOPE,
    runId,
    message: { id: `${runId}:user`, parts: [{ type: 'text', text }] },
    limits,
    ifBusy: 'refuse',
  } as const
}

/** Runs one request to its end through any number of deaths. */
export async function liveThrough(
  world: World,
  kills: readonly Kill[],
  limits = LIMITS,
): Promise<RunResult> {
  for (let index = 0; ; index++) {
    const kill = kills[index]
    const live = startLife(world, kill?.after ?? 0)
    const opened = resume(live, { limits, isFirst: index === 0 })
    void opened.catch(() => undefined)
    // Parked after too many crashes: a person lets it go on.
    void live.until('run-paused').then(() => resume(live, { limits, goOn: limits }))
    const outcome = await Promise.race([live.ended(), live.life.died.then(() => null)])
    if (outcome !== null) return outcome
    if (kill?.who === 'page') {
      world.page.dead = true
      world.page = new SimPage(world.tools, world.page.context)
    }
  }
}

async function resume(
  live: LiveHost,
  { limits, isFirst = false, goOn }: { limits: RunLimits; isFirst?: boolean; goOn?: RunLimits },
): Promise<void> {
  const command = startCommand('run', 'go', limits)
  if (isFirst) return await live.host.startRun(command)
  const ref = await live.host.resumeRun({
    ...SCOPE,
    runId: 'run',
    interrupted: 'tell-model',
    waitForToolsMs: 20,
    ...(goOn && { continueLimits: goOn }),
  })
  // The last life died before the run was written down: the page asks again.
  if (ref === null) await live.host.startRun(command)
}

/** Every call has exactly one result, in the message right after it. */
export function isPaired(messages: readonly Message[]): boolean {
  return messages.every((message, index) => {
    if (message.role === 'tool') return messages[index - 1]?.role === 'assistant'
    if (message.role !== 'assistant') return true
    const calls = message.parts.flatMap((p) => (p.type === 'tool-call' ? [p.toolCallId] : []))
    if (calls.length === 0) return true
    const next = messages[index + 1]
    const results = next?.role === 'tool' ? next.parts.map((p) => p.toolCallId) : []
    return JSON.stringify(results) === JSON.stringify(calls)
  })
}
