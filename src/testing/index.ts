export { checkTools, type ToolProblem } from './check-tools.ts'
export { createTestAgent, type TestAgent, type TestAgentOptions } from './create-test-agent.ts'
export {
  createTestStorage,
  inProcessWorker,
  type InProcessWorkerOptions,
  type TestStorage,
} from './create-test-agent.ts'
export type { RecordingFile } from './recording-file.ts'
export type { ReplayOptions } from './recording.ts'
export { consentTo, simulateUserGesture } from './create-test-agent.ts'
export { simulateReload } from './create-test-agent.ts'
export type { Script, ScriptScene, ScriptStep } from '../protocol/model.ts'
export { storeContract } from './store-contract/index.ts'
export type { ContractCase, StorePair, StoreUnderTest } from './store-contract/expectations.ts'
export { createMemoryStore } from '../worker/store/memory-store.ts'
