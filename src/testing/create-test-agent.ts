import type { Agent } from '../client/api/agent.ts'
import { createAgent } from '../client/api/create-agent.ts'
import type { AgentOptions, ModelConfig } from '../client/api/options.ts'
import type { Script } from '../protocol/model.ts'
import type { WorkerLike } from '../client/worker-link/spawn-worker.ts'
import { badConfig } from '../client/api/failures.ts'
import { readRecording, Replay, type ReplayOptions } from './recording.ts'
import {
  isRecordedAnew,
  isRecordingFile,
  readText,
  recordAnew,
  type RecordingFile,
} from './recording-file.ts'
import { scriptedProvider } from '../providers/scripted.ts'
import { type Effects, realEffects } from '../worker/effects.ts'
import { type ClaimBook, memoryClaimBook } from '../worker/store/claims.ts'
import { startWorker, type StartWorkerOptions } from '../worker/start-worker.ts'
import { createMemoryStore } from '../worker/store/memory-store.ts'
import type { Store } from '../worker/store/store.ts'
import { forgetPage } from '../client/page-life/page-registry.ts'
import { deletePageSingleton, getPageSingleton } from '../lib/page-singleton.ts'
import type { CallAnswers, CallRef, PersonConsent } from '../client/execution/person-check.ts'
import { recordGesture } from '../client/execution/user-gestures.ts'

/** Options of `createTestAgent`: options of `createAgent`, with a script for the model and a storage for tests. */
export interface TestAgentOptions
  extends
    Omit<AgentOptions, 'model' | 'worker' | 'workerUrl'>,
    Pick<InProcessWorkerOptions, 'providers' | 'stores'> {
  /**
   * The model's answers. Pass either this, `recording` or `model`. A `recording` with `record` also needs this or
   * `model`.
   */
  readonly script?: Script
  /**
   * Text of a file with one conversation, from the inspector or `conversations.export()`. `replay()` plays the model's
   * answers, and the person's messages, approvals and answers; the tools are yours. A `RecordingFile` is a file in a
   * folder, which can also be recorded again.
   */
  readonly recording?: string | Blob | RecordingFile
  /** Model that answers instead of a script, such as one of `providers`. Default: the scripted model. */
  readonly model?: ModelConfig
  /** Storage that outlives the agent. Pass the same one to two agents to simulate a reload. */
  readonly testStorage?: TestStorage
}

/** An agent for tests. */
export interface TestAgent extends Agent {
  /**
   * Replays `recording` in a new conversation. Rejects with an `Error` that lists the differences in a run: a call that
   * is refused or fails, other nested calls, another executed input, and other approvals. For example: `Step 4:
   * add_item({ qty: '2' }) was refused: 'qty' must be number, got "2".` Also rejects for a recording that is damaged,
   * or that a newer version wrote. Models of sub-agents aren't replayed. A recording in a folder may be recorded again
   * instead.
   *
   * @example
   * const agent = createTestAgent({ recording: await readFile('bug.jsonl', 'utf8'), tools })
   * await agent.replay()
   */
  replay(options?: ReplayOptions): Promise<void>
}

/**
 * Creates an agent for tests, without a browser. Its model answers with the steps of `script`, in order. A request
 * after the last step fails the run with `script-exhausted`. Its worker runs in this process, and conversations are
 * kept in memory. Everything else works as in the browser. Other options are those of `createAgent`. Dispose of the
 * agent, or the process won't end.
 *
 * @example
 * const call = { toolName: 'add_to_cart', input: { sku: 'mug' } }
 * const steps = [{ toolCalls: [call] }, { text: 'It is in your cart.' }]
 * const agent = createTestAgent({ tools: [addToCart], script: { steps } })
 * const { text } = await agent.run('A mug').result
 * await agent.dispose()
 */
