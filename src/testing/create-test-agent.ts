import type { Agent } from '../client/agent.ts'
import { createAgent } from '../client/create-agent.ts'
import type { AgentOptions, ModelConfig } from '../client/options.ts'
import type { Script } from '../protocol/model.ts'
import { type InProcessWorkerOptions, type TestStorage, workersOf } from './in-process-worker.ts'
import { pageLife } from './page-life.ts'

export interface TestAgentOptions
  extends
    Omit<AgentOptions, 'model' | 'worker' | 'workerUrl'>,
    Pick<InProcessWorkerOptions, 'providers' | 'stores'> {
  /** The model's answers. Pass either this or `model`. */
  readonly script?: Script
  readonly model?: ModelConfig
  /** Storage that outlives the agent. Pass the same one to two agents to simulate a reload. */
  readonly testStorage?: TestStorage
}

/**
 * An agent whose worker runs in this process and whose model plays a script: everything is real but
 * the model and the thread.
 */
export function createTestAgent(options: TestAgentOptions): Agent {
  const { script, model, providers, stores, testStorage, ...rest } = options
  // Read now, because the agent may start a worker after its page is gone.
  const page = pageLife()
  return createAgent({
    ...rest,
    model: model ?? { provider: 'scripted', model: 'scripted', ...(script && { script }) },
    worker: workersOf(
      {
        ...(providers && { providers }),
        ...(stores && { stores }),
        ...(testStorage && { storage: testStorage }),
      },
      () => page,
    ),
  })
}
