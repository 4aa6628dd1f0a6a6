export { createTestAgent, type TestAgentOptions } from './create-test-agent.ts'
export {
  createTestStorage,
  inProcessWorker,
  type InProcessWorkerOptions,
  type TestStorage,
} from './in-process-worker.ts'
export type { Script, ScriptScene, ScriptStep } from '../protocol/model.ts'
