import { loadPart } from '../client/load-part.ts'
import type { CompositeTool, Tool } from '../client/tool.ts'
import { describeThrown } from '../protocol/error.ts'
import { pageContext } from './model-context.ts'
import { checkPublishOptions, type PublishOptions } from './publish-options.ts'

/** Tools that are registered with the browser until `dispose()`, or until the signal of its options aborts. */
export interface Publication {
  /** Resolves when the browser has taken the tools, or has refused them. Never rejects. */
  readonly ready: Promise<void>
  /** Names, as they are published. */
  readonly published: readonly string[]
  /** By the tool's own name. */
  readonly refused: readonly RefusedTool[]
  /** Ends the publication. Calls that are under way go on. */
  dispose(): void
}

/** A tool that is not published, and why, in words for a developer. */
export interface RefusedTool {
  readonly name: string
  readonly reason: string
}

/**
 * Registers tools with the browser's WebMCP, for the browser's agent and others. Their calls are validated, and run
 * outside of any agent. Where the browser has no WebMCP, all are refused. Throws `invalid-config` for wrong options.
 */
export function publishTools(
  tools: readonly (Tool | CompositeTool)[],
  options: PublishOptions = {},
): Publication {
  checkPublishOptions(options)
  const context = options.context ?? pageContext()
  const ended = new AbortController()
  const dispose = (): void => ended.abort()
  if (options.signal?.aborted) dispose()
  options.signal?.addEventListener('abort', dispose, { signal: ended.signal })
  const published: string[] = []
  const refused: RefusedTool[] = []
  const publish = async (): Promise<void> => {
    if (!context) throw new Error('this browser has no WebMCP')
    const { registerEach } = await loadPart(() => import('./register-each.ts'))
    await registerEach(tools, { context, options, ended: ended.signal, published, refused })
  }
  const ready = publish().catch((thrown: unknown) => {
    const reason = describeThrown(thrown)
    for (const { name } of tools) refused.push({ name, reason })
  })
  return { ready, published, refused, dispose }
}
