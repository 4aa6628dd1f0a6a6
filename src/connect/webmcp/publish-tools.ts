import { loadPart } from '../../client/api/load-part.ts'
import type { CompositeTool, Tool } from '../../client/tools/tool.ts'
import { describeThrown } from '../../protocol/error.ts'
import { pageContext, type ModelContext } from './model-context.ts'
import { badConfig } from '../../client/api/failures.ts'
import type { Confirm, PublishPolicy } from './confirm.ts'

/** Tools that stay registered with the browser until `dispose()`, or until the `signal` option aborts. */
export interface Publication {
  /** Resolves when the browser has accepted or refused the tools. Never rejects. */
  readonly ready: Promise<void>
  /** Names under which tools are published. */
  readonly published: readonly string[]
  /** Tools that aren't published. Their names have no prefix. */
  readonly refused: readonly RefusedTool[]
  /** Unregisters the tools. Calls in progress continue. */
  dispose(): void
}

/** A tool that isn't published, and the reason, for developers. */
export interface RefusedTool {
  readonly name: string
  readonly reason: string
}

/**
 * Registers tools with the browser's WebMCP, so that the browser's agent and others can call them. Calls are validated,
 * and run outside any Offstage agent. If the browser has no WebMCP, all tools are refused. Throws `invalid-config` for
 * wrong options.
 */
export function publishTools(
  tools: readonly (Tool | CompositeTool)[],
  options: PublishOptions = {},
): Publication {
  checkPublishOptions(options)
  const context = options.context ?? pageContext()
  const controller = new AbortController()
  const dispose = (): void => controller.abort()
  if (options.signal?.aborted) dispose()
  options.signal?.addEventListener('abort', dispose, { signal: controller.signal })
  const published: string[] = []
  const refused: RefusedTool[] = []
  const publish = async (): Promise<void> => {
    if (!context) throw new Error('this browser has no WebMCP')
    const { registerEach } = await loadPart(() => import('./register-each.ts'))
    await registerEach(tools, { context, options, signal: controller.signal, published, refused })
  }
  const ready = publish().catch((thrown: unknown) => {
    const reason = describeThrown(thrown)
    for (const { name } of tools) refused.push({ name, reason })
  })
  return { ready, published, refused, dispose }
}

/** Options of `publishTools`. All are optional. */
export interface PublishOptions {
  /** Prefix of the published names. Default: none. */
  readonly prefix?: string
  /** Calls that need `confirm`, with the values of an agent's `toolApproval`. Default `destructive`. */
  readonly toolApproval?: PublishPolicy
  /**
   * Asks a person whether a call may run; only true allows it. Default: tools whose calls may need approval are not
   * published.
   */
  readonly confirm?: Confirm
  /** Other origins that may use the tools: of frames in this page, or of pages around it. Default: none. */
  readonly exposedTo?: readonly string[]
  /** Unregisters the tools when aborted. */
  readonly signal?: AbortSignal
  /** Context to publish in. Default: the browser's `document.modelContext`. */
  readonly context?: ModelContext
}

const NAMES: Readonly<Record<keyof PublishOptions, true>> = {
  prefix: true,
  toolApproval: true,
  confirm: true,
  exposedTo: true,
  signal: true,
  context: true,
}

/** Throws `invalid-config`. */
function checkPublishOptions(options: PublishOptions): void {
  for (const name of Object.keys(options))
    if (!Object.hasOwn(NAMES, name)) throw badConfig(`The options of publishTools have no ${name}.`)
  const { toolApproval = 'destructive', prefix = '' } = options
  if (!['never', 'destructive', 'writes', 'always'].includes(toolApproval))
    throw badConfig(
      "toolApproval of publishTools must be 'never', 'destructive', 'writes' or 'always'.",
    )
  if (!/^[\w.-]{0,60}$/.test(prefix))
    throw badConfig('prefix of publishTools must be up to 60 letters, digits, _, - or .')
}