export function createTestAgent(options: TestAgentOptions): TestAgent {
  const { script, recording, model, providers = [], stores, testStorage, ...rest } = options
  const file = isRecordingFile(recording) ? recording : null
  checkAnswers(options, file)
  // Reads the page now, because the agent may start a worker after its page has ended.
  const page = pageLife()
  const replay = recording === undefined ? null : new Replay()
  const createReader = (): Agent => createTestAgent({ tools: [] })
  const agent = createAgent({
    ...rest,
    model: model ?? { provider: 'scripted', model: 'scripted', ...(script && { script }) },
    worker: workersOf(
      {
        providers: replay ? [...providers, replay.provider] : providers,
        ...(stores && { stores }),
        ...(testStorage && { storage: testStorage }),
      },
      () => page,
    ),
  })
  return Object.assign(agent, {
    replay: async (options?: ReplayOptions) => {
      if (!replay || recording === undefined)
        throw badConfig('This agent has no recording: pass one to createTestAgent().')
      if (file && isRecordedAnew(file)) return recordAnew(agent, file, { model, createReader })
      const source = isRecordingFile(recording) ? await readText(recording) : recording
      await replay.run(agent, await readRecording(createReader, source), options)
    },
  })
}

/** Throws `invalid-config` unless exactly one option provides the model's answers. */
function checkAnswers(
  { recording, script, model }: TestAgentOptions,
  file: RecordingFile | null,
): void {
  if (recording === undefined) return
  if (file?.record) {
    if (!script && !model)
      throw badConfig('To record a run, pass the `script` or the `model` that answers.')
  } else if (script ?? model)
    throw badConfig('A recording has the answers of its model: leave out `script` and `model`.')
}

/** Storage that outlives a worker in tests, as IndexedDB does in a browser. Has one store for each name. */
export interface TestStorage {
  open(name: string): Promise<Store>
}

/**
 * Creates an empty storage that outlives the agents of a test.
 *
 * @example
 * const testStorage = createTestStorage()
 * const before = createTestAgent({ script, testStorage })
 * // … start a run
 * simulateReload()
 * const after = createTestAgent({ script, testStorage })
 */
export function createTestStorage(): TestStorage {
  const stores = new Map<string, Store>()
  return {
    open: async (name) => {
      const store = stores.get(name) ?? createMemoryStore()
      stores.set(name, store)
      return store
    },
  }
}

/** Options of `inProcessWorker`, all optional. */
export interface InProcessWorkerOptions extends Pick<
  StartWorkerOptions,
  'providers' | 'stores' | 'validator'
> {
  /** Pass the same one to two workers to simulate a reload. Default: a new one. */
  readonly storage?: TestStorage
}

/**
 * Effects without Web Locks. Newer versions of Node have them, but a terminated worker would keep its locks, and
 * workers with separate storages would wait for each other.
 */
const WITHOUT_LOCKS: Omit<Effects, 'claims'> = {
  ...realEffects,
  locks: undefined,
  openTabPort: () => undefined,
}

/** Claims by storage: workers with the same storage act as tabs of one browser. */
const claimBooks = new WeakMap<TestStorage, ClaimBook>()

function claimsOf(storage: TestStorage): ClaimBook {
  const book = claimBooks.get(storage) ?? memoryClaimBook()
  claimBooks.set(storage, book)
  return book
}

/**
 * Runs the real worker (host, loop, store) behind a `MessageChannel` in this process, for tests under Node, which has
 * no `Worker` and no IndexedDB. Pass the returned function as `createAgent({ worker })`. Dispose of the agent so that
 * the process can end.
 */
export function inProcessWorker(options: InProcessWorkerOptions = {}): () => WorkerLike {
  return workersOf(options, pageLife)
}

