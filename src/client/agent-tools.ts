import type { JsonSchema } from '../protocol/json.ts'
import type { RemoteSource, ToolAnnotations } from '../protocol/tool.ts'
import type { SnapshotStore } from './snapshot-store.ts'

/** A tool of an agent, registered or built in. Functions are left out. */
export interface AgentTool {
  /** The app's own name for the tool. */
  readonly name: string
  /** The model's name for the tool, if it differs. */
  readonly modelName?: string
  readonly title?: string
  readonly description: string
  /** JSON Schema of the input, as `Agent.inputSchema` gives it. */
  readonly inputSchema: JsonSchema
  readonly annotations: ToolAnnotations
  /** The server or page that defines the tool. Absent if the app defines it. */
  readonly remote?: RemoteSource
  /** The model can use the tool only while one of these skills is active. */
  readonly skills?: readonly string[]
  /** Whether the model can use the tool in the next step. */
  readonly enabled: boolean
  /**
   * Why the tool is not enabled.
   * - `not-enabled`: `enabledTools` doesn't name it.
   * - `unavailable`: its `available()` returned false or threw.
   */
  readonly whyNot?: 'not-enabled' | 'unavailable'
}

/**
 * All tools of an agent: registered ones, and those of memories, skills, servers and `controlTools`. Each read calls
 * `available()`. A change in its answer doesn't notify listeners.
 */
export interface AgentTools extends SnapshotStore<readonly AgentTool[]> {
  /** Empty until the tools have been read. Returns the same array until something changes. */
  getSnapshot(): readonly AgentTool[]
  /**
   * Notifies the listener once for tools that change together. Returns a function that unsubscribes. Starts no worker.
   */
  subscribe(listener: () => void): () => void
  /** Reads the current tools. */
  list(): Promise<readonly AgentTool[]>
}
