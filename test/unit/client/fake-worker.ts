import { expose, wrap } from 'comlink'
import { onTestFinished } from 'vitest'
import {
  type Answers,
  type ArgumentOf,
  callsOf,
  type ResultOf,
} from '../../../src/protocol/call.ts'
import {
  type LockRef,
  type PageHello,
  PROTOCOL_VERSION,
  type ResumeRun,
  type StartRun,
  WORKER_CALLS,
  type WorkerCalls,
} from '../../../src/protocol/worker-calls.ts'
import { isRow, type PageNotice } from '../../../src/protocol/notices.ts'
import { type ExecuteTool, PAGE_CALLS, type PageApi } from '../../../src/protocol/page-calls.ts'
import {
  type ConversationScope,
  type RunRef,
  storageKey,
} from '../../../src/protocol/conversation.ts'
import { emptyState } from '../../../src/conversation/state.ts'
import { fold } from '../../../src/conversation/fold.ts'
import { foldDelta, NOTHING_LIVE, settleLive } from '../../../src/conversation/live.ts'
import type { ConversationSnapshot } from '../../../src/conversation/snapshot.ts'
import type { Delta, Live } from '../../../src/protocol/delta.ts'
import type { ErrorData } from '../../../src/protocol/error.ts'
import { type Fact, FORMAT, type Row, type RunEnd } from '../../../src/protocol/fact.ts'
import type { Message } from '../../../src/protocol/message.ts'
import type { ConversationState } from '../../../src/protocol/state.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'
import type { AgentOptions } from '../../../src/client/api/options.ts'
import type { Agent } from '../../../src/client/api/agent.ts'
import { createAgent } from '../../../src/client/api/create-agent.ts'
import { FACTS } from '../../../src/worker/store/fact-table.ts'

/** A run of a conversation, as far as what is published of it names it. */
export type RunOf = Pick<StartRun, 'runId' | 'conversationId'> & Partial<Pick<StartRun, 'storage'>>

type Bare<Whole> = Whole extends Delta ? Omit<Whole, 'runId' | 'step' | 'attempt'> : never

/** A fact or delta of a run, without what says of which. Deltas are of its first step. */
export type Item = Fact | Bare<Delta>

interface Conversation {
  state: ConversationState
  live: Live
}

/** A started worker, driven by the test. */
export class FakeWorker {
  readonly commands: { readonly method: string; readonly command: unknown }[] = []
  readonly #port: MessagePort
  readonly #hello: PageHello
  readonly page: PageApi
  /** Names of the locks that the page asked it to hold and to release. */
  readonly held: string[] = []
  readonly released: string[] = []
  /** Other notices from the page. */
  readonly notices: PageNotice[] = []
  #batch = 0
  readonly #conversations: Map<string, Conversation>
  /** Conversations whose run was published as resumed. */
  readonly takenUp: Set<string> = new Set()

  constructor(port: MessagePort, hello: PageHello, conversations: Map<string, Conversation>) {
    this.#conversations = conversations
    this.#port = port
    this.#hello = hello
    hello.eventPort.onmessage = ({ data }) => {
      const notice = data as PageNotice
      if (notice.type === 'release-lock') this.released.push(notice.name)
      else this.notices.push(notice)
    }
    const page = wrap<PageApi>(hello.pagePort) as unknown as PageApi
    const executeTool: PageApi['executeTool'] = async (call) =>
      page.executeTool(await defined(page, call))
    this.page = callsOf(PAGE_CALLS, (name) => (name === 'executeTool' ? executeTool : page[name]))
  }

  get pageId(): string {
    return this.#hello.pageId
  }

  /** Commands of one kind. */
  of<Command>(method: keyof WorkerCalls): Command[] {
    return this.commands
      .filter((each) => each.method === method)
      .map((each) => each.command as Command)
  }

  /** Seq of the newest row in a run's conversation. */
  lastSeq(run: RunOf): number {
    return this.#of(run).state.seq
  }

