import type { Message } from './message.ts'
import type { ToolDefinition } from './tool.ts'

/** Estimated tokens of a request, by purpose. */
export interface RequestTokens {
  /** Instructions, without the tool descriptions of ACTION mode. */
  readonly instructions: number
  /** Tools and skills, regardless of where the request describes them. */
  readonly tools: number
  /** Messages, except `snapshots`. */
  readonly history: number
  /** Results of tools with `supersedes`, such as pages that page tools read. */
  readonly snapshots: number
  /** Live context, memories, the plan and notices. */
  readonly context: number
}

/** A request to a model in the package's own terms, without address, key and headers. */
export interface SentRequest {
  readonly provider: string
  readonly model: string
  /** `action`: the instructions describe the tools, and the server gets no tool definitions. */
  readonly toolMode: 'native' | 'action'
  readonly instructions?: string
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
  /** Sent after the messages. */
  readonly context?: string
  readonly tokens: RequestTokens
}
