import type { McpToolOptions } from './options.ts'

/** Of a client of the official SDK, what is used here: versions 1 and 2 have it. */
export interface McpClientLike {
  callTool(params: never, ...rest: never[]): Promise<unknown>
  listTools(params?: never, ...rest: never[]): Promise<unknown>
  listResources?(params?: never, ...rest: never[]): Promise<unknown>
  listResourceTemplates?(params?: never, ...rest: never[]): Promise<unknown>
  readResource?(params: never, ...rest: never[]): Promise<unknown>
  listPrompts?(params?: never, ...rest: never[]): Promise<unknown>
  getPrompt?(params: never, ...rest: never[]): Promise<unknown>
  getServerCapabilities(): unknown
  getServerVersion(): unknown
  getInstructions?(): string | undefined
  close(): Promise<void>
}

export interface FromMcpClientOptions extends McpToolOptions {
  /** What people are shown as where the tools come from: a name, or an origin. */
  readonly source: string
}
