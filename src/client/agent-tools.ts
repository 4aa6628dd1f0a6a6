import type { JsonSchema } from '../protocol/json.ts'
import type { RemoteSource, ToolAnnotations } from '../protocol/tool.ts'
import type { SnapshotStore } from './snapshot-store.ts'

/** A tool of an agent, whoever registered it. Functions are left out. */
export interface AgentTool {
  /** The app's own name for it. */
  readonly name: string
  /** The model's name for it, where that is another. */
  readonly modelName?: string
  readonly title?: string
  readonly description: string
  /** JSON Schema of the input, as `Agent.inputSchema` gives it. */
  readonly inputSchema: JsonSchema
  readonly annotations: ToolAnnotations
  /** The server or page that defines the tool. Absent: the app does. */
  readonly remote?: RemoteSource
  /** The model can use it only while one of these skills is active. */
  readonly skills?: readonly string[]
  /** The model can use it in the next step. */
  readonly enabled: boolean
  /**
   * The reason why it is not enabled.
   * - `not-enabled`: `enabledTools` doesn't name it.
   * - `unavailable`: its `available()` returned false or threw.
   */
  readonly whyNot?: 'not-enabled' | 'unavailable'
}

/**
 * All tools of an agent: registered ones, and those of memories, skills, servers and `controlTools`. `available()` is
 * called for each read; when its answer changes, listeners are not called.
 */
export interface AgentTools extends SnapshotStore<readonly AgentTool[]> {
  /** Empty until they are read. The same array as long as nothing changed. */
  getSnapshot(): readonly AgentTool[]
  /** Calls the listener once for tools that change together. Returns a function that unsubscribes. Starts no worker. */
  subscribe(listener: () => void): () => void
  /** The tools as they are now. */
  list(): Promise<readonly AgentTool[]>
}