  /** Publishes facts and deltas of a run as one batch; returns its number. */
  tell(run: RunOf, ...items: readonly Item[]): number {
    const batch = ++this.#batch
    const { conversationId } = run
    const told = this.#of(run)
    const published = items.map((item) => {
      const full = this.#place(run, item)
      if (isRow(full)) {
        told.state = fold(told.state, [full])
        told.live = settleLive(told.live, full)
      } else told.live = foldDelta(told.live, full)
      return full
    })
    const storage = keyOf(run)
    this.notify({ type: 'stream', storage, conversationId, batch, items: published })
    return batch
  }

  /** Adds facts that others wrote, without publishing them to this page. */
  skip(run: RunOf, ...facts: readonly Fact[]): void {
    const told = this.#of(run)
    for (const fact of facts) told.state = fold(told.state, [this.#place(run, fact) as Row])
  }

  /** Publishes where a conversation stands. */
  checkpoint(
    run: Partial<RunOf> & Pick<RunOf, 'conversationId'>,
    {
      reason = 'joined',
      fault = null,
      state = {},
    }: {
      readonly reason?: 'joined' | 'resumed'
      readonly fault?: ErrorData | null
      readonly state?: Partial<ConversationState>
    } = {},
  ): number {
    const batch = ++this.#batch
    const { conversationId } = run
    const told = this.#of(run)
    told.state = { ...told.state, ...state }
    if (reason === 'resumed') this.takenUp.add(conversationId)
    const at = { storage: keyOf(run), conversationId, format: FORMAT, batch }
    this.notify({ type: 'checkpoint', ...at, ...told, fault, reason })
    return batch
  }

  /** Publishes the checkpoint that a worker sends before it answers that it has resumed a run. */
  takeUp(run: RunOf): void {
    if (this.takenUp.has(run.conversationId)) return
    if (this.#of(run).state.run?.runId !== run.runId) this.skip(run, started() as Fact)
    this.checkpoint(run, { reason: 'resumed' })
  }

  /** Publishes a part of a conversation as where it stands. */
  publish(scope: Pick<ConversationScope, 'conversationId'>, state: ConversationState): void {
    const { conversationId } = scope
    const { live } = this.#of(scope)
    const at = { storage: keyOf({}), conversationId, format: FORMAT, batch: ++this.#batch }
    this.notify({ type: 'checkpoint', ...at, state, live, fault: null, reason: 'joined' })
  }

  stateOf(run: Partial<RunOf> & Pick<RunOf, 'conversationId'>): Conversation {
    return this.#of(run)
  }

  #of({ conversationId, ...run }: Partial<RunOf> & Pick<RunOf, 'conversationId'>): Conversation {
    const key = `${keyOf(run)} ${conversationId}`
    const live: Live = { ...NOTHING_LIVE, ownership: 'this-tab' }
    const known = this.#conversations.get(key) ?? { state: emptyState(conversationId), live }
    this.#conversations.set(key, known)
    return known
  }

  #place(run: RunOf, item: Item): Row | Delta {
    const { conversationId } = run
    const runId = 'runId' in item ? item.runId : run.runId
    if (!Object.hasOwn(FACTS, item.type)) return { runId, step: 1, attempt: 1, ...item } as Delta
    const { seq: last, path } = this.#of(run).state
    const seq = last + 1
    const under = 'parentId' in item ? { parentId: path.at(-1)?.id ?? null } : {}
    const place = { format: FORMAT, conversationId, seq, runId, at: seq, appendId: `a${seq}` }
    return { ...item, ...under, ...place } as Row
  }

  notify(notice: unknown): void {
    this.#hello.eventPort.postMessage(notice)
  }

  end(run: RunOf, end: RunEnd = { outcome: 'completed' }): void {
    this.tell(run, { type: 'run-ended', end })
  }

  /** Closes the ports. No message follows, as after `Worker.terminate()`. */
  die(): void {
    this.#port.close()
    this.#hello.eventPort.close()
    this.#hello.pagePort.close()
  }
}

async function defined(page: PageApi, call: ExecuteTool): Promise<ExecuteTool> {
  if (call.definition !== AS_IT_IS) return call
  const tools = await page.currentTools({ agentId: call.agentId }).catch(() => [])
  const definition = tools.find(({ name }) => name === call.toolName)?.definition ?? ''
  return { ...call, definition }
}

function keyOf({ storage = { name: 'offstage' } }: Partial<RunOf>): string {
  return storageKey(storage)
}

/** The model begins to write a step, and a text in it. */
export function step(number = 1): Item[] {
  const at = { step: number, attempt: 1 }
  return [
    { type: 'attempt-started', messageId: `m${number}`, ...at } as Item,
    { type: 'text-start', partId: 'p', ...at } as Item,
  ]
}

export function text(delta: string, partId = 'p'): Item {
  return { type: 'text-delta', partId, delta }
}

/** The run begins, with the message that it was started with. */
export function started({ message = null }: Partial<Pick<StartRun, 'message'>> = {}): Item {
  return {
    type: 'run-started',
    parentId: null,
    message,
    limits: { maxSteps: 10, retries: 3 },
  }
}

/** A step's output: its text, and calls of a tool. */
export function output(
  words: string,
  {
    calls = [],
    step: number = 1,
  }: { readonly calls?: readonly string[]; readonly step?: number } = {},
): Item {
  const parts = calls.map((toolCallId) => ({
    type: 'tool-call' as const,
    toolCallId,
    toolName: 'tool',
    input: { a: 1 },
  }))
  return {
    type: 'model-output',
    step: number,
    attempt: 1,
    parentId: null,
    message: {
      role: 'assistant',
      id: `m${number}`,
      parts: [...(words ? [{ type: 'text' as const, text: words }] : []), ...parts],
    },
    toolsId: calls.length > 0 ? `t${number}` : null,
    calls: calls.map((toolCallId) => ({ toolCallId, known: true, parallel: false })),
    usage: {},
    finishReason: 'stop',
    toolMode: 'native',
  } as Item
}

const BY = { definition: '', replayable: false, reconcilable: false }

/** A call of the newest output, at one of its stages. */
export const call = {
  asked: (id: string, input: JsonValue = {}): Item => ({
    type: 'approval-requested',
    path: [id],
    input,
    by: BY,
  }),
  interrupted: (id: string): Item => ({ type: 'call-interrupted', path: [id] }),
  started: (id: string): Item => ({
    type: 'call-started',
    path: [id],
    executionId: `e-${id}`,
    by: BY,
    repeats: false,
  }),
  settled: (id: string): Item => ({
    type: 'call-settled',
    path: [id],
    status: 'succeeded',
    output: { type: 'text', value: id },
  }),
}

/** The messages as the store keeps them. */
export function asStored(messages: ConversationSnapshot['messages']): Message[] {
  return messages.map(({ calls: _calls, at: _at, ...message }) => message as Message)
}

type Script = Partial<{
  [Name in keyof WorkerCalls]: (
    worker: FakeWorker,
    argument: ArgumentOf<WorkerCalls[Name]>,
  ) => Promise<ResultOf<WorkerCalls[Name]>> | ResultOf<WorkerCalls[Name]>
}>

export interface Stage {
  readonly agent: Agent
  readonly workers: readonly FakeWorker[]
  readonly worker: FakeWorker
  /** Resolves once this many workers have connected. */
  started(count?: number): Promise<FakeWorker>
}

/** Default answers to calls that aren't scripted. All other calls are answered with nothing. */
const defaults: Partial<Answers<WorkerCalls>> = {
  connect: () => HELLO,
  holdLock: () => false,
  abortRun: () => true,
  resumeRun: () => null,
  answerCall: () => true,
  supplyOutput: () => null,
  listConversations: () => [],
  getConversation: () => null,
  renameConversation: () => true,
  deleteConversation: () => true,
  clearHistory: () => true,
  confirmLease: () => true,
  olderMessages: () => null,
  switchBranch: () => true,
  takeOver: () => null,
}

/** The answer to `connect`. The clock of this process is the page's, too. */
export const HELLO = {
  protocolVersion: PROTOCOL_VERSION,
  get clock() {
    return performance.now()
  },
}

/** Endpoints like workers, each with a `FakeWorker` behind it that answers as scripted. */
export function fakeWorkerFactory(script: Script, workers: FakeWorker[]): () => MessagePort {
  const conversations = new Map<string, Conversation>()
  return () => {
    const { port1, port2 } = new MessageChannel()
    let worker: FakeWorker | undefined
    const answer = (name: keyof WorkerCalls) => async (argument: never) => {
      if (name === 'connect') {
        worker = new FakeWorker(port2, argument, conversations)
        workers.push(worker)
      }
      if (name === 'holdLock') worker?.held.push((argument as LockRef).name)
      else worker?.commands.push({ method: name, command: argument })
      const scripted = script[name]
      const isTaking = name === 'resumeRun' || name === 'takeOver'
      if (isTaking) worker?.takenUp.clear()
      // The first command makes the worker.
      const answered = scripted && (await scripted(worker as FakeWorker, argument))
      if (isTaking && answered)
        worker?.takeUp({ ...(argument as ResumeRun), ...(answered as RunRef) })
      if (name === 'join' && !scripted) worker?.checkpoint(argument)
      return scripted ? answered : defaults[name]?.(argument)
    }
    expose(callsOf(WORKER_CALLS, answer), port2 as never)
    return Object.assign(port1, {
      terminate() {
        port1.close()
        worker?.die()
      },
    })
  }
}

/** An agent whose workers are played by the test. */
export function stage(options: Partial<AgentOptions> = {}, script: Script = {}): Stage {
  const workers: FakeWorker[] = []
  const agent = createAgent({
    model: { provider: 'scripted', model: 'test' },
    worker: fakeWorkerFactory(script, workers),
    ...options,
  })
  onTestFinished(async () => {
    await agent.dispose()
    for (const worker of workers) worker.die()
  })
  return {
    agent,
    workers,
    get worker() {
      return workers.at(-1)!
    },
    async started(count = 1) {
      await until(() => workers.length >= count)
      return workers[count - 1]!
    },
  }
}

export async function until(condition: () => unknown, ms = 30_000): Promise<void> {
  const deadline = Date.now() + ms
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`Waited ${ms} ms for ${String(condition)}`)
    await sleep(2)
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

let executions = 0

/** Stands for the definition that the tool has when it is asked to run. */
const AS_IT_IS = 'as it is'

/** A request to run a tool, as a worker sends it. */
export function execution(run: StartRun, more: Partial<ExecuteTool> = {}): ExecuteTool {
  const { agentId, runId, conversationId } = run
  return {
    agentId,
    runId,
    conversationId,
    toolCallId: 'call-1',
    toolName: 'tool',
    input: {},
    executionId: `execution-${++executions}`,
    idempotencyKey: `${runId}:call-1`,
    timeoutMs: 60_000,
    leasedAt: performance.now(),
    storeId: 'store',
    epoch: 1,
    definition: AS_IT_IS,
    afterBatch: 0,
    ...more,
  }
}

/** Starts a run and gives its command as the worker got it. */
export async function startedRun(
  { agent, started }: Stage,
  ...args: Parameters<Agent['run']>
): Promise<{ run: ReturnType<Agent['run']>; command: StartRun; worker: FakeWorker }> {
  const run = agent.run(...args)
  const worker = await started()
  const find = (): StartRun | undefined =>
    worker.of<StartRun>('startRun').find(({ runId }) => runId === run.runId)
  await until(find)
  return { run, command: find()!, worker }
}
