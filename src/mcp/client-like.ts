import type { McpToolOptions } from './options.ts'

/** The methods used here of the official SDK's client. Versions 1 and 2 have them. */
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
  /** Source of the tools that people see: a name or an origin. */
  readonly source: string
}
