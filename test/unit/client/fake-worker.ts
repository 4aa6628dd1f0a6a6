import { expose, wrap } from 'comlink'
import { onTestFinished } from 'vitest'
import type {
  ExecuteTool,
  PageApi,
  PageHello,
  PageNotice,
  StartRun,
  WorkerApi,
} from '../../../src/protocol/api.ts'
import { PROTOCOL_VERSION } from '../../../src/protocol/api.ts'
import type { RunEventBody } from '../../../src/protocol/event.ts'
import type { RunResult } from '../../../src/protocol/run.ts'
import type { AgentOptions } from '../../../src/client/options.ts'
import type { Agent } from '../../../src/client/agent.ts'
import { createAgent } from '../../../src/client/create-agent.ts'

/** One started worker, driven by the test. */
export class FakeWorker {
  readonly commands: { readonly method: string; readonly command: unknown }[] = []
  readonly #port: MessagePort
  readonly #hello: PageHello
  readonly page: PageApi
  /** Names of the locks that it was asked to hold, and to release. */
  readonly held: string[] = []
  readonly released: string[] = []
  #batch = 0

  constructor(port: MessagePort, hello: PageHello) {
    this.#port = port
    this.#hello = hello
    hello.eventPort.onmessage = ({ data }) => this.released.push((data as PageNotice).name)
    const page = wrap<PageApi>(hello.pagePort) as unknown as PageApi
    this.page = new Proxy(page, {
      get: (target, name) =>
        name === 'executeTool'
          ? async (call: ExecuteTool) => target.executeTool(await defined(target, call))
          : Reflect.get(target, name),
    })
  }

  get pageId(): string {
    return this.#hello.pageId
  }

  /** Commands of one kind. */
  of<Command>(method: keyof WorkerApi): Command[] {
    return this.commands
      .filter((each) => each.method === method)
      .map((each) => each.command as Command)
  }

  /** Sends events of a run as one batch; returns its number. */
  tell(
    run: Pick<StartRun, 'agentId' | 'runId' | 'conversationId'>,
    ...events: RunEventBody[]
  ): number {
    const batch = ++this.#batch
    const { agentId, runId, conversationId } = run
    this.#hello.eventPort.postMessage({
      type: 'events',
      agentId,
      runId,
      conversationId,
      batch,
      events,
    })
    return batch
  }

  notify(notice: unknown): void {
    this.#hello.eventPort.postMessage(notice)
  }

  end(run: StartRun, more: Partial<RunResult> = {}): void {
    this.tell(run, { type: 'run-end', result: resultOf(run, more) })
  }

  /** As `Worker.terminate()` does: no more word from it. */
  die(): void {
    this.#port.close()
    this.#hello.eventPort.close()
    this.#hello.pagePort.close()
  }
}

async function defined(page: PageApi, call: ExecuteTool): Promise<ExecuteTool> {
  if (call.definition !== AS_IT_IS) return call
  const tools = await page.currentTools(call.agentId).catch(() => [])
  const definition = tools.find(({ name }) => name === call.toolName)?.definition ?? ''
  return { ...call, definition }
}

export function resultOf(
  run: { runId: string; conversationId: string },
  more: object = {},
): RunResult {
  const { runId, conversationId } = run
  return {
    runId,
    conversationId,
    text: '',
    toolCalls: [],
    steps: 1,
    usage: { modelCalls: 1 },
    finishReason: 'stop',
    outcome: 'completed',
    ...more,
  } as RunResult
}

type Script = Partial<{
  [Method in keyof WorkerApi]: (
    worker: FakeWorker,
    command: Parameters<WorkerApi[Method]>[0],
  ) => Promise<Awaited<ReturnType<WorkerApi[Method]>>> | Awaited<ReturnType<WorkerApi[Method]>>
}>

export interface Stage {
  readonly agent: Agent
  readonly workers: readonly FakeWorker[]
  readonly worker: FakeWorker
  /** Resolves once so many workers have shaken hands. */
  started(count?: number): Promise<FakeWorker>
}

const defaults: Record<string, unknown> = {
  holdLock: false,
  abortRun: true,
  resumeRun: null,
  answerCall: true,
  supplyOutput: null,
  listConversations: [],
  getConversation: null,
  renameConversation: true,
  deleteConversation: true,
  clearHistory: true,
  confirmLease: true,
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
  return () => {
    const { port1, port2 } = new MessageChannel()
    let worker: FakeWorker | undefined
    const answer = (method: string) => async (command: never) => {
      if (method === 'connect') {
        worker = new FakeWorker(port2, command)
        workers.push(worker)
      }
      if (method === 'holdLock') worker?.held.push(command)
      else worker?.commands.push({ method, command })
      const scripted = script[method as keyof WorkerApi]
      if (scripted) return (scripted as (...all: unknown[]) => unknown)(worker, command)
      if (method === 'connect') return HELLO
      return defaults[method]
    }
    const methods =
      'connect ping confirmLease holdLock startRun resumeRun abortRun answerCall supplyOutput toolsChanged releaseAgent extract stopExtracting prepare stopPreparing listConversations getConversation renameConversation deleteConversation clearHistory'
    expose(
      Object.fromEntries(methods.split(' ').map((name) => [name, answer(name)])),
      port2 as never,
    )
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
