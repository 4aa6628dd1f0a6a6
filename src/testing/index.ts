export { checkTools, type ToolProblem } from './check-tools.ts'
export { createTestAgent, type TestAgentOptions } from './create-test-agent.ts'
export {
  createTestStorage,
  inProcessWorker,
  type InProcessWorkerOptions,
  type TestStorage,
} from './in-process-worker.ts'
export { consentTo, personPress } from './person.ts'
export { simulateReload } from './page-life.ts'
export type { Script, ScriptScene, ScriptStep } from '../protocol/model.ts'
export { storeContract } from './store-contract/index.ts'
export type { ContractCase, StorePair, StoreUnderTest } from './store-contract/cases.ts'
export { createMemoryStore } from '../worker/store/memory-store.ts'