/** `pageOf` returns the page that a worker belongs to. Called when the worker starts. */
function workersOf(options: InProcessWorkerOptions, pageOf: () => PageLife): () => WorkerLike {
  const { storage = createTestStorage(), stores = [], providers = [], ...rest } = options
  return () => {
    const { port1, port2 } = new MessageChannel()
    const { death, end } = beginLife(pageOf())
    startWorker({
      ...rest,
      // Imported up front, because tests with fake timers can't wait for a file to load.
      providers: [scriptedProvider, ...providers],
      endpoint: port2,
      // Cuts off access to the stores after termination, because a terminated worker's code keeps running.
      openDurable: async (name) => mortalStore(await storage.open(name), death),
      stores: stores.map((definition) => ({
        type: definition.type,
        open: async (...args) => mortalStore(await definition.open(...args), death),
      })),
      effects: { ...WITHOUT_LOCKS, claims: claimsOf(storage) },
    })
    return {
      postMessage: (message, transfer = []) => port1.postMessage(message, transfer),
      addEventListener: (type, listener) => port1.addEventListener(type, listener),
      removeEventListener: (type, listener) => port1.removeEventListener(type, listener),
      start: () => port1.start(),
      terminate: () => {
        end()
        port1.close()
        port2.close()
      },
    }
  }
}

/**
 * Makes a store that stops answering when the signal aborts, as if its worker had died. Even earlier requests get no
 * answers, and no changes are reported. Earlier writes stay in the store.
 */
function mortalStore(store: Store, death: AbortSignal): Store {
  const whileAlive = async <Answer>(request: () => Promise<Answer>): Promise<Answer> => {
    if (death.aborted) return never()
    try {
      return await request()
    } finally {
      if (death.aborted) await never()
    }
  }
  return {
    claim: (...args) => whileAlive(() => store.claim(...args)),
    append: (...args) => whileAlive(() => store.append(...args)),
    keepDraft: (...args) => whileAlive(() => store.keepDraft(...args)),
    draftOf: (...args) => whileAlive(() => store.draftOf(...args)),
    place: (...args) => whileAlive(() => store.place(...args)),
    read: (...args) => whileAlive(() => store.read(...args)),
    get: (...args) => whileAlive(() => store.get(...args)),
    list: (...args) => whileAlive(() => store.list(...args)),
    rename: (...args) => whileAlive(() => store.rename(...args)),
    mark: (...args) => whileAlive(() => store.mark(...args)),
    descendants: (...args) => whileAlive(() => store.descendants(...args)),
    delete: (...args) => whileAlive(() => store.delete(...args)),
    ...(store.follow && {
      follow: (onChange) => {
        const stop = store.follow?.((change) => death.aborted || onChange(change))
        return () => stop?.()
      },
    }),
    close: () => store.close(),
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined)
}

const NAME = 'in-process workers'

/** The simulated page of this process, and its running workers. */
interface PageLife {
  readonly lives: Set<AbortController>
  /** True after `simulateReload`. */
  isOver: boolean
}

function pageLife(): PageLife {
  return getPageSingleton(NAME, () => ({ lives: new Set(), isOver: false }))
}

/** Records a running worker. It ends with the page or earlier. If the page is already over, it ends at once. */
function beginLife({ lives, isOver }: PageLife): {
  readonly death: AbortSignal
  end(): void
} {
  const life = new AbortController()
  const end = (): void => {
    lives.delete(life)
    life.abort()
  }
  lives.add(life)
  if (isOver) end()
  return { death: life.signal, end }
}

/**
 * Simulates a reload, for tests without a browser. Ends all workers in this process; test agents from before can't
 * start new ones. New agents find unfinished runs as after a reload, instead of joining them.
 */
export function simulateReload(): void {
  const page = pageLife()
  page.isOver = true
  for (const life of page.lives) life.abort()
  deletePageSingleton(NAME)
  forgetPage()
}

/** Simulates a user gesture, which allows one answer to an agent with `consent: 'person'`. */
export function simulateUserGesture(): void {
  recordGesture()
}

/** Returns a consent like one from a user gesture: `approve(call, { consent: consentTo(agent, call) })`. */
export function consentTo(agent: Pick<CallAnswers, 'consent'>, call: CallRef): PersonConsent {
  recordGesture()
  return agent.consent(call)
}
