/**
 * The part of the browser's WebMCP API that is used here. Sources: https://webmachinelearning.github.io/webmcp/ and the
 * behavior of Chromium 149 to 156.
 */
export interface ModelContext extends Partial<EventTarget> {
  /** Null in browsers that fire `toolchange`, unless the page has set it. */
  readonly ontoolchange?: unknown
  registerTool(tool: ModelContextTool, options?: RegisterOptions): Promise<void>
  /** Tools of this page and of its frames of the same origin. */
  getTools?(): Promise<readonly RegisteredTool[]>
  /** Takes JSON up to Chromium 153, an object later. Returns JSON, or null if the tool's page navigated. */
  executeTool?(
    tool: RegisteredTool,
    input: object,
    options?: { readonly signal?: AbortSignal },
  ): Promise<unknown>
}

/** Tool as a page registers it with the browser's WebMCP. */
export interface ModelContextTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema?: object
  readonly annotations?: Hints
  /** `about`: `{ signal }` since Chromium 153, an object with `requestUserInteraction` in early drafts, or nothing. */
  execute(input: unknown, about?: CallerContext): Promise<unknown>
}

export interface CallerContext {
  readonly signal?: AbortSignal
  requestUserInteraction?(ask: () => Promise<unknown>): Promise<unknown>
}

/** Annotations of a WebMCP tool. They are the tool's own claims and unverified. */
export interface Hints {
  readonly readOnlyHint?: boolean
  readonly untrustedContentHint?: boolean
  /** A person should approve each call. */
  readonly consequentialHint?: boolean
  /** True if the tool is for the page's developers, not for its users. */
  readonly debugging?: boolean
}

interface RegisterOptions {
  readonly signal?: AbortSignal
  readonly exposedTo?: readonly string[]
}

/** Tool as the browser lists it: from this page, or from another frame. */
export interface RegisteredTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  /** JSON up to Chromium 153, an object later. Missing or empty for a tool without parameters. */
  readonly inputSchema?: unknown
  readonly annotations?: Hints
  readonly origin?: string
  readonly window?: unknown
}

/** A context that can also list and call tools. */
export type Consumable = ModelContext & Required<Pick<ModelContext, 'getTools' | 'executeTool'>>

/** The page's context, if the browser has one: on `document`, or on `navigator` in early drafts. */
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

/**
 * Whether the browser has WebMCP. Pages can then publish tools. They can also call tools if the browser can list them.
 */
export function isWebMcpAvailable(): boolean {
  return pageContext() !== undefined
}
