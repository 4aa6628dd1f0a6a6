import type { Agent, AgentOptions } from '../../../src/index.ts'
// Loaded now, since the world can't wait for a module.
import '../../../src/client/tools/control-tools.ts'
import '../../../src/client/features/extract.ts'
import '../../../src/client/api/lazy-runtime.ts'
import '../../../src/client/page-life/page-fetches.ts'
import '../../../src/client/views/lazy-views.ts'
import '../../../src/client/features/hooks.ts'
import { createAgent } from '../../../src/client/api/create-agent.ts'
import type { WorkerLike } from '../../../src/client/worker-link/spawn-worker.ts'
import { realEffects } from '../../../src/worker/effects.ts'
import { startWorker } from '../../../src/worker/start-worker.ts'
import type { PlayedModel } from './played-model.ts'
import { Life, type Storage } from './storage.ts'

interface Lived {
  readonly life: Life
  readonly close: () => void
}

/** A page and its workers: the real ones, but for what the world stands for. */
export class Page {
  isAlive = true
  readonly agents: Agent[] = []
  readonly #storage: Storage
  readonly #model: PlayedModel
  readonly #workers: Lived[] = []

  constructor(storage: Storage, model: PlayedModel) {
    this.#storage = storage
    this.#model = model
  }

  /** All agents of the page share a worker. */
  readonly spawn = (): WorkerLike => {
    const { port1, port2 } = new MessageChannel()
    const life = new Life()
    const close = (): void => port1.close()
    this.#workers.push({ life, close })
    // A page that has closed gets a worker that never answers.
    if (this.isAlive) {
      startWorker({
        endpoint: port2,
        providers: [this.#model.providerFor(life)],
        effects: { ...realEffects, random: () => 0.5 },
        openDurable: async () => this.#storage.seenBy(life),
      })
    }
    return Object.assign(port1, { terminate: close }) as WorkerLike
  }

  open(options: Omit<AgentOptions, 'worker'>): Agent {
    const agent = createAgent({ ...options, worker: this.spawn })
    this.agents.push(agent)
    return agent
  }

  /** The newest worker dies, as of a crash: the page notices when it doesn't answer. */
  killWorker(): void {
    const worker = this.#workers.at(-1)
    if (!worker) return
    worker.life.isOver = true
    worker.close()
  }

  /** The page dies with its worker, and says nothing. */
  kill(): void {
    this.isAlive = false
    this.killWorker()
  }

  async dispose(): Promise<void> {
    await Promise.all(this.agents.map((agent) => agent.dispose()))
  }
}
