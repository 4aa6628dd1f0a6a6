import type { Message } from './message.ts'
import type { ToolDefinition } from './tool.ts'

/** Estimated tokens of a request, by what they are for. */
export interface RequestTokens {
  /** In ACTION mode without what they say of tools. */
  readonly instructions: number
  /** Tools and skills, wherever they are described. */
  readonly tools: number
  /** Messages, but for `snapshots`. */
  readonly history: number
  /** Results of tools that say how something is now (`supersedes`), such as what page tools read. */
  readonly snapshots: number
  /** The live context, memories, the plan and notices. */
  readonly context: number
}

/** What a model is asked with, in the package's own terms: neither address, nor key, nor headers. */
export interface SentRequest {
  readonly provider: string
  readonly model: string
  /** `action`: the tools are described in the instructions, and the server is told of none. */
  readonly toolMode: 'native' | 'action'
  readonly instructions?: string
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
  /** Sent behind the messages. */
  readonly context?: string
  readonly tokens: RequestTokens
}
