/**
 * The browser's side of WebMCP, as far as it is used here. Source: https://webmachinelearning.github.io/webmcp/ and
 * what Chromium 149 to 156 do.
 */
export interface ModelContext extends Partial<EventTarget> {
  /** Null in browsers that fire `toolchange`, unless the page has set it. */
  readonly ontoolchange?: unknown
  registerTool(tool: ModelContextTool, options?: RegisterOptions): Promise<void>
  /** The tools of this page, and of those frames of the same origin that are in it. */
  getTools?(): Promise<readonly RegisteredTool[]>
  /**
   * Takes and gives JSON up to Chromium 153, later it takes an object. Null: the tool's page went to another page.
   */
  executeTool?(
    tool: RegisteredTool,
    input: object,
    options?: { readonly signal?: AbortSignal },
  ): Promise<unknown>
}

export interface ModelContextTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema?: object
  readonly annotations?: Hints
  /** `about`: `{ signal }` since Chromium 153, what has `requestUserInteraction` in early drafts, or nothing. */
  execute(input: unknown, about?: CallerOf): Promise<unknown>
}

export interface CallerOf {
  readonly signal?: AbortSignal
  requestUserInteraction?(ask: () => Promise<unknown>): Promise<unknown>
}

export interface Hints {
  readonly readOnlyHint?: boolean
  readonly untrustedContentHint?: boolean
  /** A person is to be asked before it is called. */
  readonly consequentialHint?: boolean
  /** For those who develop the page, not for those who use it. */
  readonly debugging?: boolean
}

interface RegisterOptions {
  readonly signal?: AbortSignal
  readonly exposedTo?: readonly string[]
}

export interface RegisteredTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  /** JSON up to Chromium 153, an object later; absent or empty without parameters. */
  readonly inputSchema?: unknown
  readonly annotations?: Hints
  readonly origin?: string
  readonly window?: unknown
}

/** What a page that consumes needs of it. */
export type Consumable = ModelContext & Required<Pick<ModelContext, 'getTools' | 'executeTool'>>

/** The page's, where the browser has it: of its document, or of the navigator as in early drafts. */
export function pageContext(): ModelContext | undefined {
  const { document, navigator } = globalThis as {
    readonly document?: { readonly modelContext?: ModelContext }
    readonly navigator?: { readonly modelContext?: ModelContext }
  }
  const context = document?.modelContext ?? navigator?.modelContext
  return typeof context?.registerTool === 'function' ? context : undefined
}

export function canConsume(context: ModelContext | undefined): context is Consumable {
  return typeof context?.getTools === 'function' && typeof context.executeTool === 'function'
}

/** Whether this page's browser has WebMCP: tools can be published, and, where it can say which there are, used. */
export function isWebMcpAvailable(): boolean {
  return pageContext() !== undefined
}
